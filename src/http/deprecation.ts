import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { matchesRoute } from './not-found.ts'

export interface Deprecation {
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
    /** Hook for requests that match no route. */
    onUnrouted(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
      const path = decodeSegments(request.url)
      const route = routes.find(
        ({ method, url }) => method.includes(request.method) && matchesRoute(url, path),
      )
      if (route?.config?.deprecation) reply.headers(route.config.deprecation(request))
      done()
    },
  }
}

/** Decodes each segment of a path that can be decoded. */
function decodeSegments(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1)
  const decode = (segment: string): string => {
    try {
      return decodeURIComponent(segment)
    } catch {
      return segment
    }
  }
  return path.split('/').map(decode).join('/')
}
