import { isUtf8 } from 'node:buffer'
import { ApiError } from '../errors.ts'

/** Deeper than any body of ours; it keeps a bomb of brackets from costing more than a look. */
const MOST_DEPTH = 32

/** A token that matters to the structure: a string (with its colon where it is a member's name) or a bracket. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}[\]]/gs

/** A number that JSON.parse may round or overflow: an exponent, or more digits than a double holds. */
const INEXACT = /\d[eE]|[\d.]{16}/

/**
 * A JSON body as a value (RFC 8259), stricter than JSON.parse where that would guess: bytes must be UTF-8,
 * a member may be named once, and an integer is exact: a bigint where a number would round it.
 *
 * @throws {ApiError} invalid_json
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new ApiError('invalid_json', { message: 'The body is not UTF-8.' })
  const text = bytes.toString()
  let value: unknown
  checkStructure(text)
  try {
    value = INEXACT.test(text) ? JSON.parse(text, exact) : JSON.parse(text)
  } catch (cause) {
    throw new ApiError('invalid_json', { cause })
  }
  return value
}

function checkStructure(text: string): void {
  const open: (Set<string> | undefined)[] = []
  for (const [token, colon] of text.matchAll(TOKEN)) {
    if (token === '{') open.push(new Set())
    else if (token === '[') open.push(undefined)
    else if (token === '}' || token === ']') open.pop()
    else if (colon !== undefined) checkMember(token.slice(0, -colon.length), open.at(-1))
    if (open.length > MOST_DEPTH) {
      throw new ApiError('invalid_json', { message: `The body is nested deeper than ${MOST_DEPTH} levels.` })
    }
  }
}

/** @param members the names already met in the same object; absent where the text is not valid JSON anyway */
function checkMember(token: string, members: Set<string> | undefined): void {
  const name = nameOf(token)
  if (name === '__proto__') {
    const detail = {
      pointer: '/__proto__',
      code: 'invalid_value',
      message: 'No member may have this name.',
    } as const
    throw new ApiError('validation_failed', { details: [detail] })
  }
  if (members?.has(name)) {
    const message = `The body names the member ${JSON.stringify(name.slice(0, 50))} more than once.`
    throw new ApiError('invalid_json', { message })
  }
  members?.add(name)
}

function nameOf(token: string): string {
  try {
    return JSON.parse(token)
  } catch {
    return token
  }
}

/** Reviver: an integer that a number would round becomes a bigint; what is no integer stays no integer. */
function exact(_name: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value
  return exactNumber(context.source)
}

/** Sizes beyond this many digits are outside of every range that we have. */
const MOST_DIGITS = 400

/** @param source a JSON number @returns NaN for what is not a mathematical integer but would be rounded to one */
export function exactNumber(source: string): number | bigint {
  const value = Number(source)
  const [mantissa = '', exponent = '0'] = source.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = whole + fraction
  const places = Number(exponent) - fraction.length
  if (/^-?0*$/.test(digits)) return 0
  if (digits.length > MOST_DIGITS || Math.abs(places) > MOST_DIGITS)
    return places > 0 ? BigInt(`1${'0'.repeat(MOST_DIGITS)}`) : Number.NaN
  const integer = integerOf(digits, places)
  if (integer === undefined) return Number.isInteger(value) ? Number.NaN : value
  return Number.isSafeInteger(Number(integer)) ? Number(integer) : integer
}

/** digits × 10^places, where that is an integer. */
function integerOf(digits: string, places: number): bigint | undefined {
  if (places >= 0) return BigInt(digits) * 10n ** BigInt(places)
  const kept = digits.slice(0, places)
  if (!/^0*$/.test(digits.slice(places))) return undefined
  return BigInt(kept === '' || kept === '-' ? '0' : kept)
}
