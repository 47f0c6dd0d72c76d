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
