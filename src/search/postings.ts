import { ROWS, rowsOf, shapeOf, type Values, valuesOf } from '../db/many-rows.ts'
import { type Fill, prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { addEncoded, type Bits, clearBit, encodeBits, isEmpty, noBits, setBit } from './bits.ts'

// Which animals have a token. What tokens there are, src/pets/tokens.ts says.

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
