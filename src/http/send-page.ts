import type { FastifyContextConfig, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import type { Config } from '../config.ts'
import { ApiError } from '../errors.ts'
import type { Hook } from './app.ts'
import { codingForLength, encodedHeaders, type Representation } from './compress.ts'
import { isNotModified, meetsIfMatch } from './conditional.ts'
import { publicOrigin, tryDecode } from './face.ts'
import type { NewPage, Page, PageCache } from './page-cache.ts'
import { atEndOfTurn } from './respond.ts'
import { type ObjectSchema, wantsStrict } from './validate.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The variant of the page, which the request's face has chosen. */
    variant?: string | undefined
  }
  interface FastifyContextConfig {
    /** True if the route answers from the cache itself, because its answer may depend on the caller. */
    isPersonal?: boolean
    /** The query parameters that the route reads, or a test of a name. For routes without a query schema. */
    parameters?: readonly string[] | ((name: string) => boolean)
  }
}

interface Options {
  config: Config
  pages: PageCache
  /** Unix time in milliseconds. */
  clock: () => number
}

/** Answers with a cached page, a newly read page, or a 304. @throws {ApiError} precondition_failed */
export async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  options: Options,
  read: () => Promise<NewPage>,
): Promise<void> {
  await sendFound(request, reply, options, await findPage(request, options, read))
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
): Promise<void> {
  if (!meetsIfMatch(request.headers, page.headers)) throw new ApiError('precondition_failed')
  const coding = codingForLength(page.length, request.headers)
  const representation =
    findRepresentation(request, page) ?? (coding && (await pages.encode(page, coding))) ?? page
  await send(request, reply, representation)
}

/** Returns the cache key of a page. It includes the origin, because links in the page contain the origin. */
export function addressOf(request: FastifyRequest, config: Config): string {
  const { url, variant = '', routeOptions } = request
  return `${variant} ${publicOrigin(config, request)}${pageAddress(url, routeOptions)}`
}

/** Requests with one of these go to their route: they may have a body, or get a 412. */
const ROUTED_HEADERS = ['content-length', 'transfer-encoding', 'if-match', 'if-unmodified-since'] as const

/** Hook that runs after the gate. Sends a cached page exactly as its route would. See decision 16. */
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
    if (representation) send(request, reply, representation).catch(done)
    else done()
  }
}

/** @returns undefined when the page is not yet compressed for this client; `sendFound` then compresses it */
function findRepresentation({ headers }: FastifyRequest, page: Page): Representation | undefined {
  const coding = codingForLength(page.length, headers)
  if (coding === undefined) return page
  const encoded = page.encoded[coding]
  if (encoded && !(encoded instanceof Promise)) return encoded
  const headersOfEncoded = encodedHeaders(page.headers, coding)
  return isNotModified(headers, headersOfEncoded) ? { ...page, headers: headersOfEncoded } : undefined
}

/** Sends the response or a 304, past the `onSend` hooks: `Page.headers` are complete. */
function send(request: FastifyRequest, reply: FastifyReply, representation: Representation): Promise<void> {
  const { headers, allHeaders, body, encoding } = representation
  const notModified = isNotModified(request.headers, headers)
  return new Promise((resolve, reject) =>
    atEndOfTurn(
      () => {
        const { raw } = reply
        const common = reply.getHeaders() as Record<string, string>
        try {
          raw.writeHead(notModified ? 304 : 200, { ...common, ...(notModified ? headers : allHeaders) })
        } catch (error) {
          reject(error)
          return
        }
        reply.hijack()
        if (notModified) raw.end()
        else raw.end(body, encoding)
        resolve()
      },
      notModified ? 0 : body.length,
    ),
  )
}

interface Route {
  config?: FastifyContextConfig
  schema?: FastifySchema | undefined
}

/**
 * Returns the canonical form of a URL. It has the path and only the parameters that the route reads, encoded
 * and in a fixed order. URLs with the same canonical form get the same response.
 */
export function pageAddress(url: string, route: Route): string {
  if (!/[?#%]/.test(url)) return url
  const [path, query] = splitUrl(url)
  const reads = parameterTest(route)
  const parameters = query
    .split('&')
    .map((text) => ({ text, name: tryDecode(text.split('=', 1)[0] ?? '') ?? '' }))
    .filter(({ name }) => reads(name))
    // A stable sort keeps repeated parameters in order, because a route may read only the first or last.
    .sort(({ name: left }, { name: right }) => Number(left > right) - Number(left < right))
    .map(({ text }) => text.split('=').map(canonicalQueryText).join('='))
  return canonicalPath(path) + (parameters.length > 0 ? `?${parameters.join('&')}` : '')
}

/** Splits a URL at its first `?` or `#`; the router treats both as the start of the query. */
export function splitUrl(url: string): [path: string, query: string] {
  const at = url.search(/[?#]/)
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)]
}

/** Returns one spelling for all encodings of a path that the router treats as equal. */
export function canonicalPath(path: string): string {
  return path.split('/').map(canonicalText).join('/')
}

function parameterTest({ config, schema }: Route): (name: string) => boolean {
  const names = config?.parameters
  if (typeof names === 'function') return names
  if (names) return (name) => names.includes(name)
  const { properties = {} } = (schema?.querystring ?? {}) as Partial<ObjectSchema>
  // A name with brackets causes a validation error, so it must stay in the canonical URL.
  return (name) => Object.hasOwn(properties, name.split('[', 1)[0] ?? '')
}

/** Re-encodes text. Text that cannot be decoded stays unchanged, because it has no other spelling. */
function canonicalText(text: string): string {
  const decodedText = text.includes('%') ? tryDecode(text) : undefined
  return decodedText === undefined ? text : encodeURIComponent(decodedText)
}

/** Like `canonicalText`, but a plus means a space, as in a query. */
function canonicalQueryText(text: string): string {
  const word = text.replaceAll('+', '%20')
  return tryDecode(word) === undefined ? text : canonicalText(word)
}
