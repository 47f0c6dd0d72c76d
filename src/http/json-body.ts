import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import { int64ToNumber } from './int64.ts'

/** Maximum size of a body. Every object of the API is smaller. */
const MAX_BYTES = 65_536

const TOKEN = "[\\w!#$%&'*+.^`|~-]+"
const PARAMETER = `(?:charset=(?:utf-8|"utf-8")|(?!charset=)${TOKEN}=(?:${TOKEN}|"[^"\\\\]*"))`

/** JSON with any parameters. A charset must be UTF-8 (RFC 8259, section 8.1). */
const MEDIA_TYPE = new RegExp(
  `^(application/(?:merge-patch\\+)?json)[ \\t]*(?:;[ \\t]*(?:${PARAMETER}[ \\t]*)?)*$`,
  'i',
)

const JSON_WITH_PARAMETERS = /^application\/(?:merge-patch\+)?json[ \t]*;/i

/** Matches a charset such as utf8, which many libraries send. */
const OTHER_CHARSET = /\bcharset=(?!"?utf-8\b)/i

/** Media types of a PATCH (RFC 7396, RFC 5789). */
const PATCH_TYPES = ['application/merge-patch+json', 'application/json']

/** Reads a JSON body. @throws {ApiError} unsupported_media_type, invalid_json, payload_too_large */
export function readJson(
  request: FastifyRequest,
  payload: Readable,
  done: (error: Error | null, body?: unknown) => void,
): void {
  collectBody(payload, Number(request.headers['content-length']), MAX_BYTES, (error, body) => {
    try {
      if (error) throw error
      done(null, parseBody(request, body))
    } catch (thrown) {
      done(thrown as Error)
    }
  })
}

function parseBody(request: FastifyRequest, body: Buffer): unknown {
  // The body of a DELETE has no meaning (RFC 9110, section 9.3.5). Many clients send only a Content-Type.
  if (request.method === 'DELETE') return undefined
  const type = request.headers['content-type'] ?? ''
  const coding = request.headers['content-encoding'] ?? 'identity'
  const patch = request.method === 'PATCH'
  const name = MEDIA_TYPE.exec(type)?.[1]?.toLowerCase() ?? ''
  const accepted = patch ? PATCH_TYPES : ['application/json']
  if (!accepted.includes(name) || coding.toLowerCase() !== 'identity') {
    const headers: Record<string, string> = patch ? { 'accept-patch': PATCH_TYPES.join(', ') } : {}
    const charset = JSON_WITH_PARAMETERS.test(type) &&
      OTHER_CHARSET.test(type) && {
        message: 'JSON must be in UTF-8. Send charset=utf-8 or no charset.',
      }
    throw new ApiError('unsupported_media_type', { headers, ...charset })
  }
  if (request.headers['idempotency-key'] !== undefined) request.fingerprint = hash('sha256', body)
  return parseJson(body)
}

/** A body with more chunks must average MIN_CHUNK_BYTES per chunk, because each has a fixed cost. */
export const MAX_SMALL_CHUNKS = 2_048
export const MIN_CHUNK_BYTES = 16
const INITIAL_BYTES = 1_024

/**
 * Reads a request body into one buffer, so memory use follows the size of the body. A list of chunks could
 * take hundreds of times as much memory, because a client can make the chunks tiny.
 * @param declared Content-Length, or NaN when the header is absent
 * @param maxBytes a larger body is refused, and the rest of it is not read
 * @param done gets an ApiError: `payload_too_large`, or `bad_request` when the client leaves early
 */
export function collectBody(
  payload: Readable,
  declared: number,
  maxBytes: number,
  done: (error: Error | undefined, body: Buffer) => void,
): void {
  const tooLargeMessage = `The body is larger than ${maxBytes} bytes.`
  let body = Buffer.allocUnsafe(declared <= maxBytes ? declared : INITIAL_BYTES)
  let size = 0
  let chunks = 0

  function onChunk(chunk: Buffer): void {
    chunks += 1
    const newSize = size + chunk.length
    if (newSize > maxBytes) {
      finish(tooLarge(tooLargeMessage))
    } else if (chunks > MAX_SMALL_CHUNKS && newSize < chunks * MIN_CHUNK_BYTES) {
      finish(tooLarge('The body arrives in too many small chunks. Send larger chunks.'))
    } else {
      if (newSize > body.length)
        body = Buffer.concat([body.subarray(0, size)], Math.max(newSize, 2 * body.length))
      chunk.copy(body, size)
      size = newSize
    }
  }

  const onEarlyClose = (): void =>
    finish(new ApiError('bad_request', { message: 'The body is incomplete. Send the request again.' }))

  function finish(error?: Error): void {
    payload.off('data', onChunk).off('end', finish).off('error', finish).off('close', onEarlyClose)
    // Discards the rest of the body until the response is sent.
    if (error) payload.on('error', () => undefined).resume()
    done(error, body.subarray(0, size))
  }

  if (declared > maxBytes) done(tooLarge(tooLargeMessage), body)
  // The client may have left during the lookup of the key. A destroyed stream emits no more events.
  else if (payload.destroyed) onEarlyClose()
  else payload.on('data', onChunk).on('end', finish).on('error', finish).on('close', onEarlyClose)
}

function tooLarge(message: string): ApiError {
  return new ApiError('payload_too_large', { message, headers: { connection: 'close' } })
}

/** The maximum nesting depth, which no valid body reaches. Limits the cost of a body of brackets only. */
const MAX_DEPTH = 32

const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/gs

/** Matches numbers that JSON.parse may round: an exponent, or more digits than a double can represent. */
const INEXACT = /\d[eE]|[\d.]{16}/

const BYTE_ORDER_MARK = '\uFEFF'

/**
 * Parses a JSON body (RFC 8259) more strictly than JSON.parse. The bytes must be UTF-8, member names must be
 * unique, and no integer may be rounded to another integer.
 * @param readLarge converts an integer that a number cannot represent exactly
 * @throws {ApiError} invalid_json; validation_failed for a member named __proto__
 */
export function parseJson(bytes: Buffer, readLarge?: (integer: bigint) => unknown): unknown {
  const steps = parseInSteps(bytes, readLarge)
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

/**
 * Like `parseJson`, but yields after each pass over the bytes, so a large file does not block the event loop.
 * @yields 'numbers' before the last pass, which re-reads every value because a number may be rounded
 */
export function* parseInSteps(
  bytes: Buffer,
  readLarge: (integer: bigint) => unknown = int64ToNumber,
): Generator<'numbers' | undefined, unknown> {
  if (!isUtf8(bytes))
    throw new ApiError('invalid_json', { message: 'The body is not UTF-8. Send it in UTF-8.' })
  const text = bytes.toString()
  if (text.startsWith(BYTE_ORDER_MARK)) {
    const message =
      'The body begins with a byte order mark (BOM). Send it without one (RFC 8259, section 8.1).'
    throw new ApiError('invalid_json', { message })
  }
  yield undefined
  const value = parse(text)
  yield undefined
  checkStructure(text)
  yield undefined
  // Skips strings, because digits in a string, such as a member name, are not a number.
  if (!INEXACT.test(text) || !INEXACT.test(text.replaceAll(STRING, ''))) return value
  yield 'numbers'
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
 * Checks the depth and the member names.
 * @param text valid JSON. In invalid JSON, an unterminated string would make each quote cost as much as the
 *   whole string.
 */
function checkStructure(text: string): void {
  const open: (Set<string> | undefined)[] = []
  let name = ''
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]
    if (character === '"') {
      const end = endOfString(text, index)
      name = text.slice(index, end + 1)
      index = end
      // Outside of strings, a colon in valid JSON always follows a member name.
    } else if (character === ':') checkMember(name, open.length, open.at(-1))
    else if (character === '{') open.push(new Set())
    else if (character === '[') open.push(undefined)
    else if (character === '}' || character === ']') open.pop()
    if (open.length > MAX_DEPTH) {
      throw new ApiError('invalid_json', { message: `The body is nested deeper than ${MAX_DEPTH} levels.` })
    }
  }
}

/** @returns the index of the quote that ends the string */
function endOfString(text: string, start: number): number {
  let end = start
  let escapes = 0
  do {
    end = text.indexOf('"', end + 1)
    escapes = 0
    while (text[end - 1 - escapes] === '\\') escapes += 1
    // The quote is escaped if an odd number of backslashes precedes it.
  } while (escapes % 2 === 1)
  return end
}

/** @param depth of the object: 1 for the body itself @param members names seen so far in the object */
function checkMember(token: string, depth: number, members: Set<string> | undefined): void {
  const name: string = token.includes('\\') ? JSON.parse(token) : token.slice(1, -1)
  if (name === '__proto__') {
    const pointer = depth === 1 ? '/__proto__' : ''
    const message = 'No member may be named __proto__, at any depth.'
    throw new ApiError('validation_failed', { details: [{ pointer, code: 'invalid_value', message }] })
  }
  if (members?.has(name)) {
    const message = `The member ${JSON.stringify(name.slice(0, 50))} appears more than once. Send it once.`
    throw new ApiError('invalid_json', { message })
  }
  members?.add(name)
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i

/** The maximum number of digits of an int64. Longer numbers are always out of range. */
const MAX_DIGITS = 19
const OUT_OF_RANGE = 10n ** BigInt(MAX_DIGITS)

/**
 * Reads a JSON number exactly.
 * @returns a number for a safe integer, and a bigint for a larger integer. Beyond int64, the bigint may be
 *   another integer that is also beyond int64. Returns NaN for a fraction that would be rounded to an integer
 */
export function exactNumber(source: string): number | bigint {
  const value = Number(source)
  const [, sign = '', integerPart = '', fraction = '', exponent = '0'] = NUMBER.exec(source) ?? []
  const allDigits = integerPart + fraction
  let end = allDigits.length
  while (allDigits[end - 1] === '0') end -= 1
  const digits = allDigits.slice(0, end).replace(/^0+/, '')
  if (digits === '') return 0
  const shift = Number(exponent) - fraction.length + allDigits.length - end
  if (shift < 0) return Number.isInteger(value) ? Number.NaN : value
  if (Number.isSafeInteger(value)) return value
  if (digits.length + shift > MAX_DIGITS) return sign ? -OUT_OF_RANGE : OUT_OF_RANGE
  return BigInt(sign + digits + '0'.repeat(shift))
}
