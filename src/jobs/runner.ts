import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import type { OutageReporter } from '../db/database.ts'
import { toApiError } from '../http/send-error.ts'
import { type Job, type JobOutcome, type JobRow, type Jobs, listJobs } from './job.ts'

/** How often each process looks for due jobs. */
const ROUND_MS = 10_000
/** The pause after a failure. It doubles with each consecutive failure, up to the maximum. */
const [MIN_RETRY_MS, MAX_RETRY_MS] = [10_000, 3_600_000]
/** A lease expires when its holder has not renewed it for this long. */
export const LEASE_MS = 30_000
/** How often a lease is renewed during a long step. */
const RENEW_MS = 10_000

interface Options {
  logger: Logger
  loss: OutageReporter
  /** A clock in milliseconds. Setting the machine's clock must not affect this clock. */
  steady: () => number
}

/**
 * Creates a runner for due jobs. Only one process at a time runs a job. A lease is a counter that its holder
 * increases regularly. If another process sees, by its own clock, that the counter has not changed for long
 * enough, it takes over the job. The clocks of different machines therefore need not agree.
 */
export function createJobRunner(context: Context, jobs: Jobs, { logger, loss, steady }: Options) {
  const { db, write, clock } = context
  const watched = new Map<string, { beat: number; since: number }>()
  let stopping = false

  /** Whether the lease of a job has expired. */
  function isAbandoned({ name, beat }: JobRow): boolean {
    const previous = watched.get(name)
    if (previous?.beat === beat) return steady() - previous.since >= LEASE_MS
    watched.set(name, { beat, since: steady() })
    return false
  }

  function isAvailable(row: JobRow | undefined): boolean {
    if (row?.holder) return isAbandoned(row)
    // A failed job never waits longer than MAX_RETRY_MS. If it seems to, the clock was ahead when it failed.
    const waitMs = (row?.due_at ?? 0) - clock()
    return waitMs <= 0 || waitMs > MAX_RETRY_MS
  }

  async function tryJob(name: string, job: Job, row: JobRow | undefined): Promise<boolean> {
    if (!isAvailable(row) || !(row?.holder || (await job.isDue(context)))) return true
    const holder = randomUUID()
    if (!(await write(changes.takeJob, name, holder, row?.beat))) return true
    const ending = await runJob(name, job, holder, row?.failures ?? 0)
    await write(changes.endJob, name, holder, ending)
    return ending.failures === 0
  }

  async function runJob(name: string, job: Job, holder: string, failures: number): Promise<JobOutcome> {
    const renew = (): Promise<boolean> => write(changes.renewJob, name, holder)
    const renewing = setInterval(() => renew().catch(() => undefined), RENEW_MS)
    try {
      await job.run(context, async () => !stopping && (await renew()))
      return { failures: 0, due_at: 0, ...(!stopping && { ended_at: clock() }) }
    } catch (error) {
      report(error, name)
      return {
        failures: failures + 1,
        due_at: clock() + Math.min(MIN_RETRY_MS * 2 ** failures, MAX_RETRY_MS),
      }
    } finally {
      clearInterval(renewing)
    }
  }

  function report(error: unknown, name: string): void {
    if (toApiError(error).status === 503)
      loss.reportLoss(error, `the job ${name} failed because the store is unavailable`)
    else logger.error({ err: error }, `the job ${name} failed; it will be retried`)
  }

  return {
    /** Runs all due jobs, one after the other. Logs a failure, and retries the job later. */
    async round(): Promise<void> {
      let allSucceeded = true
      for (const [name, job] of Object.entries(jobs)) {
        if (stopping) return
        const done = await listJobs(db)
          .then((rows) => tryJob(name, job, rows.get(name)))
          .catch((error: unknown) => report(error, name))
        allSucceeded &&= done === true
      }
      if (allSucceeded) loss.reportRecovery()
    },
    /** Prevents the start of further jobs and steps. */
    stop(): void {
      stopping = true
    },
  }
}

/** Looks for due jobs regularly after `begin`. `stop` resolves when the current step is done. */
export function createRounds(...args: Parameters<typeof createJobRunner>) {
  const runner = createJobRunner(...args)
  let round: Promise<void> | undefined
  let interval: NodeJS.Timeout | undefined
  const next = (): void => {
    round ??= runner.round().finally(() => {
      round = undefined
    })
  }
  return {
    begin(): void {
      next()
      interval = setInterval(next, ROUND_MS)
    },
    async stop(): Promise<void> {
      clearInterval(interval)
      runner.stop()
      await round
    },
  }
}
