import { ROWS, rowsOf, shapeOf, type Values, valuesOf } from '../db/many-rows.ts'
import { type Fill, prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { addEncoded, type Bits, clearBit, encodeBits, isEmpty, noBits, setBit } from './bits.ts'

// The rows of the index. What stands in them, src/pets/tokens.ts says.

/** How far the index is. */
export interface IndexState {
  /** Another one when it was brought up to date meanwhile. */
  generation: number
  /** Animals from this id to that one are not in it yet. */
  backfillFrom: number
  backfillTo: number
}

const readState = prepared<object, [generation: number, from: number, to: number]>((db) =>
  db.selectFrom('search_state').select(['generation', 'backfill_from', 'backfill_to']),
)

export async function stateOf(db: Db): Promise<IndexState> {
  const [row] = await readState(db, {})
  const [generation, backfillFrom, backfillTo] = row ?? [0, 1, 0]
  return { generation, backfillFrom, backfillTo }
}

/** Tells readers that the index is another one now. */
export async function raiseGeneration(db: Db): Promise<void> {
  const update = db.updateTable('search_state')
  await update.set(({ eb, ref }) => ({ generation: eb(ref('generation'), '+', 1) })).execute()
}

/** From here on animals are still to be taken in. */
export async function setBackfill(db: Db, from: number): Promise<void> {
  await db.updateTable('search_state').set({ backfill_from: from }).execute()
}

/** Forgets all: animals up to this id are to be taken in anew. */
export async function clearIndex(db: Db, to: number): Promise<void> {
  await db.deleteFrom('search_posting').execute()
  await db.deleteFrom('search_order').execute()
  await db.updateTable('search_state').set({ backfill_from: 1, backfill_to: to }).execute()
  await raiseGeneration(db)
}

/** Of one block, which animals have a token. */
export type Posting = [block: number, token: string, ids: Uint8Array]

const many = <Value>(name: string, count: number, fill: Fill<Values>): Value[] =>
  Array.from({ length: count }, (_, index) => fill(`${name}${index}`) as Value)

const named = (name: string, values: unknown[]): [string, unknown][] =>
  values.map((value, index) => [`${name}${index}`, value])

const readTokens = prepared<Values, Posting>(
  (db, fill, { blocks, tokens }) =>
    db
      .selectFrom('search_posting')
      .select(['block', 'token', 'ids'])
      .where('block', 'in', many<number>('block', blocks ?? 0, fill))
      .where('token', 'in', many<string>('token', tokens ?? 0, fill)),
  ({ blocks, tokens }) => `${blocks} ${tokens}`,
)

/** @returns what there is of some tokens in some blocks */
export async function postingsOf(db: Db, blocks: number[], tokens: string[]): Promise<Posting[]> {
  const found: Posting[] = []
  for (let from = 0; from < tokens.length; from += ROWS) {
    const some = tokens.slice(from, from + ROWS)
    const values = { blocks: blocks.length, tokens: some.length }
    const all = Object.fromEntries([
      ...Object.entries(values),
      ...named('block', blocks),
      ...named('token', some),
    ])
    found.push(...(await readTokens(db, all as Values)))
  }
  return found
}

const readRange = prepared<Values, Posting>(
  (db, fill, { blocks }) =>
    db
      .selectFrom('search_posting')
      .select(['block', 'token', 'ids'])
      .where('block', 'in', many<number>('block', blocks ?? 0, fill))
      .where('token', '>=', fill('from'))
      .where('token', '<', fill('to')),
  ({ blocks }) => String(blocks),
)

/** Behind every text that begins with it, in the order of bytes. */
const beyond = (prefix: string): string => `${prefix}\u{10ffff}`

/** @returns what there is of all tokens with a beginning, in some blocks */
export async function postingsFrom(db: Db, blocks: number[], prefix: string): Promise<Posting[]> {
  const range = { blocks: blocks.length, from: prefix, to: beyond(prefix) }
  const all = Object.fromEntries([...Object.entries(range), ...named('block', blocks)])
  return readRange(db, all as Values)
}

/** What becomes of a token in a block: offsets that come and go. */
export type TokenChange = { add: number[]; remove: number[] }

const upsertPostings = prepared<Values, []>(
  (db, fill, values) =>
    db
      .insertInto('search_posting')
      .values(
        rowsOf(values, fill, (own) => ({
          block: fill('block'),
          token: own('token') as string,
          ids: own('ids') as Uint8Array,
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['block', 'token']).doUpdateSet(({ ref }) => ({ ids: ref('excluded.ids') })),
      ),
  shapeOf,
)

/** Brings one block up to date. */
export async function changeBlock(db: Db, block: number, changes: Map<string, TokenChange>): Promise<void> {
  const known = new Map<string, Bits>()
  for (const [, token, ids] of await postingsOf(db, [block], [...changes.keys()])) {
    const bits = noBits()
    addEncoded(bits, ids)
    known.set(token, bits)
  }
  const gone: string[] = []
  const kept: { token: string; ids: Uint8Array }[] = []
  for (const [token, { add, remove }] of changes) {
    const bits = known.get(token) ?? noBits()
    for (const offset of remove) clearBit(bits, offset)
    for (const offset of add) setBit(bits, offset)
    if (!isEmpty(bits)) kept.push({ token, ids: encodeBits(bits) })
    else if (known.has(token)) gone.push(token)
  }
  for (let from = 0; from < kept.length; from += ROWS)
    await upsertPostings(db, valuesOf(kept.slice(from, from + ROWS), { block }))
  if (gone.length > 0)
    await db.deleteFrom('search_posting').where('block', '=', block).where('token', 'in', gone).execute()
}

/** Where an animal stands in an order. */
export interface Ordered {
  sort: string
  key: string
  pet_id: number
}

const insertOrdered = prepared<Values, []>(
  (db, fill, values) =>
    db
      .insertInto('search_order')
      .values(rowsOf(values, fill, (own) => ({ sort: own('sort'), key: own('key'), pet_id: own('pet_id') })))
      .onConflict((conflict) => conflict.doNothing()),
  shapeOf,
)

const deleteOrdered = prepared<Ordered, []>((db, fill) =>
  db
    .deleteFrom('search_order')
    .where('sort', '=', fill('sort'))
    .where('key', '=', fill('key'))
    .where('pet_id', '=', fill('pet_id')),
)

export async function changeOrders(db: Db, gone: Ordered[], come: Ordered[]): Promise<void> {
  for (const one of gone) await deleteOrdered(db, one)
  for (let from = 0; from < come.length; from += ROWS)
    await insertOrdered(db, valuesOf(come.slice(from, from + ROWS), {}))
}

export type Range = { sort: string; key: string; id: number; limit: number }

const walkUp = prepared<Range, [key: string, petId: number]>((db, fill) =>
  db
    .selectFrom('search_order')
    .select(['key', 'pet_id'])
    .where('sort', '=', fill('sort'))
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple('key', 'pet_id'), '>', tuple(fill('key') as string, fill('id') as number)),
    )
    .orderBy('key')
    .orderBy('pet_id')
    .limit(fill('limit')),
)

const walkDown = prepared<Range, [key: string, petId: number]>((db, fill) =>
  db
    .selectFrom('search_order')
    .select(['key', 'pet_id'])
    .where('sort', '=', fill('sort'))
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple('key', 'pet_id'), '<', tuple(fill('key') as string, fill('id') as number)),
    )
    .orderBy('key', 'desc')
    .orderBy('pet_id', 'desc')
    .limit(fill('limit')),
)

/** Animals behind a position of an order. */
export function walk(
  db: Db,
  range: Range,
  direction: 'asc' | 'desc',
): Promise<[key: string, petId: number][]> {
  return (direction === 'asc' ? walkUp : walkDown)(db, range)
}

const nextKey = prepared<{ sort: string; key: string }, [key: string]>((db, fill) =>
  db
    .selectFrom('search_order')
    .select('key')
    .where('sort', '=', fill('sort'))
    .where('key', '>', fill('key'))
    .orderBy('key')
    .limit(1),
)

/** Every different key of an order: one look-up each, however many animals share it. */
export async function keysIn(db: Db, sort: string): Promise<string[]> {
  const found: string[] = []
  for (let key = ''; ; ) {
    const [row] = await nextKey(db, { sort, key })
    if (!row) return found
    key = row[0]
    found.push(key)
  }
}

const idsUnder = prepared<Range, [petId: number]>((db, fill) =>
  db
    .selectFrom('search_order')
    .select('pet_id')
    .where('sort', '=', fill('sort'))
    .where('key', '=', fill('key'))
    .where('pet_id', '>', fill('id'))
    .orderBy('pet_id')
    .limit(fill('limit')),
)

/** Animals that share a key, behind an id. */
export async function idsWith(db: Db, range: Range): Promise<number[]> {
  return (await idsUnder(db, range)).map(([id]) => id)
}
