import type { Context } from '../context.ts'
import { inSteps, type Job } from '../jobs/job.ts'
import { countUnscrubbed, hasErasable } from './adopters.ts'

const DAY_MS = 86_400_000

/** Erases the adopters of orders that were closed long ago, and the bytes that they left in the store. */
export const erasure: Job = {
  async isDue(context) {
    const closedBefore = await erasedBefore(context)
    return (await hasErasable(context.db, closedBefore)) || (await countUnscrubbed(context.db)) > 0
  },
  async run(context, mayGoOn) {
    const { db, write, scrub } = context
    const closedBefore = await erasedBefore(context)
    await inSteps(() => write('eraseAdopters', closedBefore), mayGoOn)
    const unscrubbed = await countUnscrubbed(db)
    if (unscrubbed === 0 || !(await mayGoOn())) return
    await scrub()
    await write('scrubbed', unscrubbed)
  },
}

/** Once a day (UTC): to scrub the store after it takes as long as to write all of it. */
async function erasedBefore({ config, clock, knownTime }: Context): Promise<number> {
  const today = Math.floor(Math.min(await knownTime(), clock()) / DAY_MS) * DAY_MS
  return today - config.adopterDataDays * DAY_MS
}
