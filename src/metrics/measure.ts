import { sql } from 'kysely'
import { Gauge, type Registry } from 'prom-client'
import type { Database } from '../db/database.ts'
import { dialectOf } from '../db/dialect.ts'
import { isPostgres } from '../db/store-url.ts'
import type { Db } from '../db/tables.ts'

/** Adds a gauge that queries the store at each scrape. While the store is down, it keeps its last value. */
function addGauge(
  registry: Registry,
  name: string,
  help: string,
  labelNames: string[],
  collect: (gauge: Gauge) => Promise<void>,
): void {
  new Gauge({
    ...{ name, help, labelNames, registers: [registry] },
    async collect() {
      // The requests that failed have already logged the error.
      await collect(this).catch(() => undefined)
    },
  })
}

/** Adds the metrics of the store. */
export function measureStore(
  registry: Registry,
  { db, ready }: Pick<Database, 'db' | 'ready'>,
  { databaseUrl, databaseConnections }: { databaseUrl: string; databaseConnections: number },
): void {
  const engine = isPostgres(databaseUrl) ? 'postgres' : 'sqlite'
  // Measures the pool first, so the queries of the scrape itself are not counted.
  if (engine === 'postgres') measurePool([registry], db, databaseConnections)
  addGauge(
    registry,
    'adoptable_store_schema_version',
    'Number of the last migration applied to the store',
    ['engine'],
    async (gauge) => gauge.set({ engine }, await lastMigration(db)),
  )
  addGauge(
    registry,
    'adoptable_store_up',
    'Whether the store answers and, as far as a read can tell, accepts changes: 1 or 0',
    ['engine'],
    async (gauge) => {
      const isUp = await Promise.all([lastMigration(db), ready()]).then(
        () => 1,
        () => 0,
      )
      gauge.set({ engine }, isUp)
    },
  )
}

/** @returns for example 1 for 0001-tables */
async function lastMigration(db: Db): Promise<number> {
  const { rows } = await sql<{ name: string }>`
    select name from kysely_migration order by name desc limit 1
  `.execute(db)
  return Number.parseInt(rows[0]?.name ?? '0', 10)
}

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

/** Adds the metrics of e-mails about applications. Every process reports the same values. */
export function measureEmails(registry: Registry, db: Db): void {
  const unsent = db.selectFrom('outbox').select(({ fn }) => fn.countAll().as('emails'))
  const count = (name: string, help: string, rows: typeof unsent): void =>
    addGauge(registry, name, help, [], async (gauge) =>
      gauge.set(Number((await rows.executeTakeFirstOrThrow()).emails)),
    )
  const refused = unsent.where('attempts', '>', 0)
  count('adoptable_emails_refused', 'Unsent e-mails that the mail server has refused at least once', refused)
  count('adoptable_emails_waiting', 'E-mails about applications that are not sent yet', unsent)
}

/** Adds the metrics of events and deliveries. Every process reports the same values. */
export function measureEvents(registry: Registry, db: Db, clock: () => number): void {
  addGauge(
    registry,
    'adoptable_events_last_id',
    'The id of the last event; its increase is the number of events written',
    [],
    async (gauge) => gauge.set((await dialectOf(db).lastEvent.execute(db)).rows[0]?.id ?? 0),
  )
  const enabled = db.selectFrom('webhook').select('id').where('enabled', '=', 1)
  const waiting = db
    .selectFrom('delivery')
    .where('status', '=', sql.lit('pending'))
    .where('webhook_id', 'in', enabled)
    .select(({ fn }) => [fn.countAll().as('deliveries'), fn.min('due_at').as('dueAt')])
  addGauge(
    registry,
    'adoptable_deliveries_waiting',
    'Deliveries to enabled webhooks that are not received yet',
    [],
    async (gauge) => gauge.set(Number((await waiting.executeTakeFirstOrThrow()).deliveries)),
  )
  addGauge(
    registry,
    'adoptable_deliveries_overdue_seconds',
    'How long ago the delivery that waits longest was due',
    [],
    async (gauge) => {
      const { dueAt } = await waiting.executeTakeFirstOrThrow()
      const now = clock()
      gauge.set(Math.max(0, now - Number(dueAt ?? now)) / 1_000)
    },
  )
}

/** After a longer silence of a source, its lag includes the silence. See `lagOf` in src/follow. */
const MAX_SILENCE_MS = 30_000

/** Adds the metrics of followed sources. Every process reports the same values. */
export function measureFollowed(registry: Registry, db: Db, clock: () => number): void {
  const labelNames = ['source']
  const sources = db
    .selectFrom('followed')
    .select(['id', 'read_at as readAt', 'lag_ms as lagMs', 'last_error as error'])
    .where('ending', '=', 0)
  addGauge(
    registry,
    'adoptable_followed_lag_seconds',
    'How far the copies of a followed source are behind, by its id in `adoptable follow list`',
    labelNames,
    async (gauge) => {
      const [rows, now] = [await sources.execute(), clock()]
      gauge.reset()
      for (const { id, readAt, lagMs } of rows) {
        const silence = now - (readAt ?? now)
        const late = silence > MAX_SILENCE_MS ? silence : 0
        if (lagMs !== null) gauge.set({ source: id }, (lagMs + late) / 1_000)
      }
    },
  )
  addGauge(
    registry,
    'adoptable_followed_up',
    'Whether a followed source could be read the last time: 1 or 0',
    labelNames,
    async (gauge) => {
      const rows = await sources.execute()
      gauge.reset()
      for (const { id, error } of rows) gauge.set({ source: id }, Number(error === null))
    },
  )
}

/** Adds the metrics of jobs. Every process reports the same values. */
export function measureJobs(registry: Registry, db: Db): void {
  // Prometheus reserves the label `job`.
  const labelNames = ['name']
  const jobs = db.selectFrom('job').select(['name', 'failures', 'ended_at'])
  addGauge(
    registry,
    'adoptable_job_success_timestamp_seconds',
    'When a background job last succeeded: Unix time in seconds',
    labelNames,
    async (gauge) => {
      for (const { name, ended_at } of await jobs.execute())
        if (ended_at !== null) gauge.set({ name }, ended_at / 1_000)
    },
  )
  addGauge(
    registry,
    'adoptable_job_failures',
    'Consecutive failures of a background job',
    labelNames,
    async (gauge) => {
      for (const { name, failures } of await jobs.execute()) gauge.set({ name }, failures)
    },
  )
}
