import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { mayCompress } from './cache-headers.ts'
import { type Coding, codingFor, MIN_BYTES } from './coding.ts'

/**
 * Limits compression, which shares the thread pool with file reads and DNS. Above the limit, responses are
 * sent uncompressed.
 */
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

type Done = (error?: Error | null, payload?: unknown) => void

/**
 * `onSend` hook: compresses a response in the coding that the client prefers. Skips responses with an ETag,
 * which send-page.ts compresses together with making the ETag.
 */
export function compressRouted(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: Done,
): void {
  const coding = codingFor(request.headers['accept-encoding'])
  const encoded =
    coding &&
    (typeof payload === 'string' || Buffer.isBuffer(payload)) &&
    Buffer.byteLength(payload) >= MIN_BYTES &&
    mayCompress(request, reply) &&
    !reply.hasHeader('etag') &&
    compress(payload, coding)
  if (!encoded) {
    done()
    return
  }
  encoded.then((bytes) => {
    reply.header('content-encoding', coding)
    done(null, bytes)
  }, done)
}
