import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import type { Loss } from '../db/loss.ts'
import { toApiError } from '../http/send-error.ts'
import type { Job, Jobs } from './job.ts'
import { type Ending, type JobRow, listJobs } from './store.ts'

/** So often each process looks for what is due. */
const ROUND_MS = 10_000
/** After a failure a job rests, after each one in a row twice as long, up to an hour. */
const [REST_MS, MAX_REST_MS] = [10_000, 3_600_000]
/** Whose lease has not moved for so long has lost it. */
export const LEASE_MS = 30_000
/** So often a lease is renewed while a step takes long. */
const RENEW_MS = 10_000

interface Options {
  logger: Logger
  loss: Loss
  /** Milliseconds that nobody can set. */
  steady: () => number
}

/**
 * Does what is due, one process at a time. A lease is a number that its holder raises: whoever sees it
 * unmoved for long enough, by a clock of its own, takes over. So the clocks of two machines need not agree.
 */
export function jobRunner(context: Context, jobs: Jobs, { logger, loss, steady }: Options) {
  const { db, write, clock } = context
  const watched = new Map<string, { beat: number; since: number }>()
  let stopping = false

  /** Whether a held job has stood still for as long as a lease lasts. */
  function isAbandoned({ name, beat }: JobRow): boolean {
    const before = watched.get(name)
    if (before?.beat === beat) return steady() - before.since >= LEASE_MS
    watched.set(name, { beat, since: steady() })
    return false
  }

  function isFree(row: JobRow | undefined): boolean {
    if (row?.holder) return isAbandoned(row)
    // A clock that was ahead then does not put it off for longer than any failure does.
    const rest = (row?.due_at ?? 0) - clock()
    return rest <= 0 || rest > MAX_REST_MS
  }

  async function attempt(name: string, job: Job, row: JobRow | undefined): Promise<boolean> {
    if (!isFree(row) || !(row?.holder || (await job.isDue(context)))) return true
    const holder = randomUUID()
    if (!(await write(changes.takeJob, name, holder, row?.beat))) return true
    const ending = await work(name, job, holder, row?.failures ?? 0)
    await write(changes.endJob, name, holder, ending)
    return ending.failures === 0
  }

  async function work(name: string, job: Job, holder: string, failures: number): Promise<Ending> {
    const renew = (): Promise<boolean> => write(changes.renewJob, name, holder)
    const renewing = setInterval(() => renew().catch(() => undefined), RENEW_MS)
    try {
      await job.run(context, async () => !stopping && (await renew()))
      return { failures: 0, due_at: 0, ...(!stopping && { ended_at: clock() }) }
    } catch (error) {
      tell(error, name)
      return { failures: failures + 1, due_at: clock() + Math.min(REST_MS * 2 ** failures, MAX_REST_MS) }
    } finally {
      clearInterval(renewing)
    }
  }

  function tell(error: unknown, name: string): void {
    if (toApiError(error).status === 503)
      loss.lost(error, `the job ${name} failed: the store cannot do it now`)
    else logger.error({ err: error }, `the job ${name} failed; it is tried again`)
  }

  return {
    /** Does each job that is due, one after the other. One that fails is logged, and tried again later. */
    async round(): Promise<void> {
      let went = true
      for (const [name, job] of Object.entries(jobs)) {
        if (stopping) return
        const done = await listJobs(db)
          .then((rows) => attempt(name, job, rows.get(name)))
          .catch((error: unknown) => tell(error, name))
        went &&= done === true
      }
      if (went) loss.back()
    },
    /** From now on no job begins, and no further step. */
    stop(): void {
      stopping = true
    },
  }
}

/** Rounds that come regularly once they have begun, and end after the step under way. */
export function regularRounds(...args: Parameters<typeof jobRunner>) {
  const runner = jobRunner(...args)
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
