import type { FastifyReply, FastifyRequest, RawRequestDefaultExpression, RouteOptions } from 'fastify'
import { ApiError } from '../errors.ts'
import type { App, Hook } from './app.ts'
import type { Caller } from './caller.ts'
import { type Admission, type Face, faceOf, type Gate, HOST, tryDecode } from './face.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True if the route is open. An open route identifies no caller and counts no request. */
    open?: boolean
  }
}

/**
 * Makes the hook that every request of a face passes. The hook identifies the caller, charges the request,
 * adds the rate limit headers, and checks the caller's access. It waits only for promises: a request that is
 * refused immediately gets its own error, even if its body turns out to be malformed.
 */
export function gateHook(gate: Gate): Hook {
  return (request, reply, done) => {
    const { raw, ip, headers, routeOptions } = request
    const { open, access } = routeOptions.config ?? {}
    if (open) return done(findRequestError(raw))

    /** @param cause the error of the store, if it prevented the caller from being identified */
    function admit(caller: Caller, cause?: unknown): void {
      request.caller = caller
      const decide = (admission: Admission): void => {
        reply.headers(admission.headers)
        // Without the store, the answer is 503 in every case, even when the limit is used up.
        if (cause) done(new ApiError('service_unavailable', { cause }))
        else done(admission.refusal ?? gate.authorize(caller, access, headers) ?? findRequestError(raw))
      }
      const admission = gate.admit(caller)
      if (admission instanceof Promise) admission.then(decide)
      else decide(admission)
    }

    const identified = gate.identify(raw, ip)
    if (identified instanceof Promise) identified.then(admit, (cause) => admit(gate.visitor(ip), cause))
    else admit(identified)
  }
}

const MAX_URL_CHARACTERS = 8_192

/** Checks the requirements of HTTP that Node does not check. */
function findRequestError(request: RawRequestDefaultExpression): ApiError | undefined {
  if (request.url !== undefined && request.url.length > MAX_URL_CHARACTERS)
    return new ApiError('uri_too_long')
  const message = findRequestFault(request)
  return message ? new ApiError('bad_request', { message, headers: { connection: 'close' } }) : undefined
}

/** @returns the error message for the client; undefined if the request is valid */
function findRequestFault({ httpVersion, headers }: RawRequestDefaultExpression): string | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return 'This HTTP version is not supported. Use HTTP/1.1 or HTTP/1.0.'
  // RFC 9112, section 3.2.
  if (headers.host === undefined ? httpVersion === '1.1' : !HOST.test(headers.host)) {
    return 'Send exactly one Host header, with a valid host.'
  }
  // An intermediary may have computed another length of the body (RFC 9112, section 6.1).
  const coding = headers['transfer-encoding']
  if (coding !== undefined && (httpVersion === '1.0' || coding.toLowerCase() !== 'chunked')) {
    return 'This Transfer-Encoding is not supported. Use chunked, with HTTP/1.1.'
  }
}

/**
 * Creates the handler for URLs without a route. Unless the face has its own error for them, the answer is 405
 * with Allow if the path has routes for other methods (RFC 9110, section 15.5.6), and otherwise 404. Call
 * this function before adding routes.
 */
export function createNotFoundHandler(
  app: App,
  faces: readonly Face[],
): (request: FastifyRequest, reply: FastifyReply) => never {
  const methodsOf = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsOf.get(url) ?? new Set()
    for (const name of [method].flat()) methods.add(name)
    methodsOf.set(url, methods)
  })

  function errorOf({ url }: FastifyRequest): ApiError {
    // This call cannot throw, because the router has already decoded the path in the same way.
    const path = decodeURI(url.split(/[?#]/, 1)[0] ?? '')
    const match = [...methodsOf].find(([route]) => matchesRoute(route, path))
    if (!match) return new ApiError('route_not_found', adviceFor(path))
    return new ApiError('method_not_allowed', { headers: { allow: [...match[1]].sort().join(', ') } })
  }

  function adviceFor(path: string): { message?: string } {
    const trimmed = trimTrailingSlashes(path)
    const exists = trimmed !== path && [...methodsOf.keys()].some((route) => matchesRoute(route, trimmed))
    return exists ? { message: `Nothing is at this address. Remove the slash at the end: ${trimmed}` } : {}
  }

  // This hook runs before the body is read. No route would read the body, so its content does not matter.
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (!request.is404) return done(null, payload)
    const { gate, errorOfUnrouted = () => errorOf(request) } = faceOf(faces, request.url)
    // A request in the scope of a face has already passed the gate of that face.
    if (request.caller) done(errorOfUnrouted())
    else gateHook(gate)(request, reply, (refusal) => done(refusal ?? errorOfUnrouted()))
  })
  return (request) => {
    throw errorOf(request)
  }
}

/** Checks whether a path matches the pattern of a route, such as /v1/pets/:petId. */
function matchesRoute(url: string, path: string): boolean {
  const patternSegments = url.split('/')
  const pathSegments = path.split('/')
  return (
    patternSegments.length === pathSegments.length &&
    patternSegments.every(
      (part, index) => part === pathSegments[index] || (part.startsWith(':') && pathSegments[index] !== ''),
    )
  )
}

/** A loop replaces a regular expression, which would take quadratic time on long runs of slashes. */
function trimTrailingSlashes(path: string): string {
  let end = path.length
  while (end > 1 && path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}

interface Deprecation {
  /** Unix times in milliseconds. */
  since: number
  removedAt: number
  /** URL of the replacement. */
  successor: string
}

/** Headers that announce a deprecation (RFC 9745) and a removal (RFC 8594). */
export function deprecationHeaders({ since, removedAt, successor }: Deprecation) {
  return {
    deprecation: `@${since / 1_000}`,
    sunset: new Date(removedAt).toUTCString(),
    link: `<${successor}>; rel="successor-version"`,
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The headers of a deprecated route. */
    deprecation?: (request: FastifyRequest) => ReturnType<typeof deprecationHeaders>
  }
}

/** Adds deprecation headers to errors for URLs that the router cannot decode. */
export function deprecatedRoutes() {
  const routes: RouteOptions[] = []
  return {
    /** `onRoute` hook: collects the deprecated routes. */
    onRoute(route: RouteOptions): void {
      if (route.config?.deprecation) routes.push(route)
    },
    /** Adds the headers to the answer to a request that matches no route. */
    onUnrouted(request: FastifyRequest, reply: FastifyReply): void {
      const path = decodeSegments(request.url)
      const route = routes.find(
        ({ method, url }) => method.includes(request.method) && matchesRoute(url, path),
      )
      if (route?.config?.deprecation) reply.headers(route.config.deprecation(request))
    },
  }
}

/** Decodes each segment of a path that can be decoded. */
function decodeSegments(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1)
  const segments = path.split('/').map((segment) => tryDecode(segment) ?? segment)
  return segments.join('/')
}
