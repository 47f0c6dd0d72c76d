import { type Address, areasAt, isArea } from '../pets/areas.ts'
import { keysOf } from '../pets/order-keys.ts'
import { organizationIn, type SearchedRow, tokensOf } from '../pets/tokens.ts'
import { addEncoded, BLOCK_IDS, blockOf, clearBit, firstIdOf, hasBit, idsIn, noBits } from '../search/bits.ts'
import { doubtful, type Finding, good, wrong } from './finding.ts'
import { whole } from './terminal.ts'

const CHECK = 'search index'
const REBUILD = 'make it anew: adoptable reindex'

/** Asks a store, as of one moment; values stand in a question as $1, $2 … */
export type Ask = (question: string, ...values: (string | number)[]) => Promise<unknown[][]>

/** Behind so many changes somebody should have taken them in: no service, or no job of one, does. */
const MANY_WAIT = 10_000

/** Whether the index knows what the animals are: of so many of them, from so many blocks of the index. */
const [MOST_BLOCKS, OF_EACH_BLOCK] = [8, 25]

/** How far the index is, and whether it is right. A store of an older release has none. */
export async function searchFindings(ask: Ask): Promise<Finding[]> {
  const [[from, to] = [1, 0]] = await ask('select backfill_from, backfill_to from search_state')
  const [backfillFrom, backfillTo] = [Number(from), Number(to)]
  if (backfillFrom <= backfillTo) {
    const found = `it is being built: ${whole(backfillFrom - 1)} of ${whole(backfillTo)} ids are in it`
    return [doubtful(CHECK, found, 'a running service goes on with it, and so does adoptable reindex')]
  }
  const [[waiting] = [0]] = await ask('select count(*) from search_change')
  const [[moving] = [0]] = await ask('select count(*) from search_area where next_block is not null')
  const { looked, mistaken } = await compare(ask)
  if (mistaken.length > 0) {
    const named = mistaken.slice(0, 3).join(', ')
    return [wrong(CHECK, `it is wrong of ${mistaken.length} of ${looked} animals (${named})`, REBUILD)]
  }
  const moves = Number(moving) > 0 ? `, ${whole(Number(moving))} organizations move in it` : ''
  const found = `right of ${whole(looked)} animals; ${whole(Number(waiting))} changes wait for it${moves}`
  if (Number(waiting) <= MANY_WAIT) return [good(CHECK, found)]
  return [doubtful(CHECK, found, 'a running service takes them in; the log says why it did not')]
}

/** Animals by their ids, with what each is found by. */
type Sample = Map<number, SearchedRow>

async function compare(ask: Ask): Promise<{ looked: number; mistaken: number[] }> {
  const [[highest] = [0]] = await ask('select coalesce(max(id), 0) from pet')
  const last = blockOf(Number(highest))
  const blocks = spread(0, last, MOST_BLOCKS)
  let looked = 0
  const mistaken: number[] = []
  for (const block of blocks) {
    const sample = await sampleOf(ask, block, Number(highest))
    looked += sample.size
    mistaken.push(...(await mistakenIn(ask, block, sample)))
  }
  return { looked, mistaken }
}

/** At most so many whole numbers, evenly spread, the first and the last among them. */
function spread(first: number, last: number, most: number): number[] {
  const count = Math.min(most, last - first + 1)
  const step = count > 1 ? (last - first) / (count - 1) : 0
  return Array.from({ length: count }, (_, index) => first + Math.round(index * step))
}

/** Animals of a block that have not changed since the index took them in. */
async function sampleOf(ask: Ask, block: number, highest: number): Promise<Sample> {
  const end = Math.min(firstIdOf(block) + BLOCK_IDS - 1, highest)
  const sample: Sample = new Map()
  for (const at of spread(firstIdOf(block), end, OF_EACH_BLOCK)) {
    const [found] = await ask(
      `select id, name, category_id, status, external_id, organization_id, profile, public_part,
        photos is not null, published_at, updated_at
        from pet where id >= $1 and id <= $2 and id not in (select pet_id from search_change)
        order by id limit 1`,
      at,
      end,
    )
    if (!found) continue
    const [id, ...row] = found
    sample.set(Number(id), readRow(row))
  }
  return sample
}

/** The one driver gives a number as text, the other as it is. */
function readRow(row: unknown[]): SearchedRow {
  const [publishedAt, updatedAt] = row.slice(8).map((ms) => (ms === null ? null : Number(ms)))
  return [...row.slice(0, 8), publishedAt, updatedAt] as unknown as SearchedRow
}

/** Also of what an animal is found by though it has it no more, so every row of the block is read. */
async function mistakenIn(ask: Ask, block: number, sample: Sample): Promise<number[]> {
  const known = new Map([...sample.keys()].map((id) => [id, new Set<string>()]))
  const gone = noBits()
  for (const [token, ids] of await ask('select token, ids from search_posting where block = $1', block)) {
    const bits = noBits()
    addEncoded(bits, ids as Uint8Array)
    addEncoded(gone, ids as Uint8Array)
    for (const [id, tokens] of known) if (hasBit(bits, id - firstIdOf(block))) tokens.add(String(token))
  }
  for (const id of await idsOf(ask, block)) clearBit(gone, id - firstIdOf(block))
  const mistaken = idsIn(block, gone)
  for (const [id, row] of sample) {
    const tokens = new Set(tokensOf(row))
    const found = known.get(id) ?? new Set<string>()
    await compareAreas(ask, tokens, found)
    const isKnown = found.size === tokens.size && [...found].every((token) => tokens.has(token))
    if (!isKnown || !(await hasPositions(ask, id, row))) mistaken.push(id)
  }
  return mistaken
}

/** All animals of a block, and those that are gone, which the index does not know yet. */
async function idsOf(ask: Ask, block: number): Promise<number[]> {
  const [first, end] = [firstIdOf(block), firstIdOf(block) + BLOCK_IDS]
  const found = [
    ...(await ask('select id from pet where id >= $1 and id < $2', first, end)),
    ...(await ask('select pet_id from search_change where pet_id >= $1 and pet_id < $2', first, end)),
  ]
  return found.map(([id]) => Number(id))
}

/** The areas of its organization too; while that moves, the index may have old ones or new ones. */
async function compareAreas(ask: Ask, tokens: Set<string>, found: Set<string>): Promise<void> {
  const organizationId = organizationIn([...tokens])
  if (organizationId === undefined) return
  const question = 'select country, region, next_block from search_area where organization_id = $1'
  const [[country, region, nextBlock] = []] = await ask(question, organizationId)
  if (nextBlock === null || nextBlock === undefined)
    for (const area of areasAt({ country, region } as Address)) tokens.add(area)
  else for (const one of found) if (isArea(one)) found.delete(one)
}

/** Whether an animal stands where it does in every order. */
async function hasPositions(ask: Ask, id: number, row: SearchedRow): Promise<boolean> {
  for (const [sort, key] of keysOf(row)) {
    const question = 'select sort from search_order where sort = $1 and key = $2 and pet_id = $3'
    if ((await ask(question, sort, key, id)).length === 0) return false
  }
  return true
}
