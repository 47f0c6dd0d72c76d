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

/** SQLite's results for a read, write or sync that failed, and for a file that may only be read. */
const IO_ERROR = 10
const READ_ONLY = 8

/** Whether the disk failed, and so may have kept any part of what it was given. */
export function isDiskFailure(error: unknown): boolean {
  return hasResult(error, IO_ERROR)
}

/** Whether the file was opened to read only: so does SQLite, without a word, what it cannot open to write. */
export function isReadOnly(error: unknown): boolean {
  return hasResult(error, READ_ONLY)
}

/** Of SQLite, whatever it says beyond. */
function hasResult(error: unknown, result: number): boolean {
  const { errcode } = error as { errcode?: number }
  return errcode !== undefined && (errcode & 0xff) === result
}

/** Whether two changes were in each other's way, so that the one undone may be made again. */
export function isConflict(error: unknown): boolean {
  const { cause } = error as { cause?: { code?: string } }
  return cause?.code === '40001' || cause?.code === '40P01'
}
