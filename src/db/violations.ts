/**
 * Violated constraints: SQLite's extended result codes (sqlite.org/rescode.html) and PostgreSQL's SQLSTATEs.
 */
const FOREIGN_KEY = { sqlite: 787, postgres: '23503' }
const UNIQUE = { sqlite: 2067, postgres: '23505' }

export function isForeignKeyViolation(error: unknown): boolean {
  return isViolation(error, FOREIGN_KEY)
}

export function isUniqueViolation(error: unknown): boolean {
  return isViolation(error, UNIQUE)
}

function isViolation(error: unknown, { sqlite, postgres }: typeof UNIQUE): boolean {
  const { errcode, code } = error as { errcode?: number; code?: string }
  return errcode === sqlite || code === postgres
}
