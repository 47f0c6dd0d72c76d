import { promisify } from 'node:util'
import { brotliCompress, gzip, zstdCompress } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { ApiError } from '../errors.ts'
import type { Hook } from './app.ts'
import {
  type Coding,
  codingFor,
  codingForLength,
  encodedEtag,
  encodedHeaders,
  type Representation,
} from './compress.ts'
import { etagOf, isNotModified, meetsIfMatch } from './conditional.ts'
import { publicOrigin } from './link.ts'
import type { NewPage, Page, PageCache } from './page-cache.ts'
import { pageAddress, wantsStrict } from './query.ts'
import { atEndOfTurn } from './turns.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The variant of the page, which the request's face has chosen. */
    variant?: string | undefined
  }
  interface FastifyContextConfig {
    /** True if the route answers from the cache itself, because its answer may depend on the caller. */
    isPersonal?: boolean
  }
}

interface Options {
  config: Config
  pages: PageCache
  /** Unix time in milliseconds. */
  clock: () => number
}

/**
 * Answers with a cached page, a newly read page, or a 304.
 *
 * @throws {ApiError} precondition_failed
 * @returns the serialized response (its bytes, if encoded), for the route to return in place of a value
 */
export async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  options: Options,
  read: () => Promise<NewPage>,
): Promise<string | Buffer | undefined> {
  return sendFound(request, reply, options, await findPage(request, options, read))
}

/** Returns a cached page or a newly read page. */
export function findPage(
  request: FastifyRequest,
  { config, pages, clock }: Options,
  read: () => Promise<NewPage>,
): Promise<Page> {
  const { view, name, organizationId } = request.caller
  // Uses the organization as owner, because its keys share one part of the cache.
  const owner = organizationId === undefined ? name : `organization:${organizationId}`
  return pages.page({ view, owner, address: addressOf(request, config) }, read, clock())
}

/** Like `sendPage`, for a page that `findPage` returned. */
export async function sendFound(
  request: FastifyRequest,
  reply: FastifyReply,
  { pages }: Pick<Options, 'pages'>,
  page: Page,
): Promise<string | Buffer | undefined> {
  if (!meetsIfMatch(request.headers, page.headers)) throw new ApiError('precondition_failed')
  const coding = codingForLength(page.length, request.headers)
  const headers = encodedHeaders(page.headers, coding)
  if (isNotModified(request.headers, headers)) {
    reply.code(304).headers(headers)
    return undefined
  }
  const encoded = coding && (await pages.encode(page, coding))
  reply.headers((encoded ?? page).allHeaders)
  return encoded ? Buffer.from(encoded.body, encoded.encoding) : page.body
}

/**
 * Returns the cache key of a page. The key includes the origin, because links in the page contain the origin.
 */
export function addressOf(request: FastifyRequest, config: Config): string {
  const { url, variant = '', routeOptions } = request
  return `${variant} ${publicOrigin(config, request)}${pageAddress(url, routeOptions)}`
}

/**
 * A request with one of these headers must go to its route. The request may have a body, or the answer may be
 * a 412.
 */
const ROUTED_HEADERS = ['content-length', 'transfer-encoding', 'if-match', 'if-unmodified-since'] as const

/** Hook that runs after the gate. Sends a cached page exactly as its route would. Decision 16. */
export function answerFromCache({ config, pages, clock }: Options): Hook {
  function pageFor(request: FastifyRequest): Page | undefined {
    const { method, headers, caller, routeOptions } = request
    if (caller === undefined || method !== 'GET' || routeOptions.config.isPersonal) return undefined
    if (ROUTED_HEADERS.some((name) => headers[name] !== undefined) || wantsStrict(headers)) return undefined
    const page = pages.get(caller.view, addressOf(request, config))
    return page && clock() < (page.until ?? Number.POSITIVE_INFINITY) ? page : undefined
  }

  return (request, reply, done) => {
    const page = pageFor(request)
    const representation = page && findRepresentation(request, page)
    if (representation)
      atEndOfTurn(() => send(request, reply, representation, done), representation.body.length)
    else done()
  }
}

/** @returns undefined when the page is not yet compressed for this client; the route then compresses it */
function findRepresentation({ headers }: FastifyRequest, page: Page): Representation | undefined {
  const coding = codingForLength(page.length, headers)
  if (coding === undefined) return page
  const encoded = page.encoded[coding]
  if (encoded && !(encoded instanceof Promise)) return encoded
  const headersOfEncoded = encodedHeaders(page.headers, coding)
  return isNotModified(headers, headersOfEncoded) ? { ...page, headers: headersOfEncoded } : undefined
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  representation: Representation,
  done: Parameters<Hook>[2],
): void {
  const { raw } = reply
  const notModified = isNotModified(request.headers, representation.headers)
  const { headers, allHeaders, body, encoding } = representation
  const common = reply.getHeaders() as Record<string, string>
  try {
    raw.writeHead(notModified ? 304 : 200, { ...common, ...(notModified ? headers : allHeaders) })
  } catch (error) {
    done(error as Error)
    return
  }
  reply.hijack()
  if (notModified) raw.end()
  else raw.end(body, encoding)
}

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
 *
 * @param caching Cache-Control. By default caches must revalidate, because an upgrade or a setting may change
 * the file.
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
