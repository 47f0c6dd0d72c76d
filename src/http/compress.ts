import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'

/** Supported content codings, smallest output first (RFC 9110, section 8.4.1). */
export const CODINGS = ['br', 'zstd', 'gzip'] as const
export type Coding = (typeof CODINGS)[number]

/** Smaller responses are not compressed, because they fit into one packet anyway. */
export const MIN_BYTES = 1_024

/**
 * Chooses the coding that the client prefers (RFC 9110, section 12.5.3); of several with the same weight, the
 * one with the smallest output. A client that refuses `identity` and all our codings gets an uncompressed
 * response, as section 12.4.1 allows.
 * @param header Accept-Encoding
 * @returns undefined if the response must not be compressed
 */
export function codingFor(header: string | undefined): Coding | undefined {
  if (header === undefined) return undefined
  const weights = new Map<string, number>()
  for (const item of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim())
    // `x-gzip` means `gzip` (section 8.4.1.3).
    weights.set(name === 'x-gzip' ? 'gzip' : name, weightOf(parameters))
  }
  const weightFor = (coding: Coding) => weights.get(coding) ?? weights.get('*') ?? 0
  const highest = Math.max(...CODINGS.map(weightFor))
  if (highest === 0 || highest < (weights.get('identity') ?? 0)) return undefined
  return CODINGS.find((coding) => weightFor(coding) === highest)
}

/** The ETag of an encoded response: a strong ETag identifies exact bytes (RFC 9110, section 8.8.3.3). */
export function encodedEtag(etag: string, coding: Coding): string {
  return `${etag.slice(0, -1)}-${coding}"`
}

/** Reads a weight. An invalid one counts as 0, so nothing is compressed unless the client clearly asks. */
function weightOf(parameters: string[]): number {
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  if (weight === undefined) return 1
  return /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight.slice(2)) : 0
}

/** Limits compression, which shares the thread pool with file reads and DNS. The rest stays uncompressed. */
const MAX_CONCURRENCY = 8

/** Higher levels save little more. Brotli below 5 compresses prose worse than gzip. */
const BROTLI = {
  [constants.BROTLI_PARAM_QUALITY]: 5,
  [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
}
const ZSTD = { [constants.ZSTD_c_compressionLevel]: 3 }

const CODERS: Record<Coding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: { ...BROTLI, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  zstd: (bytes) => promisify(zstdCompress)(bytes, { params: ZSTD, pledgedSrcSize: bytes.length }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 6 }),
}

let running = 0

/** Compresses in the thread pool. @returns undefined when MAX_CONCURRENCY is reached */
export function compress(text: string | Buffer, coding: Coding): Promise<Buffer> | undefined {
  if (running >= MAX_CONCURRENCY) return undefined
  running += 1
  return CODERS[coding](Buffer.from(text)).finally(() => {
    running -= 1
  })
}

type Headers = { etag: string } & Record<string, string>

/** The body and headers of a 200, either compressed in one content coding or uncompressed. */
export interface Representation {
  /** A compressed body has one byte per character, so Node can write body and head together. */
  body: string
  /** Headers that a 304 also has. */
  headers: Headers
  /** All headers: `headers`, and the headers that describe the body. */
  allHeaders: Record<string, string>
  /** The encoding of the string. Node copies `latin1` as it is, because each character is one byte. */
  encoding: 'latin1' | 'utf8'
}

/** Chooses the coding for a body of this many bytes. Small bodies are not compressed. */
export function codingForLength(length: number, headers: IncomingHttpHeaders): Coding | undefined {
  return length < MIN_BYTES ? undefined : codingFor(headers['accept-encoding'])
}

/** Returns headers that do not depend on the compressed body, so a 304 need not wait for it. */
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
