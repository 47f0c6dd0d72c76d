import type { Logger } from 'pino'
import type { Context } from './context.ts'
import { type Loss, tellLoss } from './db/loss.ts'
import { toApiError } from './http/send-error.ts'
import { countUnscrubbed } from './orders/store.ts'

const INTERVAL_MS = 60_000
const DAY_MS = 86_400_000

type Job = (context: Context, isStopping: () => boolean) => Promise<unknown>

/** What the service tidies up regularly. The one list. */
const JOBS: Record<string, Job> = {
  'removing expired counters': ({ limiter }) => limiter.sweep(),
  'removing expired results of requests': ({ write, clock }, isStopping) =>
    untilDone(() => write('removeExpiredResults', clock()), isStopping),
  'erasing the adopters of closed orders': erase,
}

/** Once a day (UTC): to scrub the store after it takes as long as to write all of it. */
async function erase(context: Context, isStopping: () => boolean): Promise<void> {
  const { config, db, write, clock, knownTime, scrub } = context
  const today = Math.floor(Math.min(await knownTime(), clock()) / DAY_MS) * DAY_MS
  await untilDone(() => write('eraseAdopters', today - config.adopterDataDays * DAY_MS), isStopping)
  const unscrubbed = await countUnscrubbed(db)
  if (unscrubbed === 0) return
  await scrub()
  await write('scrubbed', unscrubbed)
}

/** Does each of the jobs once; one that fails is logged, and is due again with the next round. */
export async function sweep(
  context: Context,
  logger: Logger,
  loss = tellLoss(logger),
  isStopping = () => false,
): Promise<void> {
  let failed = false
  for (const [name, job] of Object.entries(JOBS)) {
    await job(context, isStopping).catch((error: unknown) => {
      failed = true
      if (toApiError(error).status === 503) loss.lost(error, `${name} failed: the store cannot do it now`)
      else logger.error({ err: error }, `${name} failed; it is tried again in a minute`)
    })
  }
  if (!failed) loss.back()
}

/** Sweeps now, and from then on every minute. @returns a function that ends it, after the step under way */
export function sweepRegularly(context: Context, logger: Logger, loss: Loss): () => Promise<void> {
  let round: Promise<void> | undefined
  let stopping = false
  const begin = (): void => {
    round ??= sweep(context, logger, loss, () => stopping).finally(() => {
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
