import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { ApiError } from '../errors.ts'
import type { App } from '../http/app.ts'
import { isNotModified } from '../http/conditional.ts'
import type { Admission } from '../http/face.ts'
import { counterOfAddress } from '../limits/accounts.ts'
import { partyOf } from '../limits/shares.ts'
import { isClientGone, renderMissing, throwUnavailable } from './files.ts'
import type { RenderClient } from './renderer/fair-queue.ts'
import { type ByteRange, fileName, type Rendition, readFileName, renditionOf } from './storage/photo-files.ts'
import { PHOTOS_PATH } from './storage/stored-photo.ts'
import { listUsedHashes } from './store.ts'

type FileRequest = FastifyRequest<{ Params: { file: string }; Querystring: { format?: string } }>

/**
 * A photo file is public and never changes, and pages of any origin may show it. The policy blocks scripts
 * and requests if a browser opens the file as a page.
 */
const HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'content-security-policy': "default-src 'none'; sandbox",
  'accept-ranges': 'bytes',
}

/**
 * Serves the files of photos to every client, without a key and without a rate limit.
 * @param charge counts a request for an unknown photo against the limit of the client's address
 */
export function photoFileRoutes(
  app: App,
  { db, photos, shares }: Context,
  charge: (request: FastifyRequest) => Admission | Promise<Admission>,
): void {
  /** Hashes of photos that existed when they were last looked up. */
  const knownHashes = new Set<string>()
  /** Addresses that have used up their limit. A request from such an address is charged before a lookup. */
  const usedUp = new Set<string>()

  /** Charges a request, so clients cannot guess names of photos indefinitely. @throws {ApiError} */
  async function chargeRequest(request: FastifyRequest): Promise<void> {
    const { refusal } = await charge(request)
    const address = counterOfAddress(request.ip)
    if (!refusal) return void usedUp.delete(address)
    remember(usedUp, address)
    throw refusal
  }

  /**
   * Checks in the store whether a photo exists, because a check of the files could need a request to a
   * bucket. Limits the concurrent lookups of an address. Once the address has used up its limit, waiting
   * requests are refused without a lookup.
   */
  function lookUpOrCharge(request: FastifyRequest, hash: string): Promise<boolean> {
    return shares.reads.run(partyOf(request), async () => {
      const chargesFirst = usedUp.has(counterOfAddress(request.ip))
      if (chargesFirst) await chargeRequest(request)
      const isKnown = (await listUsedHashes(db, [hash])).has(hash)
      if (isKnown) remember(knownHashes, hash)
      else knownHashes.delete(hash)
      if (!isKnown && !chargesFirst) await chargeRequest(request)
      return isKnown
    })
  }

  /** The size of a file in bytes. Makes the file if the photo exists and the file does not exist yet. */
  async function ensureFile(
    request: FastifyRequest,
    hash: string,
    rendition: Rendition,
  ): Promise<number | undefined> {
    const wasKnown = knownHashes.has(hash)
    if (!wasKnown && !(await lookUpOrCharge(request, hash))) return undefined
    const name = fileName(hash, rendition)
    const size = await photos.store.size(name).catch(throwUnavailable)
    if (size !== undefined) return size
    if (wasKnown && !(await lookUpOrCharge(request, hash))) return undefined
    await renderMissing({ db, photos }, hash, [rendition], renderClient(request))
    return photos.store.size(name).catch(throwUnavailable)
  }

  async function serveFile(request: FileRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { method, params, query, headers } = request
    const parsed = readFileName(params.file)
    if (!parsed) throw new ApiError('photo_not_found')
    const rendition = query.format === 'jpeg' ? 'jpeg' : parsed.rendition
    const name = fileName(parsed.hash, rendition)
    const size = await ensureFile(request, parsed.hash, rendition)
    if (size === undefined) throw new ApiError('photo_not_found')
    const etag = `"${name}"`
    const fileHeaders = { ...HEADERS, etag, 'content-type': renditionOf(rendition).type }
    if (isNotModified(headers, { etag })) return reply.headers(fileHeaders).code(304).send()
    if (method === 'HEAD') return reply.headers({ ...fileHeaders, 'content-length': size }).send()

    const span = spanOf(headers, etag, size)
    const reading = await photos.store.read(name, span).catch(throwUnavailable)
    if (!reading) throw new ApiError('photo_not_found')
    const { bytes } = reading
    if (!span) return reply.headers({ ...fileHeaders, 'content-length': size }).send(bytes)
    const { first, last } = span
    const part = { 'content-length': last - first + 1, 'content-range': `bytes ${first}-${last}/${size}` }
    reply.code(206).headers(part)
    return reply.headers(fileHeaders).send(bytes)
  }

  // Handles HEAD explicitly, because Fastify's default would read the file.
  const route = { method: ['GET', 'HEAD'], url: `${PHOTOS_PATH}/:file`, config: { open: true } }
  app.route({ ...route, handler: (request, reply) => serveFile(request as FileRequest, reply) })
}

/** Maximum number of remembered hashes, and of remembered addresses. */
const MAX_REMEMBERED = 10_000

function remember(values: Set<string>, value: string): void {
  values.add(value)
  const [oldest] = values
  if (values.size > MAX_REMEMBERED && oldest !== undefined) values.delete(oldest)
}

/** The name of the client in the queue of the renderer, which alternates between addresses. */
function renderClient(request: FastifyRequest): RenderClient {
  return { party: partyOf(request), isUpload: false, isGone: () => isClientGone(request.raw) }
}

/**
 * The byte range that a client requests (RFC 9110, section 14.2). Returns undefined for the complete file: if
 * there are several ranges, if the range is invalid, or if If-Range names another version.
 * @throws {ApiError} range_not_satisfiable
 */
function spanOf(headers: FastifyRequest['headers'], etag: string, size: number): ByteRange | undefined {
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(headers.range ?? '') ?? []
  const isSameFile = headers['if-range'] === undefined || headers['if-range'] === etag
  if (from === undefined || to === undefined || from + to === '' || !isSameFile) return undefined
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (first <= last) return { first, last }
  throw new ApiError('range_not_satisfiable', { headers: { 'content-range': `bytes */${size}` } })
}
