import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { etagOf, isKnown } from './conditional.ts'

const CODERS = { br: promisify(brotliCompress), gzip: promisify(gzip) }
type Coding = keyof typeof CODERS

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

/** Sends it as the client takes it. Each coding has an ETag of its own (RFC 9110, section 8.8.3.3). */
export async function sendHeld(
  request: FastifyRequest,
  reply: FastifyReply,
  held: Held,
): Promise<FastifyReply> {
  const coding = codingFor(request.headers['accept-encoding'])
  const etag = coding === undefined ? held.etag : held.etag.replace(/"$/, `-${coding}"`)
  // Kept, but asked for each time: an upgrade or another setting changes it.
  reply.headers({ etag, vary: 'Accept-Encoding, Origin', 'cache-control': 'no-cache' })
  if (isKnown(request.headers, { etag })) return reply.code(304).send()
  reply.type(held.type)
  if (coding === undefined) return reply.send(held.plain)
  held.coded[coding] ??= CODERS[coding](held.plain)
  return reply.header('content-encoding', coding).send(await held.coded[coding])
}

/** The coding that the client likes most, the smaller one of equals (RFC 9110, section 12.5.3). */
function codingFor(acceptEncoding = ''): Coding | undefined {
  const weights = new Map<string, number>()
  for (const one of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = one.split(';').map((part) => part.trim())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)))
  }
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0
  const best = weightOf('br') >= weightOf('gzip') ? 'br' : 'gzip'
  const isTaken = weightOf(best) > 0 && weightOf(best) >= (weights.get('identity') ?? 0)
  return isTaken ? best : undefined
}
