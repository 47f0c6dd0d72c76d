import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { ApiError } from '../errors.ts'
import { isKnown, isUnchanged } from './conditional.ts'
import { codedHeaders, codingOf } from './form.ts'
import { publicOrigin } from './link.ts'
import { type NewPage, type PageCache, type PageRequest, variantOf } from './page-cache.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** As the request's face has it. */
    variant?: string
  }
}

/**
 * Answers with a page from the cache, or one that is read now, or with 304 to a client that has it.
 *
 * @throws {ApiError} precondition_failed
 * @returns what the route has to give back: the text, or its bytes in a coding, in the place of what the
 * schema makes it from
 */
export async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { config, pages, clock }: { config: Config; pages: PageCache; clock: () => number },
  read: () => Promise<NewPage>,
): Promise<string | Buffer | undefined> {
  const page = await pages.page(askedFor(request, config), read, clock())
  if (!isUnchanged(request.headers, page.headers)) throw new ApiError('precondition_failed')
  const coding = codingOf(page.length, request.headers)
  const headers = codedHeaders(page.headers, coding)
  if (isKnown(request.headers, headers)) {
    reply.code(304).headers(headers)
    return undefined
  }
  const form = coding && (await pages.code(page, coding))
  reply.headers((form ?? page).allHeaders)
  return form ? Buffer.from(form.body, form.encoding) : page.body
}

function askedFor(request: FastifyRequest, config: Config): PageRequest {
  const { caller, isLenient = false } = request
  return { view: caller.view, address: addressOf(request, config), isLenient }
}

/** A page is cached under this address. Links in the page begin with the same origin. */
export function addressOf(request: FastifyRequest, config: Config): string {
  return variantOf(request.variant, publicOrigin(config, request) + request.url)
}
