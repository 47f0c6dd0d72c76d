/** As a store holds it, and exact in both engines: whole numbers as bigints, whatever their size. */
export type Value = string | bigint | null

export type Row = Value[]

export interface Table {
  name: string
  /** The primary key, in whose order rows are read. */
  key: string
  /** Whether the key is an id: one that the store gives out, and never gives out again. */
  givesIds: boolean
}

const ids = (name: string): Table => ({ name, key: 'id', givesIds: true })

/** What this installation keeps to itself; it arrives last, and with it the copy is whole. */
export const SECRETS: Table = { name: 'secret', key: 'name', givesIds: false }

/** Every table with rows of its own, the ones that others refer to first. The one list. */
export const TABLES: Table[] = [
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
  { name: 'idempotency', key: 'scope', givesIds: false },
  { name: 'counter', key: 'caller', givesIds: false },
  { name: 'known_time', key: 'name', givesIds: false },
  SECRETS,
]

/** Tables in which a new store has rows, the ones that refer to others first; with a look at them. */
export const FILLED: Record<string, string> = {
  vocabulary: 'select id, kind, category_id, name from vocabulary order by id',
  category: 'select id, name, description from category order by id',
}

/** Kept by triggers on pet, and so counted and not copied. */
export const COUNTED = 'inventory'

/** What each store knows of itself alone, and so not copied: the copy is a store of its own. */
export const INSTALLATION = 'installation'

/** What searches need, which follows from the animals: the target makes its own. */
export const DERIVED = ['pet_search', 'search_place', 'search_change', 'search_move']

/** Who is signed in, or may be by a link or token: in a copy nobody is. People and programs sign in again. */
export const SIGN_INS = ['staff_session', 'staff_link', 'sign_in_try', 'access_token']

/** Who is at work on what in this store. A copy begins anew. */
export const JOBS = 'job'

/** Made by every migration, and so by nothing else. */
export const MIGRATIONS = 'kysely_migration'

/** So many rows at most are read at once, and written in one transaction. */
export const BATCH = 1_000

/** One of the two stores, claimed for the copy alone until it is closed. */
export interface Side {
  /** For messages: never with a password. */
  name: string
  tables(): Promise<string[]>
  /** Brings the tables up to date. */
  migrate(): Promise<void>
  /** In an order that is the same on every engine. */
  columns(table: string): Promise<string[]>
  /** Few rows, of a statement that every engine knows. */
  rows(statement: string): Promise<Row[]>
  /** In the order of the key, text by its bytes, behind a key or from the first; in a transaction. */
  batches(table: Table, columns: string[], after?: Value): AsyncIterable<Row[]>
  lastKey(table: Table): Promise<Value | undefined>
  insert(table: Table, columns: string[], rows: Row[]): Promise<void>
  /** The highest id that was ever given out, also to a row that is gone; 0 for none. */
  lastId(table: Table): Promise<bigint>
  setLastId(table: Table, id: bigint): Promise<void>
  /** What throws leaves nothing behind. */
  transaction<Result>(work: () => Promise<Result>): Promise<Result>
  /** Tells the planner of queries what came. */
  analyze(): Promise<void>
  close(): Promise<void>
}

export async function countOf(side: Side, table: string): Promise<bigint> {
  const [row] = await side.rows(`select count(*) from ${table}`)
  return BigInt(row?.[0] ?? 0)
}
