export interface CopiedTable {
  name: string
  /** The primary key. Rows are read in key order. */
  key: string
  /** Whether the store generates the key. Such ids are never reused. */
  givesIds: boolean
}

const ids = (name: string): CopiedTable => ({ name, key: 'id', givesIds: true })

/** The secrets of the installation. They are copied last, and their presence marks the copy as complete. */
export const SECRET_TABLE: CopiedTable = { name: 'secret', key: 'name', givesIds: false }

/** Every table that is copied. The list has a table after all tables that it refers to. */
export const COPIED_TABLES: CopiedTable[] = [
  ids('category'),
  ids('vocabulary'),
  ids('organization'),
  ids('api_key'),
  { name: 'api_key_secret', key: 'hash', givesIds: false },
  ids('staff'),
  ids('pet'),
  ids('photo'),
  { name: 'removed_photo', key: 'hash', givesIds: false },
  ids('pet_change'),
  ids('pet_source'),
  ids('photo_source'),
  { name: 'imported_file', key: 'fingerprint', givesIds: false },
  ids('adoption_order'),
  ids('adoption_order_pet'),
  ids('application'),
  ids('outbox'),
  { name: 'idempotency', key: 'scope', givesIds: false },
  { name: 'counter', key: 'caller', givesIds: false },
  { name: 'known_time', key: 'name', givesIds: false },
  SECRET_TABLE,
]

/**
 * Tables that have rows in a new store, each with a query for those rows. The list has a table before the
 * tables that it refers to.
 */
export const SEEDED_TABLES: Record<string, string> = {
  vocabulary: 'select id, kind, category_id, name from vocabulary order by id',
  category: 'select id, name, description from category order by id',
}

/** Not copied, because triggers on pet maintain this table. It is compared with a count. */
export const INVENTORY_TABLE = 'inventory'

/** Not copied, because this table identifies a store, and the copy is another store. */
export const INSTALLATION_TABLE = 'installation'

/** Not copied, because the target builds its search index from the animals. */
export const SEARCH_TABLES = ['pet_search', 'search_place', 'search_change', 'search_move']

/** Not copied: sessions, links and tokens. People and programs sign in again after the copy. */
export const SIGN_IN_TABLES = ['staff_session', 'staff_link', 'sign_in_try', 'access_token']

/** Not copied: the leases of jobs. */
export const JOB_TABLE = 'job'

/** The table that marks a store as one of adoptable. */
export const MIGRATIONS_TABLE = 'kysely_migration'
