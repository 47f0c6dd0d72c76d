import http from 'node:http'
import type { TestContext } from 'node:test'
import { cleanup } from './cleanup.ts'

/** Starts a web site that serves one page. */
export async function startSite(
  t: TestContext,
  body: string,
  headers: Record<string, string> = {},
): Promise<string> {
  const server = http.createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(body)
  })
  return listenAt(t, server)
}

/** Starts a server on a free port. @returns its address, with a trailing slash */
export async function listenAt(t: TestContext, server: http.Server): Promise<string> {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  cleanup(t).defer(() => void server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/`
}
