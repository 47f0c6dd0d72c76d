import { type Kysely, sql } from 'kysely'

/*
 * The search index. pet_search has one row per animal, with its sort keys and, on PostgreSQL, its tokens. On
 * SQLite the tokens are in pet_tokens, an FTS5 table.
 *
 * Triggers record changed animals in search_change. When an organization moves, they also record up to 500 of
 * its animals there. If the organization has more animals, they record the organization in search_move. Each
 * transaction indexes its changes before it commits (src/pets/search/index-animals.ts), and a job indexes the
 * rest. Triggers see every change, whatever code makes it.
 */

/** The columns of pet that the index depends on. */
const SEARCHED = [
  'name',
  'category_id',
  'status',
  'external_id',
  'organization_id',
  'profile',
  'public_part',
  'photos',
  'published_at',
  'updated_at',
]

/** The newest rows belong to the current transaction. Older rows may remain, for example after a copy. */
const NOTE_CHANGE = 'insert or replace into search_change (pet_id)'
/** If an organization moves, its transaction indexes this many of its animals. A job indexes the others. */
const MAX_MOVED = 500
const MOVED = `select id from pet where organization_id = new.id order by id limit ${MAX_MOVED}`
const NOTE_MOVE = `insert into search_move (organization_id, behind)
  select new.id, max(id) from (${MOVED}) as moved having count(*) = ${MAX_MOVED}
  on conflict (organization_id) do update set behind = excluded.behind`

const tables = (integer: string, text: string, tokens: string, options: string): string[] => [
  `create table pet_search (
    pet_id ${integer} primary key references pet (id) on delete cascade,
    name ${text} not null,
    published ${integer} not null,
    updated ${integer} not null,
    age ${text} not null,
    place ${text},
    counted ${text} not null
    ${tokens}
  ) ${options}`,
  'create index pet_search_by_name on pet_search (name, pet_id)',
  'create index pet_search_by_publication on pet_search (published, pet_id)',
  'create index pet_search_by_age on pet_search (age, pet_id)',
  `create table search_place (place ${text} primary key)`,
  `create table search_move (
    organization_id ${integer} primary key references organization (id) on delete cascade,
    behind ${integer} not null
  )`,
]

/** All printable ASCII characters belong to tokens. Control characters, such as a line feed, end them. */
function tokenizer(): string {
  const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('')
  const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
  return quoted(`ascii tokenchars ${quoted(printable)}`)
}

const sqliteTrigger = (name: string, event: string, action: string): string =>
  `create trigger ${name} after ${event} begin ${action}; end`

/** Makes FTS5 merge its segments. Until then, the segments still contain the words of changed texts. */
export const MERGE_TOKENS = "insert into pet_tokens (pet_tokens) values ('optimize')"

const SQLITE = [
  ...tables('integer', 'text', '', 'strict'),
  'create table search_change (seq integer primary key, pet_id integer not null unique) strict',
  // Speeds up searches for the first letters of a word. A prefix of 6 characters is `w:` and four letters.
  `create virtual table pet_tokens using fts5(
    tokens, content='', contentless_delete=1, detail=none, tokenize=${tokenizer()}, prefix='6'
  )`,
  sqliteTrigger('pet_insert_is_searched', 'insert on pet', `${NOTE_CHANGE} values (new.id)`),
  sqliteTrigger(
    'pet_update_is_searched',
    `update of ${SEARCHED.join(', ')} on pet`,
    `${NOTE_CHANGE} values (new.id)`,
  ),
  sqliteTrigger(
    'pet_delete_is_searched',
    'delete on pet',
    'delete from pet_tokens where rowid = old.id; delete from search_change where pet_id = old.id',
  ),
  sqliteTrigger(
    'organization_move_is_searched',
    `update of profile on organization when ${['address', 'latitude', 'longitude']
      .map((member) => `old.profile ->> '${member}' is not new.profile ->> '${member}'`)
      .join(' or ')}`,
    `${NOTE_CHANGE} ${MOVED}; ${NOTE_MOVE}`,
  ),
  // The trigger also counts a change of cached data, because cached pages are now outdated.
  ...['update', 'delete'].map((event) =>
    sqliteTrigger(
      `search_move_${event}_changes_pages`,
      `${event} on search_move`,
      'update revision set pages = pages + 1',
    ),
  ),
]

/** Records changed animals under the id of the transaction, which later indexes only these animals. */
const noteRows = (rows: string): string => `insert into search_change (pet_id) ${rows}
  on conflict (pet_id) do update set transaction = excluded.transaction`

const noteChanges = (event: string): string[] => [
  `create trigger pet_${event}_is_searched after ${event} on pet referencing new table as rows
    for each statement execute function note_changed_pets()`,
]

const POSTGRES = [
  ...tables('bigint', 'text collate "C"', ', tokens tsvector not null', ''),
  'create index pet_search_by_tokens on pet_search using gin (tokens)',
  'create index pet_search_by_place on pet_search (place, pet_id)',
  `create table search_change (
    pet_id bigint primary key,
    transaction xid8 not null default pg_current_xact_id()
  )`,
  'create index search_change_by_transaction on search_change (transaction)',
  `create function note_changed_pets() returns trigger language plpgsql as $$
    begin
      ${noteRows('select id from rows order by id')};
      return null;
    end $$`,
  ...noteChanges('insert'),
  ...noteChanges('update'),
  `create function note_moved_organization() returns trigger language plpgsql as $$
    begin
      ${noteRows(MOVED)};
      ${NOTE_MOVE};
      return null;
    end $$`,
  `create trigger organization_move_is_searched after update on organization for each row when (${[
    'address',
    'latitude',
    'longitude',
  ]
    .map((member) => `old.profile::json ->> '${member}' is distinct from new.profile::json ->> '${member}'`)
    .join(' or ')}) execute function note_moved_organization()`,
]

export async function addSearch(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  for (const statement of engine === 'sqlite' ? SQLITE : POSTGRES) await sql.raw(statement).execute(db)
}
