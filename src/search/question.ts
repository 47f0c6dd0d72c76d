/** Tokens of which an animal needs one: each whole, or any that begins so. */
export interface Clause {
  tokens: string[]
  /** Beginnings of tokens. */
  prefixes?: string[]
  /** What the index is asked for instead of `tokens`: the same animals, with fewer rows to read. */
  inIndex?: string[]
}

/** What an animal has to have: something of each clause, and not of all the clauses of `without`. */
export interface Question {
  clauses: Clause[]
  without?: Clause[] | undefined
}

/** The token that every animal has. */
export const ANY_TOKEN = 'any'

/** Of clauses with more tokens than an animal has, as all places near one may be. */
const sets = new WeakMap<Clause, ReadonlySet<string>>()

function setOf(clause: Clause): ReadonlySet<string> {
  const known = sets.get(clause) ?? new Set(clause.tokens)
  sets.set(clause, known)
  return known
}

function hasOneOf(tokens: ReadonlySet<string>, clause: Clause): boolean {
  const { tokens: wanted, prefixes = [] } = clause
  if (wanted.length > tokens.size) {
    const all = setOf(clause)
    for (const token of tokens) if (all.has(token)) return true
  } else if (wanted.some((token) => tokens.has(token))) return true
  if (prefixes.length === 0) return false
  for (const token of tokens) if (prefixes.some((prefix) => token.startsWith(prefix))) return true
  return false
}

/** The same as the index says, of an animal that it does not know yet. */
export function matches(tokens: ReadonlySet<string>, { clauses, without }: Question): boolean {
  if (!clauses.every((clause) => hasOneOf(tokens, clause))) return false
  return !without?.every((clause) => hasOneOf(tokens, clause))
}
