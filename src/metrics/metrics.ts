import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { Caller } from '../http/caller.ts'
import type { Account, LimiterVerdict } from '../limits/limiter.ts'
import { release } from '../release.ts'
import { measureStore } from './measure.ts'

/** In seconds. The first bucket fits a cached page, and the last a database that hardly responds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** The service's metrics. No label contains a key, address, path or id, except the id of an organization. */
export interface Metrics {
  registry: Registry
  /** @param ms from the arrival of the request to the end of its response */
  countAnswer(operation: string, status: number, caller: CallerLabels | undefined, ms: number): void
  countVerdict(caller: Account, verdict: LimiterVerdict): void
  countDelivery(isDelivered: boolean): void
  /** @param exact true if Redis decides; false if this process counts within its leases */
  setRedisUp(exact: boolean): void
  /** Serves /metrics. @param worker the worker's number; each worker uses its own port */
  listen(config: Config, worker?: string): Promise<MetricsServer>
}

type CallerLabels = Pick<Caller, 'plan' | 'organizationId'>

export function openMetrics(config: Config, database: Database, clock: () => number): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'adoptable_build_info',
    help: 'Always 1; the labels name the release and the version of Node',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version: release(), node: process.version }, 1)

  const requests = new Counter({
    registers,
    name: 'adoptable_http_requests_total',
    help: 'Requests answered',
    labelNames: ['operation', 'status', 'plan'],
  })
  const organizationRequests = new Counter({
    registers,
    name: 'adoptable_organization_requests_total',
    help: 'Requests answered with a key of an organization, by its id; "other" beyond the first 1,000',
    labelNames: ['organization', 'status'],
  })
  const organizationName = openOrganizationLabels()
  const durations = new Histogram({
    registers,
    name: 'adoptable_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its response',
    labelNames: ['operation'],
    buckets: BUCKETS,
  })
  const verdicts = new Counter({
    registers,
    name: 'adoptable_limiter_verdicts_total',
    help: 'Requests that the limiter decided about',
    labelNames: ['verdict', 'plan'],
  })
  const deliveries = new Counter({
    registers,
    name: 'adoptable_delivery_attempts_total',
    help: 'Attempts of this process to send an event to a webhook',
    labelNames: ['result'],
  })
  const redisUp = config.redisUrl === undefined ? undefined : redisUpGauge(registers)
  measureStore(registry, database, config, clock)

  return {
    registry,
    countAnswer(operation, status, { plan = NO_PLAN, organizationId } = {}, ms) {
      requests.inc({ operation, status, plan })
      if (organizationId !== undefined)
        organizationRequests.inc({ organization: organizationName(organizationId), status })
      durations.observe({ operation }, ms / 1_000)
    },
    countVerdict({ plan = NO_PLAN }, verdict) {
      verdicts.inc({ verdict: verdict.storeError === undefined ? verdict.outcome : 'lost', plan })
    },
    countDelivery: (isDelivered) => deliveries.inc({ result: isDelivered ? 'delivered' : 'failed' }),
    setRedisUp: (exact) => redisUp?.set(Number(exact)),
    listen({ metricsHost, metricsPort = 0 }, worker) {
      const portOffset = metricsPort === 0 ? 0 : Number(worker ?? 1) - 1
      return serveMetrics(registry, metricsHost, metricsPort + portOffset)
    },
  }
}

/** The gauge is 0 until the process first reaches Redis. */
function redisUpGauge(registers: Registry[]): Gauge {
  return new Gauge({
    name: 'adoptable_redis_up',
    help: 'Whether Redis decides about the limits: 1, or 0 while this process serves from its leases',
    registers,
  })
}

/** Multiplied by the status labels, this gives a number of series that Prometheus handles easily. */
const MAX_ORGANIZATIONS = 1_000

/** Names the first MAX_ORGANIZATIONS organizations by id, and all others "other". */
function openOrganizationLabels(): (organizationId: number) => string {
  const names = new Map<number, string>()
  return (id) => {
    const name = names.get(id) ?? (names.size < MAX_ORGANIZATIONS ? String(id) : 'other')
    if (name !== 'other') names.set(id, name)
    return name
  }
}

/** The plan label of requests without a valid key. */
const NO_PLAN = 'none'

interface MetricsServer {
  address: string
  close(): void
}

/** Serves only /metrics, on its own address. @throws when the address is in use */
async function serveMetrics(registry: Registry, host: string, port: number): Promise<MetricsServer> {
  const server = createServer({ requestTimeout: 5_000 }, async ({ method = '', url }, response) => {
    response.setHeader('x-content-type-options', 'nosniff')
    const isMetrics = url?.split('?', 1)[0] === '/metrics'
    if (!isMetrics || !['GET', 'HEAD'].includes(method)) {
      return void response
        .writeHead(isMetrics ? 405 : 404, { ...(isMetrics && { allow: 'GET, HEAD' }) })
        .end()
    }
    try {
      const text = await registry.metrics()
      response.writeHead(200, { 'content-type': registry.contentType }).end(text)
    } catch (error) {
      response.writeHead(500).end(`${(error as Error).message}\n`)
    }
  })
  // Without `exclusive`, workers would share a port, and each scrape would reach a random one.
  server.listen({ host, port, exclusive: true })
  await once(server, 'listening')
  const { address, family, port: actualPort } = server.address() as AddressInfo
  return {
    address: `http://${family === 'IPv6' ? `[${address}]` : address}:${actualPort}/metrics`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
