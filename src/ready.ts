import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Context } from './context.ts'
import type { AnswerFirst } from './http/app.ts'
import { isKnown } from './http/conditional.ts'
import type { Page } from './http/page-cache.ts'
import { requestId } from './http/request-id.ts'
import type { LogRequest } from './http/request-log.ts'
import { cutShort, type Send } from './http/send-together.ts'
import { faultOf } from './http/well-formed.ts'
import type { KnownKey, Recall } from './keys/identify.ts'
import { rateHeaders, refusalOf } from './limits/limit-rate.ts'
import type { Ruling } from './limits/limiter.ts'

/** What a request may not have: it changes what the answer is about, and is the router's to look at. */
const BEYOND = ['content-length', 'transfer-encoding', 'x-forwarded-host'] as const

/**
 * Answers what is ready, of a caller who is known, with the bytes that the router's way would give, for less
 * work. Everything else goes that way, with its ruling if it was charged already. Decision 16.
 */
export function answerReady(
  { config, pages, limiter, clock, metrics, tracing }: Context,
  recall: Recall,
  logRequest: LogRequest,
  send: Send,
  logger: Logger,
): AnswerFirst {
  function answer(
    request: IncomingMessage,
    response: ServerResponse,
    page: Page,
    ruling: Ruling,
    { caller }: KnownKey,
    begun: number,
    id: string,
  ): void {
    const { url = '' } = request
    const status = write(request, response, page, { 'x-request-id': id, ...rateHeaders(ruling) })
    const ms = performance.now() - begun
    logRequest(id, 'GET', url, status, ms)
    metrics?.answered(page.operation, status, caller.plan, ms)
    tracing?.answered(request, page.route, status, ms)
  }

  return (request, response, route) => {
    const page = isPlain(request) ? pages.get(config.baseUrl + request.url) : undefined
    const given = page && clock() < (page.until ?? Number.POSITIVE_INFINITY)
    const key = given ? recall(request) : undefined
    // Before the limiter, which may have to ask Redis.
    const begun = key ? performance.now() : 0
    const settle = (ruling: Ruling): void => {
      request.ruling = ruling
      if (!page || !key || refusalOf(ruling) !== undefined) {
        route()
        return
      }
      send(() => {
        const id = requestId(request.headers['x-request-id'])
        try {
          answer(request, response, page, ruling, key, begun, id)
        } catch (error) {
          if (response.headersSent) cutShort(logger, id, error, response)
          // That answers, or meets the same and tells of it.
          else route()
        }
      })
    }
    const ruling = key && limiter.take(key.caller)
    if (ruling === undefined) route()
    else if (ruling instanceof Promise) ruling.then(settle)
    else settle(ruling)
  }
}

function isPlain(request: IncomingMessage): boolean {
  return (
    request.method === 'GET' &&
    BEYOND.every((name) => request.headers[name] === undefined) &&
    faultOf(request) === undefined
  )
}

/** In the order of the router's way. @returns the status */
function write(
  request: IncomingMessage,
  response: ServerResponse,
  { body, headers, allHeaders, encoding }: Page,
  common: Record<string, string>,
): number {
  if (isKnown(request.headers['if-none-match'], headers.etag)) {
    response.writeHead(304, { ...common, ...headers }).end()
    return 304
  }
  response.writeHead(200, { ...common, ...allHeaders }).end(body, encoding)
  return 200
}
