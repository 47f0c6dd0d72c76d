import { setImmediate as turn } from 'node:timers/promises'
import { ApiError } from '../errors.ts'
import { parseInSteps } from '../http/json-body.ts'
import { yieldToEventLoop } from '../http/turns.ts'
import type { Line } from './animal.ts'
import { RefusalError, type RefusalReason, tooLong, tooMany, toRefusal } from './report.ts'

/** Maximum length of a line or a document. Parsing may take fifty times this length in memory. */
const MAX_BYTES = 4 * 2 ** 20
/** Maximum number of members and items in a line or a document. A page of 250 animals has about 30,000. */
const MAX_VALUES = 50_000
/** The maximum if a number has more than 15 digits, because the parser then checks every value. */
const MAX_VALUES_WITH_LONG_NUMBERS = 20_000
/** A line up to this length is parsed without yielding. */
const SMALL_BYTES = 2 ** 16

/** A document that is an array may be longer than a line: the limits above apply to each of its items. */
const MAX_ARRAY_BYTES = 10_000_000
const MAX_ITEMS = 100_000
/** Maximum number of members and items in the complete array, which is in memory at once. */
const MAX_ARRAY_VALUES = 1_000_000

const NEWLINE = 10
const BOM = Buffer.from('\uFEFF')

/** NDJSON: one value per line. Blank lines are skipped but counted. */
export async function* readNdjson(input: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let number = 0
  for await (const bytes of splitLines(input)) {
    number += 1
    if (bytes === undefined) yield { number, problem: tooLong(MAX_BYTES) }
    else {
      const line = number === 1 ? withoutBom(bytes) : bytes
      if (!line.every(isSpace)) yield { number, ...(await parse(line)) }
    }
  }
}

/** Reads the file as one JSON value. @throws {RefusalError} if it is too large or not JSON */
export async function* readJson(input: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of input) {
    size += chunk.length
    if (size > MAX_ARRAY_BYTES) throw new RefusalError(`the file is longer than ${MAX_ARRAY_BYTES} bytes`)
    chunks.push(chunk)
  }
  const bytes = withoutBom(Buffer.concat(chunks))
  const start = bytes.findIndex((byte) => !isSpace(byte))
  const { value, problem } = await (bytes[start] === BRACKET ? parseArray(bytes, start) : parse(bytes))
  if (problem) throw new RefusalError({ ...problem, message: `the file was not read: ${problem.message}` })
  yield { number: 1, value }
}

/** Parses an array item by item, yielding to other work. @param start the position of its bracket */
async function parseArray(bytes: Buffer, start: number): Promise<ParseResult> {
  const items: unknown[] = []
  let count = 0
  for (const item of itemsOf(bytes, start)) {
    await yieldToEventLoop()
    if (item === 'not_json') return { problem: notJson(new ApiError('invalid_json')) }
    if (item === 'more') continue
    if (items.length === MAX_ITEMS) return { problem: tooMany(MAX_ITEMS, 'items') }
    const values = countValues(item)
    count += values
    if (count > MAX_ARRAY_VALUES) return { problem: tooMany(MAX_ARRAY_VALUES, 'members and items') }
    const { value, problem } = await parse(item, values)
    if (problem) return { problem }
    items.push(value)
  }
  return { value: items }
}

const SCAN_BYTES = 2 ** 18

/** Yields the unparsed items of an array. Yields 'more' now and then while it scans a long item. */
function* itemsOf(bytes: Buffer, start: number): Generator<Buffer | 'more' | 'not_json'> {
  let [from, depth, paused] = [start + 1, 1, start]
  let at = from
  for (; at < bytes.length && depth > 0; at += 1) {
    const byte = bytes[at]
    if (byte === QUOTE) at = endOfString(bytes, at)
    else if (byte === BRACE || byte === BRACKET) depth += 1
    else if (byte === BRACE_END || byte === BRACKET_END) depth -= 1
    const isEmpty = depth === 0 && from === start + 1 && bytes.subarray(from, at).every(isSpace)
    if ((depth === 0 && !isEmpty) || (depth === 1 && byte === COMMA)) {
      yield bytes.subarray(from, at)
      from = at + 1
    } else if (at - paused > SCAN_BYTES) {
      yield 'more'
      paused = at
    }
  }
  if (depth > 0 || bytes[at - 1] !== BRACKET_END || !bytes.subarray(at).every(isSpace)) yield 'not_json'
}

/** Lines without their line ends; undefined for a line that is too long. */
async function* splitLines(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer | undefined> {
  let parts: Buffer[] = []
  let size = 0
  const take = (end: Buffer): Buffer | undefined => {
    const line = size + end.length > MAX_BYTES ? undefined : Buffer.concat([...parts, end])
    parts = []
    size = 0
    return line
  }
  for await (const chunk of input) {
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const rest = chunk.subarray(from, end)
      yield size === 0 ? rest : take(rest)
      from = end + 1
    }
    size += chunk.length - from
    if (size > MAX_BYTES) parts = []
    else if (from < chunk.length) parts.push(chunk.subarray(from))
  }
  if (size > 0) yield take(Buffer.alloc(0))
}

type ParseResult = { value: unknown; problem?: never } | { value?: never; problem: RefusalReason }

/** @param values the number of members and items in the bytes, if it is known */
async function parse(bytes: Buffer, values?: number): Promise<ParseResult> {
  if (bytes.length > MAX_BYTES) return { problem: tooLong(MAX_BYTES) }
  const isLarge = bytes.length > SMALL_BYTES
  const count = isLarge ? (values ?? countValues(bytes)) : 0
  if (count > MAX_VALUES) return { problem: tooMany(MAX_VALUES, 'members and items') }
  try {
    // An id of another program may be larger than a JavaScript number can represent exactly.
    const steps = parseInSteps(bytes, (integer) => integer)
    let step = steps.next()
    while (!step.done) {
      if (step.value === 'numbers' && count > MAX_VALUES_WITH_LONG_NUMBERS)
        return {
          problem: tooMany(
            MAX_VALUES_WITH_LONG_NUMBERS,
            'members and items in a document with numbers of more than 15 digits',
          ),
        }
      if (isLarge) await turn()
      step = steps.next()
    }
    return { value: step.value }
  } catch (error) {
    return { problem: notJson(error) }
  }
}

const notJson = (error: unknown): RefusalReason => ({
  code: 'not_json',
  message: toRefusal(error).reason.replace('The body', 'It'),
})

const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44]
const [BRACE, BRACE_END, BRACKET, BRACKET_END] = [123, 125, 91, 93]

/** The number of members and items in JSON, plus one for each array and object. */
function countValues(bytes: Buffer): number {
  let count = 0
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === QUOTE) at = endOfString(bytes, at)
    else if (byte === COMMA || byte === BRACE || byte === BRACKET) count += 1
  }
  return count
}

/** @returns the position of the quote that ends the string beginning at `start`, or beyond the end */
function endOfString(bytes: Buffer, start: number): number {
  let at = start + 1
  for (; at < bytes.length && bytes[at] !== QUOTE; at += 1) if (bytes[at] === BACKSLASH) at += 1
  return at
}

/** White space of JSON (RFC 8259, section 2). */
const isSpace = (byte: number): boolean => byte === 32 || byte === 9 || byte === NEWLINE || byte === 13

function withoutBom(bytes: Buffer): Buffer {
  return bytes.subarray(0, BOM.length).equals(BOM) ? bytes.subarray(BOM.length) : bytes
}
