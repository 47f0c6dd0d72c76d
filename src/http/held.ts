import { promisify } from 'node:util'
import { brotliCompress, gzip, zstdCompress } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Coding, codedTag, codingFor } from './coding.ts'
import { etagOf, isKnown } from './conditional.ts'

/** As small as it goes: each is made once. */
const CODERS = { br: promisify(brotliCompress), zstd: promisify(zstdCompress), gzip: promisify(gzip) }

/** A file as it is sent, in each coding made when it is first asked for, and held once for all. */
export interface Held {
  type: string
  plain: Buffer
  etag: string
  coded: Partial<Record<Coding, Promise<Buffer>>>
}

export function hold(type: string, text: string): Held {
  return { type, plain: Buffer.from(text), etag: etagOf(text), coded: {} }
}

/**
 * Sends it as the client takes it. Each coding has an ETag of its own (RFC 9110, section 8.8.3.3).
 *
 * @param caching by default kept, but asked for each time: an upgrade or another setting changes it
 */
export async function sendHeld(
  request: FastifyRequest,
  reply: FastifyReply,
  held: Held,
  caching = 'no-cache',
): Promise<FastifyReply> {
  const coding = codingFor(request.headers['accept-encoding'])
  const etag = coding === undefined ? held.etag : codedTag(held.etag, coding)
  reply.headers({ etag, vary: 'Accept-Encoding, Origin', 'cache-control': caching })
  if (isKnown(request.headers, { etag })) return reply.code(304).send()
  reply.type(held.type)
  if (coding === undefined) return reply.send(held.plain)
  held.coded[coding] ??= CODERS[coding](held.plain)
  return reply.header('content-encoding', coding).send(await held.coded[coding])
}
