import http from 'node:http'
import type { TestContext } from 'node:test'
import { cleanup } from './cleanup.ts'

export interface ReceivedDelivery {
  path: string
  headers: http.IncomingHttpHeaders
  body: string
}

type Answer = { status?: number; headers?: http.OutgoingHttpHeaders; body?: string } | 'hang'

/** Starts a server that receives webhooks. */
export async function startReceiver(
  t: TestContext,
  answer: (delivery: ReceivedDelivery) => Answer = () => ({}),
) {
  const received: ReceivedDelivery[] = []
  const waiting = new Set<() => void>()
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { url: path = '', headers } = request
    const delivery = { path, headers, body: Buffer.concat(chunks).toString() }
    received.push(delivery)
    for (const check of waiting) check()
    const given = answer(delivery)
    if (given === 'hang') return
    response.writeHead(given.status ?? 204, given.headers).end(given.body)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  cleanup(t).defer(() => void server.close().closeAllConnections())
  const { port } = server.address() as { port: number }
  return {
    received,
    url: (path = '/') => `http://127.0.0.1:${port}${path}`,
    /** Resolves when so many deliveries have arrived. */
    async until(count: number): Promise<ReceivedDelivery[]> {
      await new Promise<void>((resolve) => {
        const check = () => {
          if (received.length < count) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      })
      return received
    },
  }
}
