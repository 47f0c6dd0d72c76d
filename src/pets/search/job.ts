import { sql } from 'kysely'
import { changes } from '../../db/change.ts'
import type { Db } from '../../db/tables.ts'
import { inSteps, type Job } from '../../jobs/job.ts'
import { isMergeDue, mergeAll } from './merge-tokens.ts'

/** Goes on with organizations that moved with many animals, and keeps searches fast. */
export const searchIndex: Job = {
  isDue: async ({ db }) => (await isBehind(db)) || (await isMergeDue(db)),
  async run({ db, write }, mayGoOn) {
    await inSteps(async () => (await write(changes.indexAnimals, true)) || (await isBehind(db)), mayGoOn)
    if (await isMergeDue(db)) await mergeAll(write, mayGoOn)
  },
}

async function isBehind(db: Db): Promise<boolean> {
  for (const table of ['search_change', 'search_move'] as const)
    if (await db.selectFrom(table).select(sql<number>`1`.as('one')).limit(1).executeTakeFirst()) return true
  return false
}
