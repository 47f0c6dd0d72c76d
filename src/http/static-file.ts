import { promisify } from 'node:util'
import { brotliCompress, gzip, zstdCompress } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Coding, codingFor, encodedEtag } from './compress.ts'
import { etagOf, isNotModified } from './conditional.ts'

/** Uses the default compression levels, which are the highest, because each file is compressed only once. */
const CODERS = { br: promisify(brotliCompress), zstd: promisify(zstdCompress), gzip: promisify(gzip) }

/** A file that is served unchanged. Each content coding is made on first use, then stored. */
export interface StaticFile {
  type: string
  plain: Buffer
  etag: string
  encoded: Partial<Record<Coding, Promise<Buffer>>>
}

export function createStaticFile(type: string, text: string): StaticFile {
  return { type, plain: Buffer.from(text), etag: etagOf(text), encoded: {} }
}

/**
 * Sends the file in the coding that the client prefers. Each coding has its own ETag (RFC 9110, section
 * 8.8.3.3).
 * @param caching Cache-Control. By default caches must revalidate, because an upgrade or a setting may change
 *   the file.
 */
export async function sendStaticFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: StaticFile,
  caching = 'no-cache',
): Promise<FastifyReply> {
  const coding = codingFor(request.headers['accept-encoding'])
  const etag = coding === undefined ? file.etag : encodedEtag(file.etag, coding)
  reply.headers({ etag, vary: 'Accept-Encoding, Origin', 'cache-control': caching })
  if (isNotModified(request.headers, { etag })) return reply.code(304).send()
  reply.type(file.type)
  if (coding === undefined) return reply.send(file.plain)
  file.encoded[coding] ??= CODERS[coding](file.plain)
  return reply.header('content-encoding', coding).send(await file.encoded[coding])
}
