/** SQLite's extended results for a broken constraint (sqlite.org/rescode.html). */
const SQLITE_CONSTRAINT_FOREIGNKEY = 787

const SQLITE_CONSTRAINT_UNIQUE = 2067

export function isForeignKeyViolation(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === SQLITE_CONSTRAINT_FOREIGNKEY
}

export function isUniqueViolation(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === SQLITE_CONSTRAINT_UNIQUE
}
