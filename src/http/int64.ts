/** Plain decimal: no plus sign, leading zero or exponent. */
export const DECIMAL = /^(?:0|-?[1-9]\d{0,18})$/

const INT64_MIN = -(2n ** 63n)
const INT64_MAX = 2n ** 63n - 1n
export const INT64_RANGE = `from ${INT64_MIN} to ${INT64_MAX}`

/** Stands for every int64 that a number cannot represent exactly. It exceeds all stored ids and limits. */
export const UNSAFE_INT64 = 2 ** 53

/** @returns the integer if it is safe; ±UNSAFE_INT64 for any other int64; ±Infinity beyond int64 */
export function int64ToNumber(integer: bigint): number {
  const value = Number(integer)
  if (Number.isSafeInteger(value)) return value
  const isInt64 = integer >= INT64_MIN && integer <= INT64_MAX
  return Math.sign(value) * (isInt64 ? UNSAFE_INT64 : Number.POSITIVE_INFINITY)
}

/** Parses plain decimal text. @returns as `int64ToNumber`; undefined for other text and beyond an int64 */
export function parseInt64(text: string): number | undefined {
  if (!DECIMAL.test(text)) return undefined
  const value = int64ToNumber(BigInt(text))
  return Number.isFinite(value) ? value : undefined
}

/** Parses an id or a count. @returns undefined for any other text */
export function wholeNumberOf(text: unknown): number | undefined {
  return typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
