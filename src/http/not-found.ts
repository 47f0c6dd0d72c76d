import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import type { App, Hook } from './app.ts'
import { pass } from './gate.ts'

/**
 * Makes the handler for addresses without a route: 405 with Allow (RFC 9110, section 15.5.6) where the
 * address knows other methods, else 404. To be made before the routes are added.
 *
 * @param hooks what a request passes first that belongs to no face but the last
 */
export function notFound(app: App, hooks: Hook[]): (request: FastifyRequest, reply: FastifyReply) => never {
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
    if (!known) return new ApiError('route_not_found', adviceFor(path))
    return new ApiError('method_not_allowed', { headers: { allow: [...known[1]].sort().join(', ') } })
  }

  function adviceFor(path: string): { message?: string } {
    const bare = withoutSlashes(path)
    const isOurs = bare !== path && [...methodsOf.keys()].some((route) => fits(route, bare))
    return isOurs
      ? { message: `Nothing is at this address. Write it without the slash at its end: ${bare}` }
      : {}
  }

  // Before the body is read: where nothing takes it, nothing in it can be wrong.
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (!request.is404) return done(null, payload)
    // In the scope of a face its hooks have run.
    const passed = request.caller ? Promise.resolve() : pass(hooks, request, reply)
    passed.then(() => done(errorOf(request)), done)
  })
  return (request) => {
    throw errorOf(request)
  }
}

/** Whether a path is one of a route such as /v1/pets/:petId. */
export function fits(url: string, path: string): boolean {
  const wanted = url.split('/')
  const found = path.split('/')
  return (
    wanted.length === found.length &&
    wanted.every((part, index) => part === found[index] || (part.startsWith(':') && found[index] !== ''))
  )
}

/** Not by a regular expression, which looks at each run of slashes again from each of them. */
function withoutSlashes(path: string): string {
  let end = path.length
  while (end > 1 && path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}
