import { DECIMAL } from './query.ts'

export const INT64_MIN = -(2n ** 63n)
export const INT64_MAX = 2n ** 63n - 1n

/** Whether a whole number, however it is held, is in the range of an int64. */
export function isInt64(value: number | bigint): boolean {
  return value >= INT64_MIN && value <= INT64_MAX
}

/** A text as an int64, exact; undefined when it is not one in plain decimal. */
export function int64(text: string): bigint | undefined {
  if (!DECIMAL.test(text)) return undefined
  const value = BigInt(text)
  return isInt64(value) ? value : undefined
}
