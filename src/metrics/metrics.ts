import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { Caller } from '../http/caller.ts'
import type { Account, Ruling } from '../limits/limiter.ts'
import { release } from '../release.ts'
import { banMemory } from './ban-memory.ts'
import { measureJobs } from './measure-jobs.ts'
import { measureStore } from './measure-store.ts'
import { type MetricsServer, serveMetrics } from './serve-metrics.ts'

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
const MOST_ORGANIZATIONS = 1_000

/** The first ones that asked, by their id. */
function boundedNames(): (organizationId: number) => string {
  const names = new Map<number, string>()
  return (id) => {
    const name = names.get(id) ?? (names.size < MOST_ORGANIZATIONS ? String(id) : 'other')
    if (name !== 'other') names.set(id, name)
    return name
  }
}

/** Of a request without a valid key. */
const NO_PLAN = 'none'
