import { Server as NetServer } from 'node:net'
import type { App } from './app.ts'

/** Time an idle connection gets to send one more request, which is then answered with "connection: close". */
const IDLE_GRACE_MS = 500
const LOOK_MS = 50

/**
 * Ends a server without cutting anybody off: no new connections; every answer from now on closes its own;
 * connections with nothing to say are closed after a moment.
 *
 * @param mostMs after which what is still unanswered is cut
 */
export async function drain({ server }: App, mostMs: number): Promise<void> {
  const begun = performance.now()
  server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'))
  const closed = new Promise<void>((resolve) => {
    // The HTTP server's own close() cuts idle connections at once, also one whose next request is on its way.
    NetServer.prototype.close.call(server, () => resolve())
  })
  const looking = setInterval(() => {
    const passed = performance.now() - begun
    if (passed > mostMs) server.closeAllConnections()
    else if (passed > IDLE_GRACE_MS) server.closeIdleConnections()
  }, LOOK_MS)
  await closed
  clearInterval(looking)
}
