import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import type { Hook } from './app.ts'
import { isNotModified } from './conditional.ts'
import { atEndOfTurn } from './end-of-turn.ts'
import type { Page, PageCache } from './page-cache.ts'
import { codingForLength, encodedHeaders, type Representation } from './representation.ts'
import { addressOf } from './send-page.ts'
import { wantsStrict } from './strict.ts'

/**
 * A request with one of these headers must go to its route. The request may have a body, or the answer may be
 * a 412.
 */
const ROUTED_HEADERS = ['content-length', 'transfer-encoding', 'if-match', 'if-unmodified-since'] as const

interface Options {
  config: Config
  pages: PageCache
  /** Unix time in milliseconds. */
  clock: () => number
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True if the route answers from the cache itself, because its answer may depend on the caller. */
    isPersonal?: boolean
  }
}

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
