import type { FastifyBaseLogger } from 'fastify'
import type { Context } from './context.ts'
import { removeExpiredResults } from './db/once.ts'
import { eraseAdopters } from './orders/store.ts'

const INTERVAL_MS = 60_000
const DAY_MS = 86_400_000

type Job = (context: Context, isStopping: () => boolean) => Promise<unknown>

/** What the service tidies up regularly. The one list. */
const JOBS: Record<string, Job> = {
  'removing expired counters': ({ limiter }) => limiter.sweep(),
  'removing expired results of requests': ({ write, clock }, isStopping) =>
    untilDone(() => write(removeExpiredResults, clock()), isStopping),
  'erasing the adopters of closed orders': ({ config, write, clock }, isStopping) =>
    untilDone(() => write(eraseAdopters, clock() - config.adopterDataDays * DAY_MS), isStopping),
}

/** Does each of the jobs once; one that fails is logged, and is due again with the next round. */
export async function sweep(
  context: Context,
  logger: FastifyBaseLogger,
  isStopping = () => false,
): Promise<void> {
  for (const [name, job] of Object.entries(JOBS)) {
    await job(context, isStopping).catch((error: unknown) => logger.error({ err: error }, `${name} failed`))
  }
}

/** Sweeps now, and from then on every minute. @returns a function that ends it, after the step under way */
export function sweepRegularly(context: Context, logger: FastifyBaseLogger): () => Promise<void> {
  let round: Promise<void> | undefined
  let stopping = false
  const begin = (): void => {
    round ??= sweep(context, logger, () => stopping).finally(() => {
      round = undefined
    })
  }
  begin()
  const interval = setInterval(begin, INTERVAL_MS)
  return async () => {
    clearInterval(interval)
    stopping = true
    await round
  }
}

/** A large job is done in small steps, between which others may write, and after which a stop goes on. */
async function untilDone(step: () => Promise<boolean>, isStopping: () => boolean): Promise<void> {
  while ((await step()) && !isStopping());
}
