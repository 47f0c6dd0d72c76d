import { sql } from 'kysely'
import { dialectOf } from '../../db/dialect.ts'
import { inList, listOf } from '../../db/list-parameter.ts'
import { prepared } from '../../db/prepared.ts'
import type { Db } from '../../db/tables.ts'
import { organizationPlacesOf } from '../../organizations/places.ts'
import { AT, type Entry, entryOf, SEARCHED_COLUMNS, type SearchedRow, token } from './tokens.ts'

// Writes what searches read, in the transaction that changed the animals.

/** More animals than these wait for the next change, or for the job. */
const MAX_ANIMALS = 500

const readNewest = prepared<object, SearchedRow>((db) =>
  db
    .selectFrom('search_change')
    .innerJoin('pet', 'pet.id', 'search_change.pet_id')
    .select(SEARCHED_COLUMNS)
    .orderBy('search_change.seq', 'desc')
    .limit(MAX_ANIMALS),
)

const forgetChanged = prepared<{ ids: unknown }, never>((db, fill) =>
  db.deleteFrom('search_change').where('pet_id', 'in', inList(db, fill('ids'), 'bigint')),
)

/** In PostgreSQL those of this transaction, or any that no other has in hand. */
const takeChanged = prepared<{ anyOf: boolean }, SearchedRow>(
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
      .select(SEARCHED_COLUMNS),
  ({ anyOf }) => String(anyOf),
)

async function changed(db: Db, anyOf: boolean): Promise<SearchedRow[]> {
  if (dialectOf(db).engine === 'postgres') return takeChanged(db, { anyOf })
  const rows = await readNewest(db, {})
  const ids = rows.map(({ id }) => id)
  if (ids.length > 0) await forgetChanged(db, { ids: listOf(db, ids) })
  return rows
}

const readOfOrganization = prepared<{ organizationId: number; behind: number }, SearchedRow>((db, fill) =>
  db
    .selectFrom('pet')
    .select(SEARCHED_COLUMNS)
    .where('organization_id', '=', fill('organizationId'))
    .where('id', '>', fill('behind'))
    .orderBy('id')
    .limit(MAX_ANIMALS),
)

/** The next animals of an organization that moved, where it has more than one transaction indexes. */
async function moved(db: Db): Promise<SearchedRow[]> {
  const next = db.selectFrom('search_move').select(['organization_id', 'behind']).limit(1)
  const row = await dialectOf(db).lockRows(next).executeTakeFirst()
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

async function index(db: Db, rows: SearchedRow[]): Promise<void> {
  const organizationIdOf = ({ organizationId }: SearchedRow) => organizationId ?? 0
  const placeOf = await organizationPlacesOf(db, rows.map(organizationIdOf).filter(Boolean))
  const entries = rows.map((row) => entryOf(row, placeOf.get(organizationIdOf(row))))
  // FTS5 is fastest by rising ids.
  entries.sort((one, other) => one.id - other.id)
  const places = entries.flatMap(({ place }) => (place?.startsWith(token(AT, '')) ? [place] : []))
  await (dialectOf(db).engine === 'sqlite' ? inSqlite : inPostgres)(db, entries, [...new Set(places)].sort())
}

const notePlace = prepared<{ place: string }, never>((db, fill) =>
  db
    .insertInto('search_place')
    .values({ place: fill('place') })
    .onConflict((conflict) => conflict.doNothing()),
)

const KEYS = ['name', 'published', 'updated', 'age', 'place', 'counted'] as const

const writeKeys = prepared<Omit<Entry, 'tokens'>, never>((db, fill) =>
  db
    .insertInto('pet_search')
    .values({ pet_id: fill('id'), ...byKey((key) => fill(key)) } as never)
    .onConflict((conflict) =>
      conflict.column('pet_id').doUpdateSet(({ ref }) => byKey((key) => ref(`excluded.${key}`))),
    ),
)

const byKey = <Value>(fill: (key: (typeof KEYS)[number]) => Value) =>
  Object.fromEntries(KEYS.map((key) => [key, fill(key)]))

/** Node binds a number as a real one, and FTS5 takes an integer alone for an id. */
const writeTokens = prepared<{ id: number; tokens: string }, never>((db, fill) =>
  db
    .replaceInto('pet_tokens')
    .values({ rowid: sql<number>`cast(${fill('id')} as integer)`, tokens: fill('tokens') }),
)

async function inSqlite(db: Db, entries: Entry[], places: string[]): Promise<void> {
  for (const place of places) await notePlace(db, { place })
  for (const { tokens, ...keys } of entries) {
    await writeKeys(db, keys)
    await writeTokens(db, { id: keys.id, tokens: tokens.join('\n') })
  }
}

const COLUMNS = ['id', ...KEYS, 'tokens'] as const

/** Tokens hold no line feed: they are given as one text, since arrays of arrays have to be of one length. */
const writeEntries = prepared<Record<(typeof COLUMNS)[number], unknown[]>, never>((db, fill) => ({
  compile: () =>
    sql<never>`
    insert into pet_search (pet_id, name, published, updated, age, place, counted, tokens)
    select id, name, published, updated, age, place, counted,
      array_to_tsvector(string_to_array(tokens, E'\n'))
    from unnest(
      ${fill('id')}::bigint[], ${fill('name')}::text[], ${fill('published')}::bigint[],
      ${fill('updated')}::bigint[], ${fill('age')}::text[], ${fill('place')}::text[],
      ${fill('counted')}::text[], ${fill('tokens')}::text[]
    ) as given (id, name, published, updated, age, place, counted, tokens)
    on conflict (pet_id) do update set name = excluded.name, published = excluded.published,
      updated = excluded.updated, age = excluded.age, place = excluded.place, counted = excluded.counted,
      tokens = excluded.tokens
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
  if (places.length > 0) await notePlaces(db, { places })
  const all = entries.map(({ tokens, ...keys }) => ({ ...keys, tokens: tokens.join('\n') }))
  const columns = COLUMNS.map((name) => [name, all.map((row) => row[name])])
  await writeEntries(db, Object.fromEntries(columns))
}
