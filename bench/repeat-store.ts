import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../src/db/dialect.ts'
import type { Db } from '../src/db/tables.ts'
import { BLOCK_IDS } from '../src/search/bits.ts'

// More animals than one would wait for: those that are there once more, and again, under ids of their own. The
// index knows them block by block, so that whole blocks of it are repeated too.

/** Of whole blocks, about a million. The first id of each repeat is nobody's, since ids begin with 1. */
export const REPEATED_IDS = 61 * BLOCK_IDS

/** A value of the index that no two animals share. */
const OWN = 'externalId:'

/** @param times as often there are to be the animals of ids below REPEATED_IDS, and no others are there */
export async function repeatAnimals(db: Db, times: number): Promise<void> {
  const { engine } = dialectOf(db)
  const triggers = await (engine === 'sqlite' ? triggersOfSqlite : triggersOfPostgres)(db)
  const columns = await columnsOfPet(db)
  await triggers.pause()
  for (let time = 1; time < times; time += 1) {
    await db.transaction().execute(async (transaction) => {
      for (const statement of statementsFor(columns, time)) await sql.raw(statement).execute(transaction)
    })
    if (engine === 'sqlite') await sql`pragma wal_checkpoint(truncate)`.execute(db)
  }
  await triggers.resume()
  await sql`update inventory set pets = pets * ${times}`.execute(db)
  if (engine === 'postgres')
    await sql`select setval(pg_get_serial_sequence('pet', 'id'), (select max(id) from pet))`.execute(db)
}

function statementsFor(columns: string[], time: number): string[] {
  const ids = time * REPEATED_IDS
  const values = columns.map((column) => {
    if (column === 'id') return `id + ${ids}`
    return column === 'external_id' ? `external_id || '-${time}'` : column
  })
  const token = `case when token like '${OWN}%' then token || '-${time}' else token end`
  const blocks = REPEATED_IDS / BLOCK_IDS
  return [
    `insert into pet (${columns}) select ${values} from pet where id < ${REPEATED_IDS} order by id`,
    `insert into search_posting (block, token, ids)
      select block + ${time * blocks}, ${token}, ids from search_posting where block < ${blocks}`,
    `insert into search_order (sort, key, pet_id)
      select sort, key, pet_id + ${ids} from search_order where pet_id < ${REPEATED_IDS}`,
  ]
}

async function columnsOfPet(db: Db): Promise<string[]> {
  const tables = await (db as Kysely<unknown>).introspection.getTables()
  return tables.find(({ name }) => name === 'pet')?.columns.map(({ name }) => name) ?? []
}

// What the triggers would note of each animal is written at once, or known already.

interface Triggers {
  pause(): Promise<void>
  resume(): Promise<void>
}

async function triggersOfSqlite(db: Db): Promise<Triggers> {
  const { rows } = await sql<{ name: string; sql: string }>`
    select name, sql from sqlite_master where type = 'trigger' and tbl_name = 'pet'`.execute(db)
  return {
    async pause() {
      for (const { name } of rows) await sql.raw(`drop trigger ${name}`).execute(db)
    },
    async resume() {
      for (const { sql: made } of rows) await sql.raw(made).execute(db)
    },
  }
}

async function triggersOfPostgres(db: Db): Promise<Triggers> {
  return {
    pause: async () => void (await sql`alter table pet disable trigger user`.execute(db)),
    resume: async () => void (await sql`alter table pet enable trigger user`.execute(db)),
  }
}
