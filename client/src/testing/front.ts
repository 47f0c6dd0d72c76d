import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { cleanup } from '../../../src/testing/cleanup.ts'
import { AdoptableClient, type ClientSettings } from '../client.ts'
import { startClient } from './start-client.ts'

/** A response that the proxy sends instead of passing the request on. */
export interface Reply {
  status: number
  headers?: http.OutgoingHttpHeaders
  body?: string | Buffer
}

export interface Front {
  baseUrl: string
  /** Responses to the next requests, in order. Later requests are passed on. */
  replies: Reply[]
  seen: http.IncomingMessage[]
}

/**
 * A reverse proxy in front of the service that answers some requests itself.
 *
 * @param replyTo makes the reply to a request when `replies` is empty
 */
export async function startFront(
  t: TestContext,
  port: number,
  replyTo: (request: http.IncomingMessage) => Reply | undefined = () => undefined,
): Promise<Front> {
  const server = http.createServer((request, response) => {
    front.seen.push(request)
    const reply = front.replies.shift() ?? replyTo(request)
    if (reply) {
      request.resume()
      response.writeHead(reply.status, reply.headers).end(reply.body)
      return
    }
    const { method, url, headers } = request
    const onward = http.request({ port, host: '127.0.0.1', method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    request.pipe(onward)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanup(t).defer(() => {
    server.closeAllConnections()
    server.close()
  })
  const front: Front = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    replies: [],
    seen: [],
  }
  return front
}

/** A service behind this proxy, and a client that uses the proxy. */
export async function startWithFront(t: TestContext, own: Partial<ClientSettings> = {}) {
  const { app, waits, settings } = await startClient(t)
  const front = await startFront(t, app.port)
  const proxied = { ...settings, baseUrl: front.baseUrl, ...own }
  return { app, waits, front, settings: proxied, client: new AdoptableClient(proxied) }
}
