import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Registry } from 'prom-client'

export interface MetricsServer {
  address: string
  close(): void
}

/**
 * Serves /metrics, and nothing else, on an address of its own.
 *
 * @throws when the address is taken
 */
export async function serveMetrics(registry: Registry, host: string, port: number): Promise<MetricsServer> {
  const server = createServer({ requestTimeout: 5_000 }, async ({ method = '', url }, response) => {
    response.setHeader('x-content-type-options', 'nosniff')
    const found = url?.split('?', 1)[0] === '/metrics'
    if (!found || !['GET', 'HEAD'].includes(method)) {
      return void response.writeHead(found ? 405 : 404, { ...(found && { allow: 'GET, HEAD' }) }).end()
    }
    try {
      const text = await registry.metrics()
      response.writeHead(200, { 'content-type': registry.contentType }).end(text)
    } catch (error) {
      response.writeHead(500).end(`${(error as Error).message}\n`)
    }
  })
  // Each worker has its own: without this they would share one, and every scrape would meet another of them.
  server.listen({ host, port, exclusive: true })
  await once(server, 'listening')
  const { address, family, port: taken } = server.address() as AddressInfo
  return {
    address: `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}/metrics`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
