import { sql } from 'kysely'
import { dialectOf } from '../db/dialect.ts'
import { inList, listOf } from '../db/list-parameter.ts'
import { ROWS, shapeOf, type Values, valuesOf } from '../db/many-rows.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { organizationPlacesOf } from '../organizations/places.ts'
import { ageKey, nameKey, placeTokenOf } from './order-keys.ts'
import { AT, SEARCHED_COLUMNS, type SearchedRow, token, tokensOf, wordOf } from './tokens.ts'

// Brings what searches ask up to date, in the transaction that changed the animals.

/** More animals than these wait for the next change, or for the job. */
const MAX_ANIMALS = 500

type Numbered = [id: number, ...SearchedRow]

const readSome = prepared<Values, Numbered>(
  (db, fill, { rows }) =>
    db
      .selectFrom('pet')
      .select(['id', ...SEARCHED_COLUMNS])
      .where(
        'id',
        'in',
        Array.from({ length: Number(rows) }, (_, index) => fill(`id${index}`) as number),
      ),
  shapeOf,
)

/** @returns those that are there, in no order */
export async function readSearched(db: Db, ids: number[]): Promise<Numbered[]> {
  const found: Numbered[] = []
  for (let from = 0; from < ids.length; from += ROWS) {
    const some = ids.slice(from, from + ROWS).map((id) => ({ id }))
    found.push(...(await readSome(db, valuesOf(some, {}))))
  }
  return found
}

const COLUMNS_OF_PET = ['pet.id', ...SEARCHED_COLUMNS.map((column) => `pet.${column}` as const)] as const

const readNewest = prepared<object, Numbered>((db) =>
  db
    .selectFrom('search_change')
    .innerJoin('pet', 'pet.id', 'search_change.pet_id')
    .select(COLUMNS_OF_PET)
    .orderBy('search_change.seq', 'desc')
    .limit(MAX_ANIMALS),
)

const forgetChanged = prepared<{ ids: unknown }, never>((db, fill) =>
  db.deleteFrom('search_change').where('pet_id', 'in', inList(db, fill('ids'), 'bigint')),
)

/** In PostgreSQL those of this transaction, or any that no other has in hand. */
const takeChanged = prepared<{ anyOf: boolean }, Numbered>(
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
      .select(COLUMNS_OF_PET),
  ({ anyOf }) => String(anyOf),
)

async function changed(db: Db, anyOf: boolean): Promise<Numbered[]> {
  if (dialectOf(db).engine === 'postgres') return takeChanged(db, { anyOf })
  const rows = await readNewest(db, {})
  const ids = rows.map(([id]) => id)
  if (ids.length > 0) await forgetChanged(db, { ids: listOf(db, ids) })
  return rows
}

/** Animals of an organization that moved, and has more than one change brings up to date. */
async function moved(db: Db): Promise<Numbered[]> {
  const next = db.selectFrom('search_move').select(['organization_id', 'behind']).limit(1)
  const row = await dialectOf(db).lockRows(next).executeTakeFirst()
  if (!row) return []
  const { organization_id, behind } = row
  const animals = await db
    .selectFrom('pet')
    .select('id')
    .where('organization_id', '=', organization_id)
    .where('id', '>', behind)
    .orderBy('id')
    .limit(MAX_ANIMALS)
    .execute()
  const ids = animals.map(({ id }) => id)
  const done =
    ids.length < MAX_ANIMALS
      ? db.deleteFrom('search_move').where('organization_id', '=', organization_id)
      : db
          .updateTable('search_move')
          .set({ behind: ids.at(-1) as number })
          .where('organization_id', '=', organization_id)
  await done.execute()
  return readSearched(db, ids)
}

/**
 * Brings the animals that this transaction has changed up to date.
 *
 * @param goOn whether to go on with what others have left, as of a large organization: a job does
 * @returns whether there may be more
 */
export async function indexAnimals(db: Db, goOn = false): Promise<boolean> {
  const rows = await changed(db, goOn)
  if (goOn && rows.length === 0) rows.push(...(await moved(db)))
  if (rows.length > 0) await index(db, rows)
  return rows.length === MAX_ANIMALS
}

interface Entry {
  id: number
  name: string
  published: number
  age: string
  place: string | null
  tokens: string[]
}

async function index(db: Db, rows: Numbered[]): Promise<void> {
  const placeOf = await organizationPlacesOf(
    db,
    rows.flatMap(([, , , , , organizationId]) => (organizationId === null ? [] : [Number(organizationId)])),
  )
  const entries = rows.map(([id, ...row]): Entry => {
    const [name, , , , organizationId, , publicPart, , publishedAt] = row
    const tokens = tokensOf(row, placeOf.get(Number(organizationId)))
    const place = placeTokenOf(publicPart, organizationId) ?? null
    return { id, name: nameKey(name), published: publishedAt ?? 0, age: ageKey(row), place, tokens }
  })
  const places = entries.flatMap(({ place }) => (place?.startsWith(token(AT, '')) ? [place] : []))
  if (entries.length > 0)
    await (dialectOf(db).engine === 'sqlite' ? inSqlite : inPostgres)(db, entries, [...new Set(places)])
}

const notePlace = prepared<{ place: string }, never>((db, fill) =>
  db
    .insertInto('search_place')
    .values({ place: fill('place') })
    .onConflict((conflict) => conflict.doNothing()),
)

const writeRow = prepared<Omit<Entry, 'tokens'>, never>((db, fill) => {
  const row = {
    pet_id: fill('id'),
    name: fill('name'),
    published: fill('published'),
    age: fill('age'),
    place: fill('place'),
  }
  return db
    .insertInto('pet_search')
    .values(row as never)
    .onConflict((conflict) =>
      conflict.column('pet_id').doUpdateSet(({ ref }) => ({
        name: ref('excluded.name'),
        published: ref('excluded.published'),
        age: ref('excluded.age'),
        place: ref('excluded.place'),
      })),
    )
})

const writeTokens = prepared<{ id: bigint; tokens: string }, never>((db, fill) =>
  db.replaceInto('pet_tokens').values({ rowid: fill('id') as never, tokens: fill('tokens') }),
)

/** By rising ids, which FTS5 wants. */
async function inSqlite(db: Db, entries: Entry[], places: string[]): Promise<void> {
  for (const place of places) await notePlace(db, { place })
  for (const { tokens, ...row } of entries.sort((one, other) => one.id - other.id)) {
    await writeRow(db, row)
    await writeTokens(db, { id: BigInt(row.id), tokens: tokens.map(wordOf).join(' ') })
  }
}

const COLUMNS = ['id', 'name', 'published', 'age', 'place', 'tokens'] as const

/** Tokens hold no line feed: they are given as one text, since arrays of arrays have to be of one length. */
const writeEntries = prepared<Record<(typeof COLUMNS)[number], unknown[]>, never>((db, fill) => ({
  compile: () =>
    sql<never>`
    insert into pet_search (pet_id, name, published, age, place, tokens)
    select id, name, published, age, place, array_to_tsvector(string_to_array(tokens, E'\n'))
    from unnest(
      ${fill('id')}::bigint[], ${fill('name')}::text[], ${fill('published')}::bigint[],
      ${fill('age')}::text[], ${fill('place')}::text[], ${fill('tokens')}::text[]
    ) as given (id, name, published, age, place, tokens)
    on conflict (pet_id) do update set name = excluded.name, published = excluded.published,
      age = excluded.age, place = excluded.place, tokens = excluded.tokens
  `.compile(db),
}))

const notePlaces = prepared<{ places: string[] }, never>((db, fill) => ({
  compile: () =>
    sql<never>`
      insert into search_place (place) select place from unnest(${fill('places')}::text[]) as given (place)
      on conflict do nothing
    `.compile(db),
}))

async function inPostgres(db: Db, entries: Entry[], places: string[]): Promise<void> {
  if (places.length > 0) await notePlaces(db, { places: places.sort() })
  const sorted = entries.sort((one, other) => one.id - other.id)
  const all = sorted.map(({ tokens, ...row }) => ({ ...row, tokens: tokens.map(wordOf).join('\n') }))
  const columns = COLUMNS.map((name) => [name, all.map((row) => row[name])])
  await writeEntries(db, Object.fromEntries(columns))
}
