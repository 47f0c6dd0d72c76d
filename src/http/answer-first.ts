import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Connection } from './connections.ts'

/** Answers a request, or leaves it, untouched, to the router. */
export type AnswerFirst = (request: IncomingMessage, response: ServerResponse, route: () => void) => void

/** Lets `answerFirst` meet every request before the router does. */
export function meetFirst(server: Server, answerFirst: AnswerFirst): void {
  const routers = server.listeners('request')
  server.removeAllListeners('request').on('request', (request, response) => {
    const { destroyed, isClosing } = request.socket as Connection
    if (destroyed || isClosing) return
    request.url = originForm(request.url)
    answerFirst(request, response, () => {
      for (const router of routers) router.call(server, request, response)
    })
  })
}

/** Takes off the host of the form for proxies (RFC 9112, section 3.2.2): all that follows meets one form. */
function originForm(url = '/'): string {
  return url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]+\/?/i, '/')
}
