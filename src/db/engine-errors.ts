/** The SQLSTATE of a statement that exceeded its time limit. */
const QUERY_CANCELED = '57014'

/** Whether PostgreSQL canceled a statement because it exceeded its time limit. */
export const isTimeout = (error: unknown): boolean =>
  [error, (error as Error).cause].some(
    (one) => (one as { code?: string } | undefined)?.code === QUERY_CANCELED,
  )

/** SQLite's result codes for failed I/O and for a read-only file. */
const IO_ERROR = 10
const READ_ONLY = 8

/** Checks whether the disk failed. The disk may then have any part of the last write. */
export function isDiskFailure(error: unknown): boolean {
  return hasResult(error, IO_ERROR)
}

/** Checks whether the file is open read-only, which SQLite silently does if it cannot write the file. */
export function isReadOnly(error: unknown): boolean {
  return hasResult(error, READ_ONLY)
}

/** Compares SQLite's primary result code, which is the low byte of the extended one. */
function hasResult(error: unknown, result: number): boolean {
  const { errcode } = error as { errcode?: number }
  return errcode !== undefined && (errcode & 0xff) === result
}

/** Whether a concurrent transaction made the database roll this one back (serialization or deadlock). */
export function isConflict(error: unknown): boolean {
  const { cause } = error as { cause?: { code?: string } }
  return cause?.code === '40001' || cause?.code === '40P01'
}

/** Violated constraints: SQLite's codes (sqlite.org/rescode.html) and PostgreSQL's SQLSTATEs. */
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
