import { isUtf8 } from 'node:buffer'
import { ApiError } from '../errors.ts'
import { toNumber } from './int64.ts'

/** Deeper than any body of ours; it keeps a bomb of brackets from costing more than a look. */
const MAX_DEPTH = 32

const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/gs

/** A number that JSON.parse may round or overflow: an exponent, or more digits than a double holds. */
const INEXACT = /\d[eE]|[\d.]{16}/

const BYTE_ORDER_MARK = '\uFEFF'

/**
 * A JSON body as a value (RFC 8259), stricter than JSON.parse where that would guess: bytes must be UTF-8,
 * a member may be named once, and no integer is rounded to another one.
 *
 * @param readLarge what becomes of an integer that a number cannot hold exactly
 * @throws {ApiError} invalid_json
 */
export function parseJson(bytes: Buffer, readLarge: (integer: bigint) => unknown = toNumber): unknown {
  if (!isUtf8(bytes)) throw new ApiError('invalid_json', { message: 'The body is not UTF-8.' })
  const text = bytes.toString()
  if (text.startsWith(BYTE_ORDER_MARK)) {
    const message =
      'The body begins with a byte order mark (BOM). Send it without one (RFC 8259, section 8.1).'
    throw new ApiError('invalid_json', { message })
  }
  const value = parse(text)
  checkStructure(text)
  // What only a string holds, the name of a member for example, is no number.
  if (!INEXACT.test(text) || !INEXACT.test(text.replaceAll(STRING, ''))) return value
  return JSON.parse(text, (_name, parsed: unknown, context?: { source?: string }) => {
    if (typeof parsed !== 'number' || context?.source === undefined) return parsed
    const exact = exactNumber(context.source)
    return typeof exact === 'bigint' ? readLarge(exact) : exact
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ApiError('invalid_json', { cause })
  }
}

/**
 * @param text valid JSON: in any other, a string without an end would cost its length for each quote
 * in it
 */
function checkStructure(text: string): void {
  const open: (Set<string> | undefined)[] = []
  let name = ''
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (character === '"') {
      const end = endOfString(text, at)
      name = text.slice(at, end + 1)
      at = end
      // In valid JSON a colon stands behind the name of a member, and nowhere else outside of a string.
    } else if (character === ':') checkMember(name, open.length, open.at(-1))
    else if (character === '{') open.push(new Set())
    else if (character === '[') open.push(undefined)
    else if (character === '}' || character === ']') open.pop()
    if (open.length > MAX_DEPTH) {
      throw new ApiError('invalid_json', { message: `The body is nested deeper than ${MAX_DEPTH} levels.` })
    }
  }
}

/** @returns the position of the quote that ends the string beginning at `start` */
function endOfString(text: string, start: number): number {
  let end = start
  let escapes = 0
  do {
    end = text.indexOf('"', end + 1)
    escapes = 0
    while (text[end - 1 - escapes] === '\\') escapes += 1
    // An odd number of backslashes before a quote: it belongs to the string.
  } while (escapes % 2 === 1)
  return end
}

/** @param depth of the object, 1 for the body itself @param members the names already met in it */
function checkMember(token: string, depth: number, members: Set<string> | undefined): void {
  const name: string = token.includes('\\') ? JSON.parse(token) : token.slice(1, -1)
  if (name === '__proto__') {
    const pointer = depth === 1 ? '/__proto__' : ''
    const message = 'No member may be named __proto__, at any depth.'
    throw new ApiError('validation_failed', { details: [{ pointer, code: 'invalid_value', message }] })
  }
  if (members?.has(name)) {
    const message = `The body names the member ${JSON.stringify(name.slice(0, 50))} more than once.`
    throw new ApiError('invalid_json', { message })
  }
  members?.add(name)
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i

/** An int64 has no more digits; what has is not worth reading all of them. */
const MAX_DIGITS = 19
const BEYOND = 10n ** BigInt(MAX_DIGITS)

/**
 * @param source a JSON number
 * @returns an integer exactly, up to the range of an int64, and beyond it some integer that is also
 * beyond it;
 * NaN for what is not a mathematical integer but would be rounded to one
 */
export function exactNumber(source: string): number | bigint {
  const value = Number(source)
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(source) ?? []
  const written = whole + fraction
  let end = written.length
  while (written[end - 1] === '0') end -= 1
  const digits = written.slice(0, end).replace(/^0+/, '')
  if (digits === '') return 0
  const places = Number(exponent) - fraction.length + written.length - end
  if (places < 0) return Number.isInteger(value) ? Number.NaN : value
  if (Number.isSafeInteger(value)) return value
  if (digits.length + places > MAX_DIGITS) return sign ? -BEYOND : BEYOND
  return BigInt(sign + digits + '0'.repeat(places))
}
