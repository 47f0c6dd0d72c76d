import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import type { App } from './app.ts'

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
  return (request) => {
    const path = request.url.split('?', 1)[0] ?? ''
    const known = [...methodsOf].find(([url]) => fits(url, path))
    if (!known) throw new ApiError('route_not_found')
    throw new ApiError('method_not_allowed', { headers: { allow: [...known[1]].sort().join(', ') } })
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
