import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Connection } from './connections.ts'

/**
 * Handles a request before the router. Either answers the request, or calls `route` and leaves the request
 * unchanged.
 */
export type EarlyHandler = (request: IncomingMessage, response: ServerResponse, route: () => void) => void

/** Runs `handle` for every request, before the router. */
export function handleBeforeRouter(server: Server, handle: EarlyHandler): void {
  const routers = server.listeners('request')
  server.removeAllListeners('request').on('request', (request, response) => {
    const { destroyed, isClosing } = request.socket as Connection
    if (destroyed || isClosing) return
    request.url = originForm(request.url)
    handle(request, response, () => {
      for (const router of routers) router.call(server, request, response)
    })
  })
}

/**
 * Removes the origin of an absolute-form request target, which proxies use (RFC 9112, section 3.2.2). Every
 * other target gets a slash before it, because the router would skip its first character.
 */
function originForm(url = '/'): string {
  return url.startsWith('/') ? url : `/${url.replace(/^https?:\/\/[^/?#]+\/?/i, '')}`
}
