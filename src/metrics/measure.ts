import { sql } from 'kysely'
import { Gauge, type Registry } from 'prom-client'
import type { Database } from '../db/database.ts'
import { isPostgres } from '../db/store-url.ts'
import type { Db } from '../db/tables.ts'

/** Adds the metrics that query the store at each scrape. */
export function measureStore(
  registry: Registry,
  { db, ready }: Pick<Database, 'db' | 'ready'>,
  { databaseUrl, databaseConnections }: { databaseUrl: string; databaseConnections: number },
): void {
  const engine = isPostgres(databaseUrl) ? 'postgres' : 'sqlite'
  const registers = [registry]
  // Registers the pool first, so the queries of the scrape itself are not counted.
  if (engine === 'postgres') measurePool(registers, db, databaseConnections)
  new Gauge({
    name: 'adoptable_store_schema_version',
    help: 'Number of the last migration applied to the store',
    labelNames: ['engine'],
    registers,
    async collect() {
      // While the store is down, the metric keeps its last value.
      await lastMigration(db).then((number) => this.set({ engine }, number), ignoreError)
    },
  })
  new Gauge({
    name: 'adoptable_store_up',
    help: 'Whether the store answers and, as far as it can tell without a change, accepts changes: 1 or 0',
    labelNames: ['engine'],
    registers,
    async collect() {
      const answers = await Promise.all([lastMigration(db), ready()]).then(() => 1, ignoreError)
      this.set({ engine }, answers ?? 0)
    },
  })
}

/** Ignores an error, because the failed requests have already logged it. */
function ignoreError(): undefined {}

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
  const count = (name: string, help: string, rows: typeof unsent): unknown =>
    new Gauge({
      ...{ name, help, registers: [registry] },
      async collect() {
        // While the store is down, the metric keeps its last value.
        await rows.executeTakeFirstOrThrow().then(({ emails }) => this.set(Number(emails)), ignoreError)
      },
    })
  const refused = unsent.where('attempts', '>', 0)
  count('adoptable_emails_refused', 'Unsent e-mails that the mail server has refused at least once', refused)
  count('adoptable_emails_waiting', 'E-mails about applications that are not sent yet', unsent)
}

/** Adds the metrics of jobs. Every process reports the same values. */
export function measureJobs(registry: Registry, db: Db): void {
  // Prometheus reserves the label `job`.
  const labelNames = ['name']
  const registers = [registry]
  // While the store is down, the metrics keep their last values. Each metric reads the jobs itself, because
  // all metrics are collected at once.
  const listJobs = () =>
    db
      .selectFrom('job')
      .select(['name', 'failures', 'ended_at'])
      .execute()
      .catch(() => [])
  new Gauge({
    name: 'adoptable_job_success_timestamp_seconds',
    help: 'When a background job last succeeded: Unix time in seconds',
    labelNames,
    registers,
    async collect() {
      for (const { name, ended_at } of await listJobs())
        if (ended_at !== null) this.set({ name }, ended_at / 1_000)
    },
  })
  new Gauge({
    name: 'adoptable_job_failures',
    help: 'Consecutive failures of a background job',
    labelNames,
    registers,
    async collect() {
      for (const { name, failures } of await listJobs()) this.set({ name }, failures)
    },
  })
}
