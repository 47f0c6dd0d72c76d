import { inList, listOf } from '../db/list-parameter.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { addEncoded, noBits, offsetsIn } from '../search/bits.ts'
import { changeBlock, changeOf, type TokenChange } from '../search/change-postings.ts'
import { lastBlock, postingsOf } from '../search/postings.ts'
import { raiseGeneration } from '../search/state.ts'
import { takeTurns } from '../search/turns.ts'
import { type Held, updateHeld } from './held-areas.ts'
import { atOrganization } from './near.ts'

// When an organization has moved, its animals come under its new areas in the index, some blocks a step.

/** So many organizations, and blocks, are one step. */
const [ORGANIZATIONS_AT_ONCE, BLOCKS_AT_ONCE] = [16, 32]

/** Organizations that are elsewhere than the index says, and those of which not all blocks are done. */
const readMoved = prepared<object, [id: number, nextBlock: number]>((db) =>
  db
    .selectFrom('search_area')
    .innerJoin('organization', 'organization.id', 'search_area.organization_id')
    .select(({ fn, val }) => [
      'search_area.organization_id',
      fn.coalesce('search_area.next_block', val(0)).as('next'),
    ])
    .where(({ eb, ref, or }) =>
      or([
        eb('search_area.next_block', 'is not', null),
        eb('search_area.country', 'is distinct from', ref('organization.country')),
        eb('search_area.region', 'is distinct from', ref('organization.region')),
      ]),
    )
    .orderBy('next')
    .orderBy('search_area.organization_id')
    .limit(ORGANIZATIONS_AT_ONCE),
)

/** Whether organizations have moved, of which the index still has animals elsewhere. */
export const areAreasDue = async (db: Db): Promise<boolean> => (await readMoved(db, {})).length > 0

const setNext = prepared<{ ids: unknown; next: number }, []>((db, fill) =>
  db
    .updateTable('search_area')
    .set({ next_block: fill('next') })
    .where('organization_id', 'in', inList(db, fill('ids'), 'bigint')),
)
const setDone = prepared<{ ids: unknown }, []>((db, fill) =>
  db
    .updateTable('search_area')
    .set({ next_block: null, former: '[]' })
    .where('organization_id', 'in', inList(db, fill('ids'), 'bigint')),
)

/**
 * Brings some blocks up to date of organizations that have moved: under which areas their animals are,
 * whatever of that was so before. @returns whether there were any
 *
 * @param share of a whole step, above 0: a store may not get that done in time
 */
export async function indexAreas(db: Db, share: number): Promise<boolean> {
  const moved = await readMoved(db, {})
  const from = moved[0]?.[1]
  if (from === undefined) return false
  const ids = moved.flatMap(([id, nextBlock]) => (nextBlock === from ? [id] : []))
  const held = await updateHeld(db, ids)
  // Not the highest animal's: behind it there may be some that are gone, which the index does not know yet.
  const last = await lastBlock(db)
  const to = from + Math.ceil(BLOCKS_AT_ONCE * share)
  for (let block = from; block < to && block <= last; block += 1) {
    await changeBlock(db, block, await changesOf(db, block, held))
    await takeTurns()
  }
  const done = { ids: listOf(db, ids) }
  await (to <= last ? setNext(db, { ...done, next: to }) : setDone(db, done))
  await raiseGeneration(db)
  return true
}

async function changesOf(db: Db, block: number, held: Map<number, Held>): Promise<Map<string, TokenChange>> {
  const byToken = new Map([...held].map(([id, one]) => [atOrganization(id), one]))
  const changes = new Map<string, TokenChange>()
  for (const [, token, ids] of await postingsOf(db, [block], [...byToken.keys()])) {
    const { areas, former } = byToken.get(token) as Held
    const bits = noBits()
    addEncoded(bits, ids)
    const offsets = [...offsetsIn(bits)]
    for (const area of areas) changeOf(changes, area).add.push(...offsets)
    // Of an organization that moved back an area may be among both: changeBlock removes before it adds.
    for (const area of former) {
      const change = changeOf(changes, area)
      change.remove = [...(change.remove ?? []), ...offsets]
    }
  }
  // changeBlock takes them in order, and these are those of one organization behind another's.
  for (const { add } of changes.values()) add.sort((one, other) => one - other)
  return changes
}
