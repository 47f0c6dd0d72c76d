import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import type { Db } from '../db/tables.ts'
import type { Write } from '../db/write.ts'
import { inSteps, type Job } from '../jobs/job.ts'
import { countUnscrubbed, hasErasable } from './adopters.ts'

const DAY_MS = 86_400_000

/** People of one kind who are erased one day. Times are Unix times in milliseconds. */
export interface Erasable {
  hasErasable(db: Db, closedBefore: number): Promise<boolean>
  /** @returns whether there are more */
  erase(write: Write, closedBefore: number): Promise<boolean>
}

/** The adopters of orders. */
export const adopters: Erasable = {
  hasErasable,
  erase: (write, closedBefore) => write(changes.eraseAdopters, closedBefore),
}

/** Erases people of whom nothing is to come since long ago, and the bytes that they left in the store. */
export function erasureOf(kinds: Erasable[]): Job {
  return {
    async isDue(context) {
      const closedBefore = await erasedBefore(context)
      for (const kind of kinds) if (await kind.hasErasable(context.db, closedBefore)) return true
      return (await countUnscrubbed(context.db)) > 0
    },
    async run(context, mayGoOn) {
      const { db, write, scrub } = context
      const closedBefore = await erasedBefore(context)
      for (const kind of kinds) await inSteps(() => kind.erase(write, closedBefore), mayGoOn)
      const unscrubbed = await countUnscrubbed(db)
      if (unscrubbed === 0 || !(await mayGoOn())) return
      await scrub()
      await write(changes.scrubbed, unscrubbed)
    },
  }
}

/** Once a day (UTC): to scrub the store after it takes as long as to write all of it. */
async function erasedBefore({ config, clock, knownTime }: Context): Promise<number> {
  const today = Math.floor(Math.min(await knownTime(), clock()) / DAY_MS) * DAY_MS
  return today - config.adopterDataDays * DAY_MS
}
