import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { mayBeCoded } from './cache-headers.ts'
import { type Coding, codingFor, MIN_BYTES } from './coding.ts'

/**
 * So many are compressed at once, and others go out as they are: the threads that do it also read files and
 * look up names, and each takes memory.
 */
const MAX_CONCURRENCY = 8

/** Levels above these save little more. Brotli below 5 finds less in prose than gzip does. */
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

/** Beside the event loop. @returns undefined when enough others are being compressed */
export function compress(text: string, coding: Coding): Promise<Buffer> | undefined {
  if (running >= MAX_CONCURRENCY) return undefined
  running += 1
  return CODERS[coding](Buffer.from(text)).finally(() => {
    running -= 1
  })
}

type Done = (error?: Error | null, payload?: unknown) => void

/**
 * Hook: an answer of a route, in the coding that the client likes most. One with an ETag was coded where that
 * was made (send-page.ts).
 */
export function compressRouted(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: Done,
): void {
  const coding = codingFor(request.headers['accept-encoding'])
  const coded =
    coding &&
    typeof payload === 'string' &&
    Buffer.byteLength(payload) >= MIN_BYTES &&
    mayBeCoded(request, reply) &&
    !reply.hasHeader('etag') &&
    compress(payload, coding)
  if (!coded) {
    done()
    return
  }
  coded.then((bytes) => {
    reply.header('content-encoding', coding)
    done(null, bytes)
  }, done)
}
