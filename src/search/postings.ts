import { sql } from 'kysely'
import { dialectOf } from '../db/dialect.ts'
import { inList, listOf } from '../db/list-parameter.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'

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

const readLast = prepared<object, [block: number | null]>((db) =>
  db.selectFrom('search_posting').select(({ fn }) => fn.max('block').as('block')),
)

/** Behind this one the index has nothing. */
export async function lastBlock(db: Db): Promise<number> {
  const [[block] = [null]] = await readLast(db, {})
  return Number(block ?? 0)
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
