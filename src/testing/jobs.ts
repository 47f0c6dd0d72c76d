import pino from 'pino'
import type { Context } from '../context.ts'
import { createOutageReporter } from '../db/database.ts'
import { listJobs } from '../jobs/job.ts'
import { createJobRunner } from '../jobs/runner.ts'
import { jobs } from '../jobs.ts'
import { countUnscrubbed } from '../orders/adopters.ts'
import { until } from './redis.ts'
import type { TestApp } from './start-app.ts'

const logger = pino({ level: 'silent' })

/**
 * Runs all due jobs, as the service does every ten seconds, and waits for jobs that the service is running
 * itself.
 */
export async function doJobs(context: Context): Promise<void> {
  const steady = (): number => performance.now()
  const allFree = async (): Promise<boolean> =>
    [...(await listJobs(context.db)).values()].every(({ holder }) => holder === null)
  await until(allFree)
  const { round } = createJobRunner(context, jobs, { logger, loss: createOutageReporter(logger), steady })
  // The first round skips a job that the service is running, and later jobs may depend on its result.
  for (let rounds = 0; rounds < 2; rounds += 1) {
    await round()
    await until(allFree)
  }
}

/**
 * Runs jobs until no file rewrite (scrub) is due. PostgreSQL's autovacuum may lock the tables, so a scrub may
 * need several attempts.
 */
export async function untilScrubbed({ service: { context }, clock }: TestApp): Promise<void> {
  await until(async () => {
    await doJobs(context)
    const isDone = (await countUnscrubbed(context.db)) === 0
    if (!isDone) clock.now += 60_000
    return isDone
  })
}
