import { sql } from 'kysely'
import { dialectOf } from '../db/dialect.ts'
import { inList, listOf } from '../db/list-parameter.ts'
import { ROWS, rowsOf, shapeOf, type Values, valuesOf } from '../db/many-rows.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { addEncoded, appended, clearBit, encodeBits, isEmpty, noBits, setBit } from './bits.ts'
import { takeTurns } from './turns.ts'

// Which animals have a token. What tokens there are, src/pets/tokens.ts says.

/** Of one block, which animals have a token. */
export type Posting = [block: number, token: string, ids: Uint8Array]

interface Wanted {
  blocks: unknown
  tokens: unknown
}

/**
 * PostgreSQL: each by itself, as SQLite does it. Of a table that has grown since its statistics were made it
 * would rather read whole blocks.
 */
const lookUps = (db: Db, fill: (name: keyof Wanted) => unknown) =>
  db.selectFrom(
    sql<{ block: number; token: string; ids: Uint8Array }>`(
      select found.* from unnest(${fill('blocks')}::bigint[]) of_block (block)
        cross join unnest(${fill('tokens')}::text[]) wanted (token)
        cross join lateral (
          select posting.block, posting.token, posting.ids from search_posting posting
          where posting.block = of_block.block and posting.token = wanted.token offset 0
        ) found
    )`.as('found'),
  )

const readTokens = prepared<Wanted, Posting>((db, fill) =>
  dialectOf(db).engine === 'postgres'
    ? lookUps(db, fill).select(['block', 'token', 'ids'])
    : db
        .selectFrom('search_posting')
        .select(['block', 'token', 'ids'])
        .where('block', 'in', inList(db, fill('blocks'), 'bigint'))
        .where('token', 'in', inList(db, fill('tokens'), 'text')),
)

/** @returns what there is of some tokens in some blocks */
export async function postingsOf(db: Db, blocks: number[], tokens: string[]): Promise<Posting[]> {
  if (blocks.length === 0 || tokens.length === 0) return []
  return readTokens(db, { blocks: listOf(db, blocks), tokens: listOf(db, tokens) })
}

interface Range {
  block: number
  from: string
  to: string
}

/** So many are read at once: one statement is one turn of the event loop. */
const MOST_AT_ONCE = 1_000

const readRange = prepared<Range, [token: string, ids: Uint8Array]>((db, fill) =>
  db
    .selectFrom('search_posting')
    .select(['token', 'ids'])
    .where('block', '=', fill('block'))
    .where('token', '>=', fill('from'))
    .where('token', '<', fill('to'))
    .orderBy('token')
    .limit(MOST_AT_ONCE),
)

/** Behind every text that begins with it, in the order of bytes. */
const beyond = (prefix: string): string => `${prefix}\u{10ffff}`

/** What there is of all tokens with a beginning in a block, some at a time. */
export async function* postingsFrom(
  db: Db,
  block: number,
  prefix: string,
): AsyncGenerator<[token: string, ids: Uint8Array][]> {
  let from = prefix
  for (let isFirst = true; ; isFirst = false) {
    const some = await readRange(db, { block, from, to: beyond(prefix) })
    // The others begin with the last one of before.
    yield isFirst ? some : some.slice(1)
    const last = some.at(-1)
    if (some.length < MOST_AT_ONCE || !last) return
    ;[from] = last
  }
}

/** What becomes of a token in a block: offsets that come, lowest first, and go. */
export interface TokenChange {
  add: number[]
  remove?: number[]
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
