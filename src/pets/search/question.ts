// What a search looks for, and how the two engines read it: a query of FTS5, and a tsquery.

/** Tokens of which an animal needs one: each whole, or any that begins so. */
export interface Clause {
  tokens: string[]
  /** Beginnings of tokens. */
  prefixes?: string[]
}

/** What an animal has to have: something of each clause, and not of all the clauses of `without`. */
export interface Question {
  clauses: Clause[]
  without?: Clause[] | undefined
}

/** The token that every animal has. */
export const ANY_TOKEN = 'any'

interface Syntax {
  token(text: string): string
  prefix(text: string): string
  or: string
  and: string
  not: string
}

const inQuotes = (text: string, quote: string): string =>
  `${quote}${text.replaceAll(quote, quote + quote)}${quote}`
/** Of a tsquery, in which a backslash stands for itself when there are two. */
const lexeme = (text: string): string => inQuotes(text.replaceAll('\\', '\\\\'), "'")

const SYNTAX: Record<'sqlite' | 'postgres', Syntax> = {
  sqlite: {
    token: (text) => inQuotes(text, '"'),
    prefix: (text) => `${inQuotes(text, '"')}*`,
    or: ' OR ',
    and: ' AND ',
    not: ' NOT ',
  },
  postgres: { token: lexeme, prefix: (text) => `${lexeme(text)}:*`, or: '|', and: '&', not: '&!' },
}

/** No animal has it. */
const NO_TOKEN = 'none'

export function expressionOf(engine: 'sqlite' | 'postgres', { clauses, without }: Question): string {
  const { token, prefix, or, and, not } = SYNTAX[engine]
  const anyOf = ({ tokens, prefixes = [] }: Clause): string => {
    const words = [...new Set(tokens)].map(token)
    for (const one of prefixes) words.push(prefix(one))
    return `(${words.join(or) || token(NO_TOKEN)})`
  }
  const allOf = (some: Clause[]): string => some.map(anyOf).join(and) || token(ANY_TOKEN)
  return without ? `(${allOf(clauses)})${not}(${allOf(without)})` : allOf(clauses)
}
