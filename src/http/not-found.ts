import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import type { App } from './app.ts'
import { wellFormed } from './well-formed.ts'

/**
 * Makes the handler for addresses without a route: 405 with Allow (RFC 9110, section 15.5.6) where the
 * address knows other methods, else 404. To be made before the routes are added.
 */
export function notFound(app: App): (request: FastifyRequest, reply: FastifyReply) => never {
  const methodsOf = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsOf.get(url) ?? new Set()
    for (const name of [method].flat()) methods.add(name)
    methodsOf.set(url, methods)
  })

  function errorOf({ url }: FastifyRequest): ApiError {
    // As the router reads it, which has decoded this one already.
    const path = decodeURI(url.split(/[?#]/, 1)[0] ?? '')
    const known = [...methodsOf].find(([route]) => fits(route, path))
    if (!known) return new ApiError('route_not_found')
    return new ApiError('method_not_allowed', { headers: { allow: [...known[1]].sort().join(', ') } })
  }

  // Before the body is read: where nothing takes it, nothing in it can be wrong.
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (!request.is404) return done(null, payload)
    wellFormed(request, reply, (error) => done(error ?? errorOf(request)))
  })
  return (request) => {
    throw errorOf(request)
  }
}

/** Whether a path is one of a route such as /v1/pets/:petId. */
function fits(url: string, path: string): boolean {
  const wanted = url.split('/')
  const found = path.split('/')
  return (
    wanted.length === found.length &&
    wanted.every((part, place) => part === found[place] || part.startsWith(':'))
  )
}
