/** Plain decimal: no sign but minus, no leading zero, no exponent. */
export const DECIMAL = /^(?:0|-?[1-9]\d{0,18})$/

const INT64_MIN = -(2n ** 63n)
const INT64_MAX = 2n ** 63n - 1n
export const INT64_RANGE = `from ${INT64_MIN} to ${INT64_MAX}`

/**
 * Stands for every int64 that a number cannot hold exactly. It names nothing, because no id in a store is
 * larger than 2^53 - 1, and it is beyond every limit.
 */
export const UNSAFE_INT64 = 2 ** 53

/**
 * @returns the integer exactly, or UNSAFE_INT64 with the sign of the integer; ±Infinity for an integer
 * beyond the range of an int64
 */
export function toNumber(integer: bigint): number {
  const value = Number(integer)
  if (Number.isSafeInteger(value)) return value
  const isInt64 = integer >= INT64_MIN && integer <= INT64_MAX
  return Math.sign(value) * (isInt64 ? UNSAFE_INT64 : Number.POSITIVE_INFINITY)
}

/** A text as an int64, as `toNumber` gives it; undefined when it is not one in plain decimal. */
export function int64(text: string): number | undefined {
  if (!DECIMAL.test(text)) return undefined
  const value = toNumber(BigInt(text))
  return Number.isFinite(value) ? value : undefined
}
