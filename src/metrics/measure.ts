import { sql } from 'kysely'
import { Gauge, type Registry } from 'prom-client'
import type { Database } from '../db/database.ts'
import { isPostgres } from '../db/store-url.ts'
import type { Db } from '../db/tables.ts'

/** Adds what is asked of the store at each scrape. */
export function measureStore(
  registry: Registry,
  { db, ready }: Pick<Database, 'db' | 'ready'>,
  { databaseUrl, databaseConnections }: { databaseUrl: string; databaseConnections: number },
): void {
  const engine = isPostgres(databaseUrl) ? 'postgres' : 'sqlite'
  const registers = [registry]
  // First, so that what a scrape itself asks below does not show in it.
  if (engine === 'postgres') measurePool(registers, db, databaseConnections)
  new Gauge({
    name: 'adoptable_store_schema_version',
    help: 'Number of the last migration that the store has seen',
    labelNames: ['engine'],
    registers,
    async collect() {
      // A store that is lost has the version that it had.
      await lastMigration(db).then((number) => this.set({ engine }, number), ignored)
    },
  })
  new Gauge({
    name: 'adoptable_store_up',
    help: 'Whether the store answers and takes changes, as far as it can tell without one: 1, or 0',
    labelNames: ['engine'],
    registers,
    async collect() {
      const answers = await Promise.all([lastMigration(db), ready()]).then(() => 1, ignored)
      this.set({ engine }, answers ?? 0)
    },
  })
}

/** What is wrong with the store is in the log, of the requests that met it. */
function ignored(): undefined {}

/** @returns such as 1 for 0001-tables */
async function lastMigration(db: Db): Promise<number> {
  const { rows } = await sql<{ name: string }>`
    select name from kysely_migration order by name desc limit 1
  `.execute(db)
  return Number.parseInt(rows[0]?.name ?? '0', 10)
}

/** Every use of a connection, a transaction among them, goes through the executor's `provideConnection`. */
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
    help: 'Connections to PostgreSQL that this process may have',
    registers,
  }).set(connections)
  new Gauge({
    name: 'adoptable_pool_uses',
    help: 'Connections to PostgreSQL that are in use or waited for',
    registers,
    collect() {
      this.set(uses)
    },
  })
}

/** Adds what the store says of its jobs: the same in each process. */
export function measureJobs(registry: Registry, db: Db): void {
  // Prometheus has a label job of its own.
  const labelNames = ['name']
  const registers = [registry]
  const ended = new Gauge({
    name: 'adoptable_job_success_timestamp_seconds',
    help: 'When a job beside the requests last went well: Unix time in seconds',
    labelNames,
    registers,
  })
  new Gauge({
    name: 'adoptable_job_failures',
    help: 'Tries in a row that failed, of a job beside the requests',
    labelNames,
    registers,
    async collect() {
      // Of a store that is lost it says what it said.
      const jobs = await db
        .selectFrom('job')
        .select(['name', 'failures', 'ended_at'])
        .execute()
        .catch(() => [])
      for (const { name, failures, ended_at } of jobs) {
        this.set({ name }, failures)
        if (ended_at !== null) ended.set({ name }, ended_at / 1_000)
      }
    },
  })
}
