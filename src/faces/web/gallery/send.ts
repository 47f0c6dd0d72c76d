import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../../config.ts'
import type { Context } from '../../../context.ts'
import { NO_STORE } from '../../../http/cache-headers.ts'
import { etagOf } from '../../../http/conditional.ts'
import { LANGUAGE_VARY, type Language, languageOf } from '../../../http/language.ts'
import type { NewPage } from '../../../http/page-cache.ts'
import { sendPage } from '../../../http/send-page.ts'
import { HTML_TYPE, pageHeaders } from '../page.ts'
import { textsOf } from '../texts/texts.ts'
import { nextDay, type Phrasing } from './phrases.ts'

/**
 * Everybody sees the same, so every cache may keep it; it asks before each use, since a change shows at
 * once.
 */
const CACHING = {
  'cache-control': 'public, no-cache',
  vary: `Accept-Encoding, ${LANGUAGE_VARY}, Origin`,
}

interface Options {
  type?: string
  headers?: Record<string, string>
  passing?: boolean
  /** Unix time in milliseconds as of which its words are true, for as long as that day is. */
  now?: number
}

/** A page as it is kept for all who ask. */
export function newPage(body: string, { type = HTML_TYPE, headers, passing, now }: Options): NewPage {
  return {
    body,
    type,
    headers: { ...CACHING, ...headers, etag: etagOf(body) },
    ...(passing && { passing }),
    ...(now !== undefined && { until: nextDay(now) }),
  }
}

/** What was asked for has its page at another address. */
class Elsewhere extends Error {
  readonly path: string
  constructor(path: string) {
    super()
    this.path = path
  }
}

/** Leads whoever came by another spelling to the one address that a page has. */
export function requirePath({ url }: FastifyRequest, path: string): void {
  if (url.split('?', 1)[0] !== path) throw new Elsewhere(path)
}

/** Answers with a page of the gallery, made once for all who ask in a language. */
export async function sendGallery(
  request: FastifyRequest,
  reply: FastifyReply,
  context: Context,
  read: (phrasing: Phrasing) => Promise<NewPage>,
): Promise<string | Buffer | undefined> {
  try {
    return await sendPage(request, reply, context, () => read(phrasingFor(request, context)))
  } catch (error) {
    if (!(error instanceof Elsewhere)) throw error
    // A name may be given back: nobody is to remember for ever where it led.
    reply.code(301).headers({ location: error.path, 'cache-control': 'no-cache' })
    return ''
  }
}

export function phrasingFor({ headers }: FastifyRequest, { clock }: Context): Phrasing {
  const language: Language = languageOf(headers)
  return { language, texts: textsOf(language), now: clock() }
}

/** Answers with a page that is none of its address: what was asked for was wrong, or is over. */
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
