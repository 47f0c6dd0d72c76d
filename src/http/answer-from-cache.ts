import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import type { Hook } from './app.ts'
import { isKnown } from './conditional.ts'
import { codedHeaders, codingOf, type Form } from './form.ts'
import type { Page, PageCache } from './page-cache.ts'
import { addressOf } from './send-page.ts'
import { wantsStrict } from './strict.ts'

/** The route answers a request with one of these headers: it has a body, or may end in a 412. */
const LEFT_TO_ROUTE = ['content-length', 'transfer-encoding', 'if-match', 'if-unmodified-since'] as const

interface Options {
  config: Config
  pages: PageCache
  /** Unix time in milliseconds. */
  clock: () => number
}

/**
 * Hook, after the gate: sends a cached page, byte for byte what the route would send. This skips reading the
 * query and the hooks that run before an answer is sent. Decision 16.
 */
export function answerFromCache({ config, pages, clock }: Options): Hook {
  function pageFor(request: FastifyRequest): Page | undefined {
    const { method, headers, caller } = request
    if (caller === undefined || method !== 'GET') return undefined
    if (LEFT_TO_ROUTE.some((name) => headers[name] !== undefined)) return undefined
    const page = pages.get(caller.view, addressOf(request, config))
    if (page?.isLenient && wantsStrict(headers)) return undefined
    return page && clock() < (page.until ?? Number.POSITIVE_INFINITY) ? page : undefined
  }

  return (request, reply, done) => {
    const page = pageFor(request)
    const form = page && readyForm(request, page)
    if (form) send(request, reply, form, done)
    else done()
  }
}

/** @returns undefined when the page is not yet compressed for this client; the route compresses it */
function readyForm({ headers }: FastifyRequest, page: Page): Form | undefined {
  const coding = codingOf(page.length, headers)
  if (coding === undefined) return page
  const form = page.coded[coding]
  if (form && !(form instanceof Promise)) return form
  const known = codedHeaders(page.headers, coding)
  return isKnown(headers, known) ? { ...page, headers: known } : undefined
}

function send(request: FastifyRequest, reply: FastifyReply, form: Form, done: Parameters<Hook>[2]): void {
  const { raw } = reply
  const isNotModified = isKnown(request.headers, form.headers)
  const { headers, allHeaders, body, encoding } = form
  const common = reply.getHeaders() as Record<string, string>
  try {
    raw.writeHead(isNotModified ? 304 : 200, { ...common, ...(isNotModified ? headers : allHeaders) })
  } catch (error) {
    done(error as Error)
    return
  }
  reply.hijack()
  if (isNotModified) raw.end()
  else raw.end(body, encoding)
}
