import { shapeOf, type Values, valuesOf } from '../db/many-rows.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { takeTurns } from '../search/turns.ts'
import type { Work } from '../search/work.ts'
import type { Wanted } from './filters.ts'
import type { Near } from './near.ts'
import type { Candidate, Candidates, Position } from './order.ts'
import { placeTokenOf } from './order-keys.ts'
import type { Picked, PickedRow } from './picked.ts'
import type { Show } from './row.ts'
import { type Seen, SHOWN_COLUMNS, type Shown, toShown } from './store.ts'

// From the animals that a search finds to a page of them.

export interface Found extends Pick<Shown, 'id' | 'etag' | keyof Seen> {
  position: Position
}

export interface Page {
  /** One more than asked for tells that there are more. */
  found: Found[]
  /** From where to go on, where the search ended before there were enough. */
  next?: Position | undefined
  /** How many it did not come to pass over, where it has to go on. */
  left?: number
}

const readShown = prepared<Values, PickedRow>(
  (db, fill, { rows }) =>
    db
      .selectFrom('pet')
      .select(SHOWN_COLUMNS)
      .where(
        'id',
        'in',
        Array.from({ length: Number(rows) }, (_, index) => fill(`id${index}`) as number),
      ),
  shapeOf,
)

interface Showing {
  work: Work
  wanted: Wanted
  near: Near | undefined
  picked: Picked | undefined
  show: Show
  /** So many are passed over first. */
  skip?: number | undefined
}

/** So many animals are looked at for one page, of which the index does not know all that was asked for. */
const MOST_LOOKED_AT = 2_000

/** Takes candidates until there is a page of them, and one more. */
export async function collect(
  db: Db,
  candidates: Candidates,
  limit: number,
  showing: Showing,
): Promise<Page> {
  const found: Found[] = []
  let lookedAt = 0
  let left = showing.skip ?? 0
  for (;;) {
    const { done, value } = await candidates.next()
    if (done) return { found, next: value, left }
    // Of those that the index knows all of nothing has to be read.
    const passed = showing.wanted.isWithin ? 0 : Math.min(left, value.length)
    left -= passed
    for (let from = passed; from < value.length; ) {
      const some = value.slice(from, from + limit + 1 - found.length)
      found.push(...(await shown(db, some, showing)))
      left -= found.splice(0, left).length
      if (found.length > limit) return { found }
      from += some.length
      lookedAt += some.length
      if (lookedAt >= MOST_LOOKED_AT) return { found, next: some.at(-1)?.position, left }
      await takeTurns()
    }
  }
}

/** Those that are still there, and fit where the index does not know. */
async function shown(db: Db, candidates: Candidate[], showing: Showing): Promise<Found[]> {
  const { wanted, near, picked, show } = showing
  const ids = candidates.map(({ id }) => ({ id }))
  const rows = await readShown(db, valuesOf(ids, {}))
  const byId = new Map(rows.map((row) => [row[4], row]))
  return candidates.flatMap(({ id, position }) => {
    const row = byId.get(id)
    if (!row) return []
    if (wanted.isWithin && !wanted.isWithin({ publishedAt: row[0], updatedAt: row[3] })) return []
    const { etag, toJson, toObject } = toShown(row, show, picked)
    const meters = near?.get(placeTokenOf(row[13], row[10]) ?? '')
    if (meters === undefined) return [{ id, etag, position, toJson, toObject }]
    // Also where an animal stays as it is, its organization may move.
    return [{ id, etag: `${etag} ${meters}`, position, ...withDistance({ toJson, toObject }, meters) }]
  })
}

function withDistance({ toJson, toObject }: Seen, distanceMeters: number): Seen {
  return {
    toJson() {
      const json = toJson()
      return `${json.slice(0, -1)}${json === '{}' ? '' : ','}"distanceMeters":${distanceMeters}}`
    },
    toObject: () => ({ ...toObject(), distanceMeters }),
  }
}
