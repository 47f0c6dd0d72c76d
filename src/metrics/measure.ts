import { sql } from 'kysely'
import { Gauge, type Registry } from 'prom-client'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { dialectOf } from '../db/dialect.ts'
import { isPostgres } from '../db/store-url.ts'
import type { Db } from '../db/tables.ts'

interface Store extends Pick<Database, 'db' | 'ready'> {
  engine: 'postgres' | 'sqlite'
  clock: () => number
}

interface StoreGauge {
  help: string
  /** The label that tells several values apart. */
  label?: string
  /** Returns the value, or one value for each value of the label. */
  read(store: Store): Promise<number | Record<string, number>>
}

/** After a longer silence of a source, its lag includes the silence. See `lagOf` in src/follow. */
const MAX_SILENCE_MS = 30_000

/** By name. Every process reports the same values. */
const GAUGES: Record<string, StoreGauge> = {
  adoptable_store_schema_version: {
    help: 'Number of the last migration applied to the store',
    label: 'engine',
    read: async ({ db, engine }) => ({ [engine]: await lastMigration(db) }),
  },
  adoptable_store_up: {
    help: 'Whether the store answers and, as far as a read can tell, accepts changes: 1 or 0',
    label: 'engine',
    async read({ db, engine, ready }) {
      const [migration, readiness] = await Promise.allSettled([lastMigration(db), ready()])
      return { [engine]: Number(migration.status === 'fulfilled' && readiness.status === 'fulfilled') }
    },
  },
  adoptable_job_success_timestamp_seconds: {
    help: 'When a background job last succeeded: Unix time in seconds',
    // Prometheus reserves the label `job`.
    label: 'name',
    async read({ db }) {
      const jobs = db.selectFrom('job').select(['name', 'ended_at']).where('ended_at', 'is not', null)
      return Object.fromEntries((await jobs.execute()).map((job) => [job.name, Number(job.ended_at) / 1_000]))
    },
  },
  adoptable_job_failures: {
    help: 'Consecutive failures of a background job',
    label: 'name',
    async read({ db }) {
      const jobs = await db.selectFrom('job').select(['name', 'failures']).execute()
      return Object.fromEntries(jobs.map(({ name, failures }) => [name, failures]))
    },
  },
  adoptable_emails_refused: {
    help: 'Unsent e-mails that the mail server has refused at least once',
    read: ({ db }) => countEmails(db, 1),
  },
  adoptable_emails_waiting: {
    help: 'E-mails about applications that are not sent yet',
    read: ({ db }) => countEmails(db, 0),
  },
  adoptable_events_last_id: {
    help: 'The id of the last event; its increase is the number of events written',
    read: async ({ db }) => (await dialectOf(db).lastEvent.execute(db)).rows[0]?.id ?? 0,
  },
  adoptable_deliveries_waiting: {
    help: 'Deliveries to enabled webhooks that are not received yet',
    read: async ({ db }) => Number((await waitingDeliveries(db)).deliveries),
  },
  adoptable_deliveries_overdue_seconds: {
    help: 'How long ago the delivery that waits longest was due',
    async read({ db, clock }) {
      const { dueAt } = await waitingDeliveries(db)
      const now = clock()
      return Math.max(0, now - Number(dueAt ?? now)) / 1_000
    },
  },
  adoptable_followed_lag_seconds: {
    help: 'How far the copies of a followed source are behind, by its id in `adoptable follow list`',
    label: 'source',
    async read({ db, clock }) {
      const copied = (await followedSources(db)).filter(({ lagMs }) => lagMs !== null)
      const now = clock()
      return Object.fromEntries(
        copied.map(({ id, lagMs, readAt }) => {
          const silence = now - (readAt ?? now)
          return [id, (Number(lagMs) + (silence > MAX_SILENCE_MS ? silence : 0)) / 1_000]
        }),
      )
    },
  },
  adoptable_followed_up: {
    help: 'Whether a followed source could be read the last time: 1 or 0',
    label: 'source',
    read: async ({ db }) =>
      Object.fromEntries((await followedSources(db)).map(({ id, error }) => [id, Number(error === null)])),
  },
}

/** Adds metrics that query the store at each scrape. While the store is down, they keep their last values. */
export function measureStore(
  registry: Registry,
  { db, ready }: Pick<Database, 'db' | 'ready'>,
  { databaseUrl, databaseConnections }: Pick<Config, 'databaseUrl' | 'databaseConnections'>,
  clock: () => number,
): void {
  const engine = isPostgres(databaseUrl) ? 'postgres' : 'sqlite'
  // Measures the pool first, so the queries of the scrape itself are not counted.
  if (engine === 'postgres') measurePool([registry], db, databaseConnections)
  for (const [name, { help, label, read }] of Object.entries(GAUGES))
    new Gauge({
      ...{ name, help, labelNames: label === undefined ? [] : [label], registers: [registry] },
      async collect() {
        // The requests that failed have already logged the error.
        const values = await read({ db, ready, engine, clock }).catch(() => undefined)
        if (typeof values === 'number') this.set(values)
        if (typeof values !== 'object') return
        this.reset()
        for (const [of, value] of Object.entries(values)) this.labels(of).set(value)
      },
    })
}

/** @returns for example 1 for 0001-tables */
async function lastMigration(db: Db): Promise<number> {
  const { rows } = await sql<{ name: string }>`
    select name from kysely_migration order by name desc limit 1
  `.execute(db)
  return Number.parseInt(rows[0]?.name ?? '0', 10)
}

async function countEmails(db: Db, minAttempts: number): Promise<number> {
  const counted = db.selectFrom('outbox').where('attempts', '>=', minAttempts)
  const { emails } = await counted.select(({ fn }) => fn.countAll().as('emails')).executeTakeFirstOrThrow()
  return Number(emails)
}

const waitingDeliveries = (db: Db) =>
  db
    .selectFrom('delivery')
    .where('status', '=', sql.lit('pending'))
    .where('webhook_id', 'in', db.selectFrom('webhook').select('id').where('enabled', '=', 1))
    .select(({ fn }) => [fn.countAll().as('deliveries'), fn.min('due_at').as('dueAt')])
    .executeTakeFirstOrThrow()

const followedSources = (db: Db) =>
  db
    .selectFrom('followed')
    .select(['id', 'read_at as readAt', 'lag_ms as lagMs', 'last_error as error'])
    .where('ending', '=', 0)
    .execute()

/** Counts uses of connections. Every use, including transactions, goes through `provideConnection`. */
function measurePool(registers: Registry[], db: Db, connections: number): void {
  const executor = db.getExecutor()
  const provide = executor.provideConnection.bind(executor)
  let uses = 0
  Object.assign(executor, {
    async provideConnection(...args: Parameters<typeof provide>) {
      uses += 1
      try {
        return await provide(...args)
      } finally {
        uses -= 1
      }
    },
  })
  new Gauge({
    name: 'adoptable_pool_connections_max',
    help: 'Maximum of connections to PostgreSQL of this process',
    registers,
  }).set(connections)
  new Gauge({
    name: 'adoptable_pool_uses',
    help: 'Connections to PostgreSQL in use or waited for',
    registers,
    collect() {
      this.set(uses)
    },
  })
}
