import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { ApiError } from '../errors.ts'
import type { App } from '../http/app.ts'
import { isKnown } from '../http/conditional.ts'
import type { Admission } from '../http/face.ts'
import { counterOfAddress } from '../limits/address.ts'
import { isGone, keepRenditions, unavailable } from './files.ts'
import type { Asking } from './renderer/turns.ts'
import { PHOTOS_PATH } from './storage/kept.ts'
import { fileName, type Rendition, readFileName, renditionOf } from './storage/renditions.ts'
import type { Span } from './storage/store.ts'
import { known } from './store.ts'

type FileRequest = FastifyRequest<{ Params: { file: string }; Querystring: { format?: string } }>

/**
 * What is under such an address stays as it is for ever, and everybody may have it, in a page of any origin.
 * As a page of its own it may do nothing.
 */
const HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'content-security-policy': "default-src 'none'; sandbox",
  'accept-ranges': 'bytes',
}

/**
 * Gives the files of photos to whoever asks, without a key or a limit.
 *
 * @param charge counts a request for what is not there to the client's address
 */
export function photoFileRoutes(
  app: App,
  { db, photos }: Context,
  charge: (request: FastifyRequest) => Admission | Promise<Admission>,
): void {
  /** The size of a file, which is made now where it is one of a photo and has not been made yet. */
  async function sizeOf(
    request: FastifyRequest,
    hash: string,
    rendition: Rendition,
  ): Promise<number | undefined> {
    const name = fileName(hash, rendition)
    const size = await photos.store.size(name).catch(unavailable)
    if (size !== undefined) return size
    if ((await known(db, [hash])).has(hash)) {
      await keepRenditions({ db, photos }, hash, [rendition], asking(request))
      return photos.store.size(name).catch(unavailable)
    }
    // Whoever tries names of photos that nobody gave out has only so many.
    const { refusal } = await charge(request)
    if (refusal) throw refusal
    return undefined
  }

  async function give(request: FileRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { method, params, query, headers } = request
    const named = readFileName(params.file)
    if (!named) throw new ApiError('photo_not_found')
    const rendition = query.format === 'jpeg' ? 'jpeg' : named.rendition
    const name = fileName(named.hash, rendition)
    const size = await sizeOf(request, named.hash, rendition)
    if (size === undefined) throw new ApiError('photo_not_found')
    const etag = `"${name}"`
    const shown = { ...HEADERS, etag, 'content-type': renditionOf(rendition).type }
    if (isKnown(headers, { etag })) return reply.headers(shown).code(304).send()
    if (method === 'HEAD') return reply.headers({ ...shown, 'content-length': size }).send()

    const span = spanOf(headers, etag, size)
    const reading = await photos.store.read(name, span).catch(unavailable)
    if (!reading) throw new ApiError('photo_not_found')
    const { bytes } = reading
    if (!span) return reply.headers({ ...shown, 'content-length': size }).send(bytes)
    const { first, last } = span
    const part = { 'content-length': last - first + 1, 'content-range': `bytes ${first}-${last}/${size}` }
    return reply
      .code(206)
      .headers({ ...shown, ...part })
      .send(bytes)
  }

  // HEAD by itself: what Fastify makes of GET would read the file.
  const route = { method: ['GET', 'HEAD'], url: `${PHOTOS_PATH}/:file`, config: { open: true } }
  app.route({ ...route, handler: (request, reply) => give(request as FileRequest, reply) })
}

/** Visitors take turns by their addresses; what nobody waits for any more is not made. */
function asking({ ip, raw }: FastifyRequest): Asking {
  return { caller: counterOfAddress(ip), isUpload: false, isGone: () => isGone(raw) }
}

/**
 * The one range that a client asks for (RFC 9110, section 14.2), as long as it has the same file in mind; of
 * several, and of what is no range, it gets the whole.
 *
 * @throws {ApiError} range_not_satisfiable
 */
function spanOf(headers: FastifyRequest['headers'], etag: string, size: number): Span | undefined {
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(headers.range ?? '') ?? []
  const same = headers['if-range'] === undefined || headers['if-range'] === etag
  if (from === undefined || to === undefined || from + to === '' || !same) return undefined
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (first <= last) return { first, last }
  throw new ApiError('range_not_satisfiable', { headers: { 'content-range': `bytes */${size}` } })
}
