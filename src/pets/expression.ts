import { ANY_TOKEN, type Clause, type Question } from '../search/question.ts'
import { wordOf } from './tokens.ts'

// A question as the two engines read it: a query of FTS5, and a tsquery.

interface Syntax {
  token(word: string): string
  prefix(word: string): string
  or: string
  and: string
  not: string
}

/** All words are letters and digits: nothing in them has to be escaped. */
const SYNTAX: Record<'sqlite' | 'postgres', Syntax> = {
  sqlite: {
    token: (word) => `"${word}"`,
    prefix: (word) => `"${word}"*`,
    or: ' OR ',
    and: ' AND ',
    not: ' NOT ',
  },
  postgres: { token: (word) => `'${word}'`, prefix: (word) => `'${word}':*`, or: '|', and: '&', not: '&!' },
}

/** No animal has it. */
const NO_TOKEN = 'none'

export function expressionOf(engine: 'sqlite' | 'postgres', { clauses, without }: Question): string {
  const { token, prefix, or, and, not } = SYNTAX[engine]
  const anyOf = ({ tokens, prefixes = [] }: Clause): string => {
    const words = [...new Set(tokens)].map((one) => token(wordOf(one)))
    for (const one of prefixes) words.push(prefix(wordOf(one)))
    return `(${words.join(or) || token(wordOf(NO_TOKEN))})`
  }
  const allOf = (some: Clause[]): string => some.map(anyOf).join(and) || token(wordOf(ANY_TOKEN))
  return without ? `(${allOf(clauses)})${not}(${allOf(without)})` : allOf(clauses)
}
