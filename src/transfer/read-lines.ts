import type { ApiError } from '../errors.ts'
import { parseJson } from '../http/json-body.ts'
import type { Line, Why } from './animal.ts'
import { Refused, reasonOf, tooLong } from './animal.ts'

/**
 * Of a line or a document. No line of ours has as many, nor a page of an API. Reading it may take fifty times
 * as much memory.
 */
const MAX_BYTES = 4 * 2 ** 20

const NEWLINE = 10
const BOM = Buffer.from('\uFEFF')

/** NDJSON: a value a line. Blank lines are passed over, and counted. */
export async function* readNdjson(input: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let number = 0
  for await (const bytes of linesOf(input)) {
    number += 1
    if (bytes === undefined) yield { number, problem: tooLong(MAX_BYTES) }
    else {
      const line = number === 1 ? withoutBom(bytes) : bytes
      if (!isBlank(line)) yield { number, ...parsed(line) }
    }
  }
}

/** One value, over as many lines as it takes. @throws when it is too large, or no JSON */
export async function* readJson(input: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of input) {
    size += chunk.length
    if (size > MAX_BYTES) throw new Error(`the file is longer than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  const { value, problem } = parsed(withoutBom(Buffer.concat(chunks)))
  if (problem) throw new Refused({ ...problem, message: `the file was not read: ${problem.message}` })
  yield { number: 1, value }
}

/** Without their ends; undefined stands for one that is too long. */
async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer | undefined> {
  let begun: Buffer[] = []
  let size = 0
  const take = (end: Buffer): Buffer | undefined => {
    const line = size + end.length > MAX_BYTES ? undefined : Buffer.concat([...begun, end])
    begun = []
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
    if (size > MAX_BYTES) begun = []
    else if (from < chunk.length) begun.push(chunk.subarray(from))
  }
  if (size > 0) yield take(Buffer.alloc(0))
}

function parsed(bytes: Buffer): { value: unknown; problem?: never } | { value?: never; problem: Why } {
  try {
    // An id of another program may be larger than a number can hold exactly.
    return { value: parseJson(bytes, (integer) => integer) }
  } catch (error) {
    return { problem: { code: 'not_json', message: reasonOf(error as ApiError).replace('The body', 'It') } }
  }
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 32 || byte === 9 || byte === 13)
}

function withoutBom(bytes: Buffer): Buffer {
  return bytes.subarray(0, BOM.length).equals(BOM) ? bytes.subarray(BOM.length) : bytes
}
