import { setTimeout as pause } from 'node:timers/promises'
import type { Write } from '../db/write.ts'
import { isUnavailable } from '../errors.ts'
import { inSteps, type Job } from '../jobs/job.ts'
import { stateOf } from '../search/state.ts'
import { STEP } from './index-animals.ts'
import { areAreasDue } from './index-areas.ts'

/** Brings the index of the search up to date. */
export const searchIndex: Job = {
  async isDue({ db }) {
    const { backfillFrom, backfillTo } = await stateOf(db)
    if (backfillFrom <= backfillTo || (await areAreasDue(db))) return true
    return (await db.selectFrom('search_change').select('pet_id').limit(1).executeTakeFirst()) !== undefined
  },
  run: ({ write }, mayGoOn) => catchUp(write, mayGoOn),
}

/** A database goes on for so long with a step that nobody waits for any more. */
const [REST_MS, MOST_RESTS] = [100, 20]

/**
 * Takes into the index what has changed. A store that does not get a step done in the time that it has for a
 * change is given a smaller one, and then larger ones again.
 */
export async function catchUp(write: Write, mayGoOn = async () => true): Promise<void> {
  let most = STEP
  let rests = MOST_RESTS
  await inSteps(async () => {
    try {
      const mayBeMore = await write('indexAnimals', most)
      const isOurs = mayBeMore === undefined && rests < MOST_RESTS
      if (isOurs) {
        rests += 1
        await pause(REST_MS)
        return true
      }
      most = Math.min(most + Math.ceil(most / 4), STEP)
      return mayBeMore === true
    } catch (error) {
      if (most === 1 || !isUnavailable(error)) throw error
      most = Math.ceil(most / 4)
      rests = 0
      return true
    }
  }, mayGoOn)
}
