import { Gauge, type Registry } from 'prom-client'
import type { Db } from '../db/tables.ts'

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
      const jobs = await jobsIn(db).catch(() => [])
      for (const { name, failures, ended_at } of jobs) {
        this.set({ name }, failures)
        if (ended_at !== null) ended.set({ name }, ended_at / 1_000)
      }
    },
  })
}

function jobsIn(db: Db) {
  return db.selectFrom('job').select(['name', 'failures', 'ended_at']).execute()
}
