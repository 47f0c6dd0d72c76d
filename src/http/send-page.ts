import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { ApiError } from '../errors.ts'
import { isNotModified, meetsIfMatch } from './conditional.ts'
import { publicOrigin } from './link.ts'
import { pageAddress } from './page-address.ts'
import type { NewPage, Page, PageCache } from './page-cache.ts'
import { codingForLength, encodedHeaders } from './representation.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The variant of the page, which the request's face has chosen. */
    variant?: string
  }
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

interface Options {
  config: Config
  pages: PageCache
  clock: () => number
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
