import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../../config.ts'
import type { Context } from '../../../context.ts'
import { NO_STORE } from '../../../http/cache-headers.ts'
import { etagOf } from '../../../http/conditional.ts'
import { LANGUAGE_VARY, type Language, languageOf } from '../../../http/language.ts'
import type { NewPage } from '../../../http/page-cache.ts'
import { canonicalPath, sendPage, splitUrl } from '../../../http/send-page.ts'
import { HTML_TYPE, pageHeaders } from '../page.ts'
import { textsOf } from '../texts/texts.ts'
import { nextDay, type Phrasing } from './phrases.ts'

/** A page is the same for everyone. Caches may store it, but must revalidate it before each use. */
const CACHING = {
  'cache-control': 'public, no-cache',
  vary: `Accept-Encoding, ${LANGUAGE_VARY}, Origin`,
}

interface PageOptions {
  type?: string
  headers?: Record<string, string>
  isVolatile?: boolean
  /**
   * The time at which the ages on the page are correct, in Unix milliseconds. The page is cached until the
   * end of that day.
   */
  now?: number
}

/** Makes a page that the cache can store. */
export function newPage(body: string, { type = HTML_TYPE, headers, isVolatile, now }: PageOptions): NewPage {
  return {
    body,
    type,
    headers: { ...CACHING, ...headers, etag: etagOf(body) },
    ...(isVolatile && { isVolatile }),
    ...(now !== undefined && { until: nextDay(now) }),
  }
}

/** Thrown when the requested path is not the canonical path of the page. */
class MovedPage extends Error {
  readonly path: string
  constructor(path: string) {
    super()
    this.path = path
  }
}

/** Redirects to the page's canonical path if the requested path differs. */
export function requirePath({ url }: FastifyRequest, path: string): void {
  if (canonicalPath(splitUrl(url)[0]) !== path) throw new MovedPage(path)
}

/** Answers with a gallery page. The cache has one copy of the page per language. */
export async function sendGallery(
  request: FastifyRequest,
  reply: FastifyReply,
  context: Context,
  read: (phrasing: Phrasing) => Promise<NewPage>,
): Promise<'' | undefined> {
  try {
    await sendPage(request, reply, context, () => read(phrasingFor(request, context)))
    return undefined
  } catch (error) {
    if (!(error instanceof MovedPage)) throw error
    // An animal may get its old name again, so caches must revalidate the redirect.
    reply.code(301).headers({ location: error.path, 'cache-control': 'no-cache' })
    return ''
  }
}

export function phrasingFor({ headers }: FastifyRequest, { clock }: Context): Phrasing {
  const language: Language = languageOf(headers)
  return { language, texts: textsOf(language), now: clock() }
}

/** Answers with an error page, which is not cached. */
export function sendRefusal(
  reply: FastifyReply,
  config: Config,
  status: number,
  body: string,
  headers = pageHeaders(config),
): string {
  reply
    .code(status)
    .headers({ ...NO_STORE, vary: LANGUAGE_VARY, ...headers })
    .type(HTML_TYPE)
  return body
}
