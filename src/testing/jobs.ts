import pino from 'pino'
import type { Context } from '../context.ts'
import { tellLoss } from '../db/loss.ts'
import { jobRunner } from '../jobs/runner.ts'
import { listJobs } from '../jobs/store.ts'
import { jobs } from '../jobs.ts'
import { countUnscrubbed } from '../orders/adopters.ts'
import { until } from './redis.ts'
import type { TestApp } from './start-app.ts'

const logger = pino({ level: 'silent' })

/** Does what is due, as the service does every ten seconds; what it is about to do itself is waited for. */
export async function doJobs(context: Context): Promise<void> {
  const steady = (): number => performance.now()
  const noneHeld = async (): Promise<boolean> =>
    [...(await listJobs(context.db)).values()].every(({ holder }) => holder === null)
  await until(noneHeld)
  await jobRunner(context, jobs, { logger, loss: tellLoss(logger), steady }).round()
  await until(noneHeld)
}

/** Until no erasure is left to do: PostgreSQL's own vacuum may be at work on the orders, and it is tried again. */
export async function untilScrubbed({ service: { context }, clock }: TestApp): Promise<void> {
  await until(async () => {
    await doJobs(context)
    const isDone = (await countUnscrubbed(context.db)) === 0
    if (!isDone) clock.now += 60_000
    return isDone
  })
}
