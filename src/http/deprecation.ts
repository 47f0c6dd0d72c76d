import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { fits } from './not-found.ts'

export interface Deprecation {
  /** Unix times in milliseconds. */
  since: number
  removedAt: number
  /** Address of what to use instead. */
  successor: string
}

/** What tells that an operation goes (RFC 9745, RFC 8594). */
export function deprecationHeaders({ since, removedAt, successor }: Deprecation) {
  return {
    deprecation: `@${since / 1_000}`,
    sunset: new Date(removedAt).toUTCString(),
    link: `<${successor}>; rel="successor-version"`,
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of a deprecated route: the headers that tell of it. */
    deprecation?: (request: FastifyRequest) => ReturnType<typeof deprecationHeaders>
  }
}

/** Finds the deprecated route that is meant by an address that the router cannot read. */
export function deprecatedRoutes() {
  const routes: RouteOptions[] = []
  return {
    /** Meets each route. */
    onRoute(route: RouteOptions): void {
      if (route.config?.deprecation) routes.push(route)
    },
    /** Hook, of requests that reach no route: with the headers of the one that is meant. */
    onUnrouted(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
      const path = decodedParts(request.url)
      const meant = routes.find(({ method, url }) => method.includes(request.method) && fits(url, path))
      if (meant?.config?.deprecation) reply.headers(meant.config.deprecation(request))
      done()
    },
  }
}

/** A path in which the parts that can be decoded are. */
function decodedParts(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1)
  const decode = (part: string): string => {
    try {
      return decodeURIComponent(part)
    } catch {
      return part
    }
  }
  return path.split('/').map(decode).join('/')
}
