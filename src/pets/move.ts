import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import type { PetStatus } from './fields.ts'
import { setTimes, type Times, timesOf } from './times.ts'
import { drawVersion } from './version.ts'

/** An animal, whose it is, and with which others. */
export interface Moved {
  id: number
  organizationId: number | undefined
  bondedWith: number[]
}

type MovedRow = { id: number; organizationId: unknown; profile: string | null }
type Move = { id: number | bigint; from: PetStatus; to: PetStatus; now: number }

const moveFrom = prepared<Move & Times & { version: number }, MovedRow>((db, fill) =>
  db
    .updateTable('pet')
    .set({
      status: fill('to'),
      ...setTimes(fill as never),
      updated_at: fill('now'),
      version: fill('version'),
    })
    .where('id', '=', fill('id') as never)
    .where('status', '=', fill('from'))
    .returning(['id', 'organization_id as organizationId', 'profile']),
)

/** @returns undefined when there is no such animal, or it has another status than `from` */
export async function move(db: Db, wanted: Move): Promise<Moved | undefined> {
  const times = timesOf(wanted.to, wanted.now)
  const [row] = await moveFrom(db, { ...wanted, ...times, version: drawVersion() })
  if (!row) return undefined
  const { id, organizationId, profile } = row
  // Most have none, and need not be read.
  const { bondedWith = [] } = profile?.includes('"bondedWith":') ? JSON.parse(profile) : {}
  return { id, organizationId: organizationId === null ? undefined : Number(organizationId), bondedWith }
}
