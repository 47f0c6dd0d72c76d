import { type Kysely, sql } from 'kysely'

/** What of an animal is searched. */
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
/** An int64 is a text in it: as a number of JSON it would not be exact. */
const NUMBERS = ['category_id', 'organization_id']

/** A row as it was, as a JSON array in the order of SEARCHED. */
function rowAsJson(row: string, make: string): string {
  const values = SEARCHED.map((column) => {
    if (column === 'photos') return `${row}.photos is not null`
    return NUMBERS.includes(column) ? `cast(${row}.${column} as text)` : `${row}.${column}`
  })
  return `${make}(${values.join(', ')})`
}

interface Types {
  integer: string
  bytes: string
  /** Text that is compared byte by byte. */
  text: string
  /** Behind each table. */
  options: string
}

/**
 * The index of the search, which follows from the animals, and what has changed since it was brought up
 * to date. An animal that is changed leaves what it was in search_change, once; the store itself does
 * that, so that no way into it can be forgotten.
 */
export async function addSearch(db: Kysely<unknown>, types: Types, triggers: string[]): Promise<void> {
  const { integer, bytes, text, options } = types
  const statements = [
    `create table search_posting (
      block ${integer} not null,
      token ${text} not null,
      ids ${bytes} not null,
      primary key (block, token)
    ) ${options}`,
    `create table search_order (
      sort ${text} not null,
      key ${text} not null,
      pet_id ${integer} not null,
      primary key (sort, key, pet_id)
    ) ${options}`,
    `create table search_change (pet_id ${integer} primary key, was text)`,
    `create table search_state (
      only_row ${integer} primary key check (only_row = 1),
      generation ${integer} not null,
      backfill_from ${integer} not null,
      backfill_to ${integer} not null
    )`,
    // What is there already is brought in by a job, from the lowest id to the highest.
    `insert into search_state (only_row, generation, backfill_from, backfill_to)
      select 1, 0, 1, coalesce(max(id), 0) from pet`,
    ...triggers,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const TABLE = 'search_change (pet_id, was)'
const KEEP = 'on conflict (pet_id) do nothing'

/**
 * Holds what is there already, though it stays as it is: it would otherwise be taken into the index, and
 * removed, before this transaction's animal is there to be read.
 */
const HOLD = 'on conflict (pet_id) do update set was = excluded.was where false'

/** Of SQLite, for each row. */
export const ROW_TRIGGERS = [
  `create trigger pet_insert_is_searched after insert on pet
    begin insert into ${TABLE} values (new.id, null) ${KEEP}; end`,
  ...[`update of ${SEARCHED.join(', ')}`, 'delete'].map(
    (event) => `create trigger pet_${event.split(' ')[0]}_is_searched after ${event} on pet
      begin insert into ${TABLE} values (old.id, ${rowAsJson('old', 'json_array')}) ${KEEP}; end`,
  ),
]

function statementTrigger(event: string, rows: string, was: string): string[] {
  const transition = event === 'insert' ? 'new table as rows' : 'old table as rows'
  return [
    `create function note_pets_before_${event}() returns trigger language plpgsql as $$
      begin
        insert into ${TABLE} select ${rows}.id, ${was} from rows order by ${rows}.id ${HOLD};
        return null;
      end $$`,
    `create trigger pet_${event}_is_searched after ${event} on pet
      referencing ${transition} for each statement execute function note_pets_before_${event}()`,
  ]
}

/** Of PostgreSQL, once for each statement. */
export const STATEMENT_TRIGGERS = [
  ...statementTrigger('insert', 'rows', 'null'),
  ...['update', 'delete'].flatMap((event) =>
    statementTrigger(event, 'rows', `${rowAsJson('rows', 'json_build_array')}::text`),
  ),
]
