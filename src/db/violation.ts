/** SQLite's extended result for a broken foreign key (sqlite.org/rescode.html). */
const SQLITE_CONSTRAINT_FOREIGNKEY = 787

export function isForeignKeyViolation(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === SQLITE_CONSTRAINT_FOREIGNKEY
}
