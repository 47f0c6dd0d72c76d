import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import type { App, Hook } from './app.ts'
import { runHooks } from './gate.ts'

/**
 * Creates the handler for URLs without a route. If the path has routes for other methods, the answer is 405
 * with Allow (RFC 9110, section 15.5.6). Otherwise the answer is 404. Call this function before adding
 * routes.
 *
 * @param hooks for requests that reached no face but the last
 */
export function createNotFoundHandler(
  app: App,
  hooks: Hook[],
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
    // For a request in the scope of a face, the hooks of that face have already run.
    const hooksDone = request.caller ? Promise.resolve() : runHooks(hooks, request, reply)
    hooksDone.then(() => done(errorOf(request)), done)
  })
  return (request) => {
    throw errorOf(request)
  }
}

/** Checks whether a path matches the pattern of a route, such as /v1/pets/:petId. */
export function matchesRoute(url: string, path: string): boolean {
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
