import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { Caller } from '../http/caller.ts'
import type { Account, Ruling } from '../limits/limiter.ts'
import { release } from '../release.ts'
import { measureJobs, measureStore } from './measure.ts'

/** From a cached page to a database that hardly answers; in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/**
 * What the service counts of its own doing. No label ever holds a key, an address or a path, and no id but
 * that of an organization.
 */
export interface Metrics {
  registry: Registry
  /** @param ms from the arrival of a request to the end of its answer */
  answered(operation: string, status: number, caller: Asker | undefined, ms: number): void
  judged(caller: Account, ruling: Ruling): void
  /** @param exact whether Redis decides; else this process serves from its share */
  linked(exact: boolean): void
  /** Serves /metrics. @param worker its number, where there are several: each has a port of its own */
  listen(config: Config, worker?: string): Promise<MetricsServer>
}

type Asker = Pick<Caller, 'plan' | 'organizationId'>

export function openMetrics(config: Config, database: Database): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'adoptable_build_info',
    help: 'Always 1; the labels say which release runs on which Node',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version: release(), node: process.version }, 1)

  const requests = new Counter({
    registers,
    name: 'adoptable_http_requests_total',
    help: 'Requests that were answered',
    labelNames: ['operation', 'status', 'plan'],
  })
  const ofOrganizations = new Counter({
    registers,
    name: 'adoptable_organization_requests_total',
    help: 'Those of them that came with a key of an organization, by its id; "other" where there are many',
    labelNames: ['organization', 'status'],
  })
  const organizationName = boundedNames()
  const durations = new Histogram({
    registers,
    name: 'adoptable_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer',
    labelNames: ['operation'],
    buckets: BUCKETS,
  })
  const verdicts = new Counter({
    registers,
    name: 'adoptable_limiter_verdicts_total',
    help: 'Requests that the limiter judged',
    labelNames: ['verdict', 'plan'],
  })
  const bans = new Counter({
    registers,
    name: 'adoptable_bans_total',
    help: 'Bans of keys that this process met, each of them once',
    labelNames: ['plan'],
  })
  const link = config.redisUrl === undefined ? undefined : linkGauge(registers)
  measureStore(registry, database, config)
  measureJobs(registry, database.db)
  const isNewBan = banMemory()

  return {
    registry,
    answered(operation, status, { plan = NO_PLAN, organizationId } = {}, ms) {
      requests.inc({ operation, status, plan })
      if (organizationId !== undefined)
        ofOrganizations.inc({ organization: organizationName(organizationId), status })
      durations.observe({ operation }, ms / 1_000)
    },
    judged(caller, ruling) {
      const { plan = NO_PLAN } = caller
      verdicts.inc({ verdict: ruling.lost === undefined ? ruling.outcome : 'lost', plan })
      if (isNewBan(caller.name, ruling)) bans.inc({ plan })
    },
    linked: (exact) => link?.set(Number(exact)),
    listen({ metricsHost, metricsPort = 0 }, worker) {
      const portOffset = metricsPort === 0 ? 0 : Number(worker ?? 1) - 1
      return serveMetrics(registry, metricsHost, metricsPort + portOffset)
    },
  }
}

/** 0 until Redis was reached. */
function linkGauge(registers: Registry[]): Gauge {
  return new Gauge({
    name: 'adoptable_redis_up',
    help: 'Whether Redis decides about the limits: 1, or 0 while this process serves from its share',
    registers,
  })
}

/** With their statuses as many series as a Prometheus takes from one target without a thought. */
const MAX_ORGANIZATIONS = 1_000

/** The first ones that asked, by their id. */
function boundedNames(): (organizationId: number) => string {
  const names = new Map<number, string>()
  return (id) => {
    const name = names.get(id) ?? (names.size < MAX_ORGANIZATIONS ? String(id) : 'other')
    if (name !== 'other') names.set(id, name)
    return name
  }
}

/** Of a request without a valid key. */
const NO_PLAN = 'none'

/** By so much two processes may tell the end of one ban differently. */
const CLOCK_SECONDS = 1

/** More keys are not banned at once; of one that was forgotten, a ban that lasts is counted once more. */
const MAX_KEYS = 10_000

/** Tells a ban that has begun from one that lasts, by its end; of each key it remembers the latest. */
export function banMemory(maxKeys = MAX_KEYS): (name: string, ruling: Ruling) => boolean {
  const ends = new Map<string, number>()
  return (name, { outcome, resetAtSeconds }) => {
    if (outcome !== 'banned') return false
    const known = ends.get(name) ?? 0
    // Put behind the others, so that the one who was refused longest ago is the first.
    ends.delete(name)
    ends.set(name, resetAtSeconds)
    const [oldest] = ends.keys()
    if (ends.size > maxKeys && oldest !== undefined) ends.delete(oldest)
    return resetAtSeconds - known > CLOCK_SECONDS
  }
}

interface MetricsServer {
  address: string
  close(): void
}

/**
 * Serves /metrics, and nothing else, on an address of its own.
 *
 * @throws when the address is taken
 */
async function serveMetrics(registry: Registry, host: string, port: number): Promise<MetricsServer> {
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
