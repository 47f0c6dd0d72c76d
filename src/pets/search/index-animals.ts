import { sql } from 'kysely'
import { changes } from '../../db/change.ts'
import { dialectOf, inList, listParameter } from '../../db/dialect.ts'
import { prepareQuery } from '../../db/prepared.ts'
import type { Db } from '../../db/tables.ts'
import type { Write } from '../../db/write.ts'
import { type Job, runInSteps } from '../../jobs/job.ts'
import { organizationPlacesOf } from '../../organizations/places.ts'
import { STORED_COLUMNS, type StoredRow } from '../row.ts'
import { entryOf, type IndexEntry } from './entry.ts'
import { AT, ID_BLOCK, idBlock, token } from './tokens.ts'

// Writes the search index. This happens in the same transaction that changes the animals.

/** The maximum number of animals that a transaction indexes. The next change or the job indexes the rest. */
const MAX_ANIMALS = 500

const readNewest = prepareQuery<object, StoredRow>((db) =>
  db
    .selectFrom('search_change')
    .innerJoin('pet', 'pet.id', 'search_change.pet_id')
    .select(STORED_COLUMNS)
    .orderBy('search_change.seq', 'desc')
    .limit(MAX_ANIMALS),
)

const forgetChanged = prepareQuery<{ ids: unknown }, never>((db, fill) =>
  db.deleteFrom('search_change').where('pet_id', 'in', inList(db, fill('ids'), 'bigint')),
)

/** For PostgreSQL: takes the recorded changes of this transaction, or all that no other one has locked. */
const takeChanged = prepareQuery<{ anyOf: boolean }, StoredRow>(
  (db, _fill, { anyOf }) =>
    db
      .with('taken', (of) =>
        of
          .deleteFrom('search_change')
          .where('pet_id', 'in', (among) => {
            const some = among.selectFrom('search_change').select('pet_id').limit(MAX_ANIMALS)
            return anyOf
              ? some.forUpdate().skipLocked()
              : some.where('transaction', '=', sql<string>`pg_current_xact_id()`)
          })
          .returning('pet_id'),
      )
      .selectFrom('taken')
      .innerJoin('pet', 'pet.id', 'taken.pet_id')
      .select(STORED_COLUMNS),
  ({ anyOf }) => String(anyOf),
)

async function readChanged(db: Db, anyOf: boolean): Promise<StoredRow[]> {
  if (dialectOf(db).engine === 'postgres') return takeChanged(db, { anyOf })
  const rows = await readNewest(db, {})
  const ids = rows.map(({ id }) => id)
  if (ids.length > 0) await forgetChanged(db, { ids: listParameter(db, ids) })
  return rows
}

const readOfOrganization = prepareQuery<{ organizationId: number; behind: number }, StoredRow>((db, fill) =>
  db
    .selectFrom('pet')
    .select(STORED_COLUMNS)
    .where('organization_id', '=', fill('organizationId'))
    .where('id', '>', fill('behind'))
    .orderBy('id')
    .limit(MAX_ANIMALS),
)

/** Reads the next animals of a moved organization that has too many animals for one transaction. */
async function readMoved(db: Db): Promise<StoredRow[]> {
  const next = db.selectFrom('search_move').select(['organization_id', 'behind']).limit(1)
  const row = await dialectOf(db).lockRows(next, 'skip').executeTakeFirst()
  if (!row) return []
  const { organization_id, behind } = row
  const animals = await readOfOrganization(db, { organizationId: organization_id, behind })
  const done =
    animals.length < MAX_ANIMALS
      ? db.deleteFrom('search_move').where('organization_id', '=', organization_id)
      : db
          .updateTable('search_move')
          .set({ behind: animals.at(-1)?.id as number })
          .where('organization_id', '=', organization_id)
  await done.execute()
  return animals
}

/**
 * Indexes the animals that this transaction has changed.
 * @param includeOthers whether to index changes of earlier transactions too, as the job does
 * @returns whether more animals may be waiting
 */
export async function indexAnimals(db: Db, includeOthers = false): Promise<boolean> {
  const rows = await readChanged(db, includeOthers)
  if (includeOthers && rows.length === 0) rows.push(...(await readMoved(db)))
  if (rows.length > 0) await index(db, rows)
  return rows.length === MAX_ANIMALS
}

async function index(db: Db, rows: StoredRow[]): Promise<void> {
  const organizationIdOf = ({ organizationId }: StoredRow) => organizationId ?? 0
  const placeOf = await organizationPlacesOf(db, rows.map(organizationIdOf).filter(Boolean))
  const entries = rows.map((row) => entryOf(row, placeOf.get(organizationIdOf(row))))
  // FTS5 is fastest when ids rise.
  entries.sort((one, other) => one.id - other.id)
  const places = entries.flatMap(({ place }) => (place?.startsWith(token(AT, '')) ? [place] : []))
  await (dialectOf(db).engine === 'sqlite' ? inSqlite : inPostgres)(db, entries, [...new Set(places)].sort())
}

const notePlace = prepareQuery<{ place: string }, never>((db, fill) =>
  db
    .insertInto('search_place')
    .values({ place: fill('place') })
    .onConflict((conflict) => conflict.doNothing()),
)

const KEYS = [
  ...(['name', 'published', 'updated', 'age', 'place', 'counted'] as const),
  ...(['number', 'kennel', 'intake'] as const),
] as const

const writeKeys = prepareQuery<Omit<IndexEntry, 'tokens'>, never>((db, fill) =>
  db
    .insertInto('pet_search')
    .values({ pet_id: fill('id'), ...byKey((key) => fill(key)) } as never)
    .onConflict((conflict) =>
      conflict.column('pet_id').doUpdateSet(({ ref }) => byKey((key) => ref(`excluded.${key}`))),
    ),
)

const byKey = <Value>(fill: (key: (typeof KEYS)[number]) => Value) =>
  Object.fromEntries(KEYS.map((key) => [key, fill(key)]))

/** Node binds numbers as reals, but FTS5 needs an integer rowid. */
const writeTokens = prepareQuery<{ id: number; tokens: string }, never>((db, fill) =>
  db
    .replaceInto('pet_tokens')
    .values({ rowid: sql<number>`cast(${fill('id')} as integer)`, tokens: fill('tokens') }),
)

async function inSqlite(db: Db, entries: IndexEntry[], places: string[]): Promise<void> {
  for (const place of places) await notePlace(db, { place })
  for (const { tokens, ...keys } of entries) {
    await writeKeys(db, keys)
    const block = token(ID_BLOCK, idBlock(keys.id))
    await writeTokens(db, { id: keys.id, tokens: [block, ...tokens].join('\n') })
  }
}

const COLUMNS = ['id', ...KEYS, 'tokens'] as const
const NUMBERS: readonly string[] = ['id', 'published', 'updated', 'intake']

const typeOf = (column: string): string => (NUMBERS.includes(column) ? 'bigint' : 'text')

/** Joins the tokens of an animal with line feeds: PostgreSQL requires nested arrays of equal lengths. */
const writeEntries = prepareQuery<Record<(typeof COLUMNS)[number], unknown[]>, never>((db, fill) => ({
  compile: () =>
    sql<never>`
    insert into pet_search (pet_id, ${sql.raw(KEYS.join(', '))}, tokens)
    select id, ${sql.raw(KEYS.join(', '))}, array_to_tsvector(string_to_array(tokens, E'\n'))
    from unnest(${sql.join(COLUMNS.map((name) => sql`${fill(name)}::${sql.raw(typeOf(name))}[]`))})
      as given (${sql.raw(COLUMNS.join(', '))})
    on conflict (pet_id) do update
      set ${sql.raw([...KEYS, 'tokens'].map((name) => `${name} = excluded.${name}`).join(', '))}
  `.compile(db),
}))

const notePlaces = prepareQuery<{ places: string[] }, never>((db, fill) => ({
  compile: () =>
    sql<never>`
      insert into search_place (place) select place from unnest(${fill('places')}::text[]) as given (place)
      on conflict do nothing
    `.compile(db),
}))

async function inPostgres(db: Db, entries: IndexEntry[], places: string[]): Promise<void> {
  if (places.length > 0) await notePlaces(db, { places })
  const all = entries.map(({ tokens, ...keys }) => ({ ...keys, tokens: tokens.join('\n') }))
  const columns = COLUMNS.map((name) => [name, all.map((row) => row[name])])
  await writeEntries(db, Object.fromEntries(columns))
}

/*
 * The job that keeps searches fast, and indexes animals that no transaction has indexed yet.
 *
 * FTS5 writes segments, and a search reads all of them. Searches are about ten times as fast if the segments
 * are merged into one (https://www.sqlite.org/fts5.html, section 6.8). PostgreSQL does not need this.
 */

/** The number of pages that one transaction merges, in about 20 ms. */
const MERGE_PAGES = 64
/**
 * The maximum number of segments. FTS5 merges small segments itself. The job merges all segments if there are
 * more than this, and if all segments except the largest together have more than an eighth of the largest
 * segment's pages. The second condition avoids frequent rewrites of the largest segment.
 */
const MAX_SEGMENTS = 8
const MIN_SHARE_OF_OTHERS = 1 / 8

/** @returns true if a search reads too many segments. */
async function isMergeDue(db: Db): Promise<boolean> {
  if (dialectOf(db).engine === 'postgres') return false
  const { rows } = await sql<{ pages: number }>`
    select count(*) as pages from pet_tokens_idx group by segid order by pages desc
  `.execute(db)
  const [largest = 0, ...others] = rows.map(({ pages }) => Number(pages))
  const otherPages = others.reduce((sum, pages) => sum + pages, 0)
  return rows.length > MAX_SEGMENTS && otherPages > largest * MIN_SHARE_OF_OTHERS
}

/** @param begin starts a merge of all current segments @returns whether the merge is unfinished */
export async function mergeTokens(db: Db, begin: boolean): Promise<boolean> {
  if (dialectOf(db).engine === 'postgres') return false
  const before = await totalChanges(db)
  await sql`insert into pet_tokens (pet_tokens, rank) values ('merge', ${begin ? -MERGE_PAGES : MERGE_PAGES})`.execute(
    db,
  )
  // If there was nothing to merge, the count of changes rises by less than two (manual of FTS5).
  return (await totalChanges(db)) - before >= 2
}

async function totalChanges(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`select total_changes() as count`.execute(db)
  return Number(rows[0]?.count)
}

/** Merges all segments, in small transactions. */
export async function mergeAll(write: Write, mayContinue = async () => true): Promise<void> {
  let isFirst = true
  await runInSteps(async () => {
    const isUnfinished = await write(changes.mergeTokens, isFirst)
    isFirst = false
    return isUnfinished
  }, mayContinue)
}

/** Indexes the animals that no transaction has indexed yet, then merges segments. */
export const searchIndex: Job = {
  isDue: async ({ db }) => (await hasPending(db)) || (await isMergeDue(db)),
  async run({ db, write }, mayContinue) {
    await runInSteps(
      async () => (await write(changes.indexAnimals, true)) || (await hasPending(db)),
      mayContinue,
    )
    if (await isMergeDue(db)) await mergeAll(write, mayContinue)
  },
}

async function hasPending(db: Db): Promise<boolean> {
  for (const table of ['search_change', 'search_move'] as const)
    if (await db.selectFrom(table).select(sql<number>`1`.as('one')).limit(1).executeTakeFirst()) return true
  return false
}
