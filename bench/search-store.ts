import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { changes } from '../src/changes.ts'
import { openForCommand } from '../src/db/open-database.ts'
import { fileOf, isPostgres } from '../src/db/store-url.ts'
import type { Db } from '../src/db/tables.ts'
import { insertOrganization } from '../src/organizations/store.ts'
import { categoryNames, withAge } from '../src/pets/age.ts'
import type { AgedPet } from '../src/pets/row.ts'
import type { NewPet } from '../src/pets/schema.ts'
import { mergeAll } from '../src/pets/search/index-animals.ts'
import { insertPets } from '../src/pets/store.ts'
import { organizations, skewedAnimals } from './skewed.ts'

// Fills a store with many animals, directly in its tables, then indexes them.

/** Animals per transaction. */
const BATCH_SIZE = 2_000
/** Range of publication times. */
const SPAN_MS = 3 * 365 * 86_400_000
const NEWEST = Date.UTC(2026, 10, 20)

export interface StoreFigures {
  insertSeconds: number
  indexSeconds: number
  /** Processor time for the index, of all threads. */
  indexCpuSeconds: number
  /** Size of the file, or of all tables of the database. */
  storeMb: number
  indexMb: number
}

/**
 * Makes the store. If BENCH_STORES names a folder, SQLite files are cached there by number of animals.
 */
export async function fillStore(url: string, count: number): Promise<StoreFigures> {
  const { BENCH_STORES: stores } = process.env
  if (!stores || isPostgres(url)) return fill(url, count)
  const cached = join(stores, `${count}.db`)
  if (!existsSync(`${cached}.json`)) {
    mkdirSync(stores, { recursive: true })
    writeFileSync(`${cached}.json`, JSON.stringify(await fill(`sqlite:${cached}`, count)))
  }
  copyFileSync(cached, fileOf(url), constants.COPYFILE_FICLONE)
  return JSON.parse(readFileSync(`${cached}.json`, 'utf8'))
}

async function fill(url: string, count: number): Promise<StoreFigures> {
  const store = await openForCommand(url, changes)
  try {
    if (!isPostgres(url)) await sql`pragma cache_size = -250000`.execute(store.db)
    const begun = performance.now()
    await insertAll(store.db, count)
    const inserted = performance.now()
    const computed = process.cpuUsage()
    while (await store.write(changes.indexAnimals, true));
    await mergeAll(store.write)
    const indexed = performance.now()
    const { user, system } = process.cpuUsage(computed)
    // PostgreSQL's autovacuum would run this only some time after many changes.
    if (isPostgres(url)) await sql`analyze`.execute(store.db)
    return {
      insertSeconds: (inserted - begun) / 1_000,
      indexSeconds: (indexed - inserted) / 1_000,
      indexCpuSeconds: (user + system) / 1e6,
      ...(isPostgres(url) ? await bytesOnPostgres(store.db) : bytesOfFile(fileOf(url))),
    }
  } finally {
    await store.close()
  }
}

async function insertAll(db: Db, count: number): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    for (const organization of organizations()) await insertOrganization(transaction, organization, NEWEST)
  })
  const nameOf = categoryNames(db)
  const animals = skewedAnimals(count)
  for (let from = 0; from < count; from += BATCH_SIZE) {
    const now = NEWEST - Math.round((1 - from / count) * SPAN_MS)
    const some: AgedPet[] = []
    while (some.length < Math.min(BATCH_SIZE, count - from))
      some.push(await withAge(nameOf, animals.next().value as NewPet, NEWEST))
    await db.transaction().execute((transaction) => insertPets(transaction, some, { keyId: null, now }))
  }
}

const MB = 2 ** 20

function bytesOfFile(file: string): Pick<StoreFigures, 'storeMb' | 'indexMb'> {
  const database = new DatabaseSync(file)
  try {
    database.exec('pragma wal_checkpoint(truncate)')
    const tables =
      "select sum(pgsize) bytes from dbstat where aggregate = true and (name like 'search_%' or name like 'pet_search%' or name like 'pet_tokens%')"
    return {
      storeMb: statSync(file).size / MB,
      indexMb: Number(database.prepare(tables).get()?.bytes) / MB,
    }
  } finally {
    database.close()
  }
}

async function bytesOnPostgres(db: Db): Promise<Pick<StoreFigures, 'storeMb' | 'indexMb'>> {
  const { rows } = await sql<{ store: string; index: string }>`
    select pg_database_size(current_database()) as store,
      (select sum(pg_total_relation_size(oid)) from pg_class
        where (relname like 'search\\_%' or relname = 'pet_search') and relkind = 'r') as index`.execute(db)
  return { storeMb: Number(rows[0]?.store) / MB, indexMb: Number(rows[0]?.index) / MB }
}
