import type { IncomingHttpHeaders } from 'node:http'
import { type Coding, codedTag, codingFor, MIN_BYTES } from './coding.ts'
import { compress } from './compress.ts'

type Headers = { etag: string } & Record<string, string>

/** An answer of 200 as it is sent, in one coding or in none. */
export interface Form {
  /** Of one that is compressed, each byte as a character: Node writes it in one piece with the head. */
  body: string
  /** Those that a 304 has too. */
  headers: Headers
  /** `headers`, and those that tell of the body. */
  allHeaders: Record<string, string>
  /** Where each character is one byte, Node need not look at them again. */
  encoding: 'latin1' | 'utf8'
}

/** @param length in bytes @returns how this client is to get an answer of this length */
export function codingOf(length: number, headers: IncomingHttpHeaders): Coding | undefined {
  return length < MIN_BYTES ? undefined : codingFor(headers['accept-encoding'])
}

/** Known before the body is compressed, which a 304 need not wait for. */
export function codedHeaders(headers: Headers, coding: Coding | undefined): Headers {
  return coding ? { ...headers, etag: codedTag(headers.etag, coding) } : headers
}

/** @returns undefined when enough others are being compressed */
export async function codedForm(plain: Form, coding: Coding): Promise<Form | undefined> {
  const bytes = await compress(plain.body, coding)
  if (!bytes) return undefined
  const headers = codedHeaders(plain.headers, coding)
  const length = String(bytes.length)
  const allHeaders = {
    ...plain.allHeaders,
    ...headers,
    'content-length': length,
    'content-encoding': coding,
  }
  return { body: bytes.toString('latin1'), headers, allHeaders, encoding: 'latin1' }
}
