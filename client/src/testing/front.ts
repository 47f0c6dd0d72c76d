import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { cleanup } from '../../../src/testing/cleanup.ts'

/** What it says instead of passing a request on. */
export interface Saying {
  status: number
  headers?: http.OutgoingHttpHeaders
  body?: string
}

export interface Front {
  baseUrl: string
  /** Of the requests to come, one each; then everything is passed on. */
  says: Saying[]
  seen: http.IncomingMessage[]
}

/** A server before the service, as operators have one: now and then it answers itself. */
export async function startFront(t: TestContext, port: number): Promise<Front> {
  const server = http.createServer((request, response) => {
    front.seen.push(request)
    const saying = front.says.shift()
    if (saying) {
      request.resume()
      response.writeHead(saying.status, saying.headers).end(saying.body)
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
    says: [],
    seen: [],
  }
  return front
}
