import type { IncomingHttpHeaders } from 'node:http'
import { type Coding, codingFor, encodedEtag, MIN_BYTES } from './coding.ts'
import { compress } from './compress.ts'

type Headers = { etag: string } & Record<string, string>

/** The body and headers of a 200, either compressed in one content coding or uncompressed. */
export interface Representation {
  /**
   * The body. A compressed body is a string with one byte per character, so Node can write body and head
   * together.
   */
  body: string
  /** Headers that a 304 also has. */
  headers: Headers
  /** All headers: `headers`, and the headers that describe the body. */
  allHeaders: Record<string, string>
  /**
   * The encoding of the string. Node copies a `latin1` string without conversion, because each character is
   * one byte.
   */
  encoding: 'latin1' | 'utf8'
}

/** Chooses the coding for a body of this many bytes. Small bodies are not compressed. */
export function codingForLength(length: number, headers: IncomingHttpHeaders): Coding | undefined {
  return length < MIN_BYTES ? undefined : codingFor(headers['accept-encoding'])
}

/**
 * Returns the headers of an encoded response. They do not depend on the compressed body, so a 304 need not
 * wait for it.
 */
export function encodedHeaders(headers: Headers, coding: Coding | undefined): Headers {
  return coding ? { ...headers, etag: encodedEtag(headers.etag, coding) } : headers
}

/** @returns undefined when too many other bodies are being compressed */
export async function encodeRepresentation(
  plain: Representation,
  coding: Coding,
): Promise<Representation | undefined> {
  const bytes = await compress(plain.body, coding)
  if (!bytes) return undefined
  const headers = encodedHeaders(plain.headers, coding)
  const length = String(bytes.length)
  const allHeaders = {
    ...plain.allHeaders,
    ...headers,
    'content-length': length,
    'content-encoding': coding,
  }
  return { body: bytes.toString('latin1'), headers, allHeaders, encoding: 'latin1' }
}
