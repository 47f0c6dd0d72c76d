import { sql } from 'kysely'
import type { Fill } from '../db/prepared.ts'

/** When an animal that is new, or gets another status, was available first and got that status. */
export function timesOf(status: string | null | undefined, now: number) {
  return {
    publishedAt: status === 'available' ? now : null,
    statusChangedAt: status ? now : null,
  }
}
export type Times = ReturnType<typeof timesOf>

/** Of an update. A time that is kept already stays; one that is null changes nothing. */
export const setTimes = (fill: Fill<Times>) => ({
  published_at: sql<number>`coalesce(published_at, cast(${fill('publishedAt')} as bigint))`,
  status_changed_at: sql<number>`coalesce(cast(${fill('statusChangedAt')} as bigint), status_changed_at)`,
})
