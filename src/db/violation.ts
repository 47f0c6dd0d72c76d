/** SQLite's extended results for a broken constraint (sqlite.org/rescode.html), and PostgreSQL's SQLSTATE. */
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

/** SQLite's result for a read, write or sync that failed, whatever it says beyond. */
const IO_ERROR = 10

/** Whether the disk failed, and so may have kept any part of what it was given. */
export function isDiskFailure(error: unknown): boolean {
  const { errcode } = error as { errcode?: number }
  return errcode !== undefined && (errcode & 0xff) === IO_ERROR
}

/** Whether two changes were in each other's way, so that the one undone may be made again. */
export function isConflict(error: unknown): boolean {
  const { cause } = error as { cause?: { code?: string } }
  return cause?.code === '40001' || cause?.code === '40P01'
}
