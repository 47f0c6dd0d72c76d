import { sql } from 'kysely'
import { dialectOf } from '../db/dialect.ts'
import { inList, listOf } from '../db/list-parameter.ts'
import { ROWS, rowsOf, shapeOf, type Values, valuesOf } from '../db/many-rows.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { addEncoded, appended, clearBit, encodeBits, isEmpty, noBits, setBit } from './bits.ts'
import { postingsOf } from './postings.ts'
import { takeTurns } from './turns.ts'

// Brings blocks of the index up to date.

/** What becomes of a token in a block: offsets that come, lowest first, and go. */
export interface TokenChange {
  add: number[]
  remove?: number[]
}

/** What becomes of the tokens of some blocks. */
export type Changes = Map<number, Map<string, TokenChange>>

/** What becomes of the tokens of a block, to be filled. */
export function changesIn(changes: Changes, block: number): Map<string, TokenChange> {
  const ofBlock = changes.get(block) ?? new Map<string, TokenChange>()
  changes.set(block, ofBlock)
  return ofBlock
}

/** What becomes of one token, to be filled. */
export function changeOf(ofBlock: Map<string, TokenChange>, token: string): TokenChange {
  const known = ofBlock.get(token)
  if (known) return known
  const change: TokenChange = { add: [] }
  ofBlock.set(token, change)
  return change
}

interface Kept {
  token: string
  ids: Uint8Array
}

const upsertRows = prepared<Values, []>(
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

/** PostgreSQL: in arrays, since each number of parameters is a statement to parse and plan. */
const upsertArrays = prepared<{ block: number; tokens: unknown; ids: unknown }, []>((db, fill) =>
  db
    .insertInto('search_posting')
    .columns(['block', 'token', 'ids'])
    .expression(
      sql`select ${fill('block')}::bigint, *
        from unnest(${fill('tokens')}::text[], ${fill('ids')}::bytea[]) as given (token, ids)` as never,
    )
    .onConflict((conflict) =>
      conflict.columns(['block', 'token']).doUpdateSet(({ ref }) => ({ ids: ref('excluded.ids') })),
    ),
)

async function upsert(db: Db, block: number, kept: Kept[]): Promise<void> {
  if (dialectOf(db).engine === 'sqlite') {
    for (let from = 0; from < kept.length; from += ROWS)
      await upsertRows(db, valuesOf(kept.slice(from, from + ROWS), { block }))
    return
  }
  if (kept.length === 0) return
  await upsertArrays(db, {
    block,
    tokens: kept.map(({ token }) => token),
    ids: kept.map(({ ids }) => Buffer.from(ids.buffer, ids.byteOffset, ids.byteLength)),
  })
}

/** So many tokens are read and written at once: the bytes of both are held, and others wait meanwhile. */
const TOKENS_AT_ONCE = 1_000

/** Brings one block up to date. */
export async function changeBlock(db: Db, block: number, changes: Map<string, TokenChange>): Promise<void> {
  // In the order in which the store keeps them, so that neighbours are found on the same page.
  const tokens = [...changes.keys()].sort()
  for (let from = 0; from < tokens.length; from += TOKENS_AT_ONCE) {
    await changeTokens(db, block, tokens.slice(from, from + TOKENS_AT_ONCE), changes)
    await takeTurns()
  }
}

async function changeTokens(
  db: Db,
  block: number,
  tokens: string[],
  changes: Map<string, TokenChange>,
): Promise<void> {
  const known = new Map<string, Uint8Array>()
  for (const [, token, ids] of await postingsOf(db, [block], tokens)) known.set(token, ids)
  const gone: string[] = []
  const kept: Kept[] = []
  const bits = noBits()
  for (const token of tokens) {
    const { add, remove } = changes.get(token) as TokenChange
    const before = known.get(token)
    const longer = remove ? undefined : appended(before, add)
    if (longer) {
      kept.push({ token, ids: longer })
      continue
    }
    bits.fill(0)
    if (before) addEncoded(bits, before)
    for (const offset of remove ?? []) clearBit(bits, offset)
    for (const offset of add) setBit(bits, offset)
    if (!isEmpty(bits)) kept.push({ token, ids: encodeBits(bits) })
    else if (before) gone.push(token)
  }
  await upsert(db, block, kept)
  if (gone.length > 0) await deleteTokens(db, { block, tokens: listOf(db, gone) })
}

const deleteTokens = prepared<{ block: number; tokens: unknown }, []>((db, fill) =>
  db
    .deleteFrom('search_posting')
    .where('block', '=', fill('block'))
    .where('token', 'in', inList(db, fill('tokens'), 'text')),
)
