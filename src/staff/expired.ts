import type { ExpressionBuilder } from 'kysely'
import { changes } from '../db/change.ts'
import type { Db, Tables } from '../db/tables.ts'
import type { Job } from '../jobs/job.ts'
import { IDLE_MS, LONGEST_MS } from './session.ts'

/** Removes sessions and links that are over. They count no more in any case. */
export const expiredSessions: Job = {
  isDue: ({ db, clock }) => hasExpired(db, clock()),
  run: async ({ write, clock }, mayGoOn) => {
    if (await mayGoOn()) await write(changes.removeExpiredSessions, clock())
  },
}

async function hasExpired(db: Db, now: number): Promise<boolean> {
  const sessions = db.selectFrom('staff_session').select('hash').where(isOver(now)).limit(1)
  const links = db.selectFrom('staff_link').select('hash').where('expires_at', '<=', now).limit(1)
  return Boolean((await sessions.executeTakeFirst()) ?? (await links.executeTakeFirst()))
}

export async function removeExpiredSessions(db: Db, now: number): Promise<void> {
  await db.deleteFrom('staff_session').where(isOver(now)).execute()
  await db.deleteFrom('staff_link').where('expires_at', '<=', now).execute()
}

function isOver(now: number) {
  return ({ eb }: ExpressionBuilder<Tables, 'staff_session'>) =>
    eb.or([eb('seen_at', '<=', now - IDLE_MS), eb('created_at', '<=', now - LONGEST_MS)])
}
