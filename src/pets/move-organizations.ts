import { inList, listOf } from '../db/list-parameter.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { addEncoded, blockOf, noBits, offsetsIn } from '../search/bits.ts'
import { changeBlock, postingsOf, type TokenChange } from '../search/postings.ts'
import { raiseGeneration } from '../search/state.ts'
import { highestId } from './changed.ts'
import { type Held, heldOf } from './held-areas.ts'
import { atOrganization } from './near.ts'

// When an organization moves, the index goes through its blocks, and has its animals under the new areas.

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

/** Whether organizations have moved, so that the index is to be gone through. */
export const haveMoved = async (db: Db): Promise<boolean> => (await readMoved(db, {})).length > 0

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
 */
export async function moveSome(db: Db): Promise<boolean> {
  const moved = await readMoved(db, {})
  const from = moved[0]?.[1]
  if (from === undefined) return false
  const held = await heldOf(
    db,
    moved.flatMap(([id, nextBlock]) => (nextBlock === from ? [id] : [])),
  )
  // One that moved again is at its first block: its turn comes.
  for (const [id, { nextBlock }] of held) if (nextBlock !== from) held.delete(id)
  const blocks = blockOf(await highestId(db)) + 1
  const to = Math.min(from + BLOCKS_AT_ONCE, blocks)
  const some = Array.from({ length: Math.max(to - from, 0) }, (_, index) => from + index)
  for (const [block, changes] of await changesIn(db, some, held)) await changeBlock(db, block, changes)
  const ids = listOf(db, [...held.keys()])
  await (to < blocks ? setNext(db, { ids, next: to }) : setDone(db, { ids }))
  await raiseGeneration(db)
  return true
}

async function changesIn(
  db: Db,
  blocks: number[],
  held: Map<number, Held>,
): Promise<Map<number, Map<string, TokenChange>>> {
  const byToken = new Map([...held].map(([id, one]) => [atOrganization(id), one]))
  const changes = new Map<number, Map<string, TokenChange>>()
  for (const [block, token, ids] of await postingsOf(db, blocks, [...byToken.keys()])) {
    const { areas, former } = byToken.get(token) as Held
    const bits = noBits()
    addEncoded(bits, ids)
    const ofBlock = changes.get(block) ?? new Map<string, TokenChange>()
    changes.set(block, ofBlock)
    const changeOf = (area: string): TokenChange => {
      const change = ofBlock.get(area) ?? { add: [] }
      ofBlock.set(area, change)
      return change
    }
    for (const area of areas) changeOf(area).add.push(...offsetsIn(bits))
    // What comes of a change is behind what goes.
    for (const area of former) {
      const change = changeOf(area)
      change.remove = [...(change.remove ?? []), ...offsetsIn(bits)]
    }
  }
  // Of more than one organization.
  for (const ofBlock of changes.values())
    for (const { add } of ofBlock.values()) add.sort((one, other) => one - other)
  return changes
}
