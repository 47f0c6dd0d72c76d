import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { AnswerFirst } from './answer-first.ts'
import type { Caller } from './caller.ts'
import { isKnown } from './conditional.ts'
import { type Admission, type Face, faceOf } from './face.ts'
import { codedHeaders, codingOf, type Form } from './form.ts'
import { type Page, type PageCache, variantOf } from './page-cache.ts'
import { requestId } from './request-id.ts'
import type { LogRequest } from './request-log.ts'
import { cutShort, type Send } from './send-together.ts'
import { wantsStrict } from './strict.ts'
import { faultOf } from './well-formed.ts'

/** What a request may not have: it changes what the answer is about, and is the router's to look at. */
const BEYOND = [
  'content-length',
  'transfer-encoding',
  'x-forwarded-host',
  'if-match',
  'if-unmodified-since',
] as const

interface Options {
  config: Pick<Config, 'origin'>
  faces: readonly Face[]
  pages: PageCache
  /** Unix time in milliseconds. */
  clock: () => number
  logRequest: LogRequest
  send: Send
  logger: Logger
  /** Hears of each answer that it gave. */
  onAnswer(request: IncomingMessage, page: Page, status: number, caller: Caller, ms: number): void
}

/**
 * Answers a known caller from the cache, with the bytes that a route would give, for less work. The request
 * passes the gate of its face step by step, as before a route. One that the gate refuses, or for which
 * nothing is cached, goes on to the router, with its admission if it was charged. Decision 16.
 */
export function answerFromCache(options: Options): AnswerFirst {
  const { config, faces, pages, clock, logRequest, send, logger, onAnswer } = options

  function cached({ view }: Caller, address: string, headers: IncomingHttpHeaders): Page | undefined {
    const page = pages.get(view, address)
    if (page?.isLenient && wantsStrict(headers)) return undefined
    return page && clock() < (page.until ?? Number.POSITIVE_INFINITY) ? page : undefined
  }

  return (request, response, route) => {
    const { url = '' } = request
    const face = faceOf(faces, url)
    const { gate } = face
    const caller = isPlain(request) ? gate.recall(request) : undefined
    const address = variantOf(face.variantOf?.(request.headers), config.origin + url)
    const page = caller && cached(caller, address, request.headers)
    const form = page && readyForm(request, page)
    if (!form) return route()
    // Before the limiter, which may have to ask Redis.
    const begun = performance.now()
    const resolve = (admission: Admission): void => {
      request.admission = admission
      if (admission.refusal || gate.authorize(caller, page.access, request.headers)) {
        route()
        return
      }
      send(() => {
        const id = requestId(request.headers['x-request-id'])
        try {
          const status = write(request, response, form, { 'x-request-id': id, ...admission.headers })
          const ms = performance.now() - begun
          logRequest(id, 'GET', url, status, ms)
          onAnswer(request, page, status, caller, ms)
        } catch (error) {
          if (response.headersSent) cutShort(logger, id, error, response)
          // That answers, or meets the same and tells of it.
          else route()
        }
      })
    }
    const admission = gate.admit(caller)
    if (admission instanceof Promise) admission.then(resolve)
    else resolve(admission)
  }
}

function isPlain(request: IncomingMessage): boolean {
  return (
    request.method === 'GET' &&
    BEYOND.every((name) => request.headers[name] === undefined) &&
    faultOf(request) === undefined
  )
}

/** @returns undefined when it is still to be compressed for this client, which the router's way does */
function readyForm({ headers }: IncomingMessage, page: Page): Form | undefined {
  const coding = codingOf(page.length, headers)
  if (coding === undefined) return page
  const form = page.coded[coding]
  if (form && !(form instanceof Promise)) return form
  const known = codedHeaders(page.headers, coding)
  return isKnown(headers, known) ? { ...page, headers: known } : undefined
}

/** In the order of the router's way. @returns the status */
function write(
  request: IncomingMessage,
  response: ServerResponse,
  { body, headers, allHeaders, encoding }: Form,
  common: Record<string, string>,
): number {
  if (isKnown(request.headers, headers)) {
    response.writeHead(304, { ...common, ...headers }).end()
    return 304
  }
  response.writeHead(200, { ...common, ...allHeaders }).end(body, encoding)
  return 200
}
