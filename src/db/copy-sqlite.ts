import { existsSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import { BATCH, type Row, type Side, type Value } from './copy-tables.ts'
import { migrate } from './migrate.ts'
import { claimFile } from './open-sqlite.ts'
import { realFile } from './served-file.ts'
import { createFile, NodeSqliteDialect } from './sqlite.ts'
import type { Db } from './tables.ts'

const BUSY = 5

/** @throws when anybody else has the file open, or when it `mustExist` and does not */
export async function openSqliteSide(file: string, mustExist: boolean): Promise<Side> {
  if (mustExist && !existsSync(file)) throw new Error(`there is no store at ${file}`)
  const release = claim(realFile(file))
  const database = createFile(file, { timeout: 0, enableForeignKeyConstraints: true })
  const close = async (): Promise<void> => {
    database.close()
    release()
  }
  try {
    // Shuts out also who does not claim the file: a command, or a service that shares its counters.
    database.exec('pragma locking_mode = exclusive')
    exactly(database, 'select name from sqlite_schema').all()
    return sideOf(file, database, close)
  } catch (cause) {
    await close()
    const busy = (cause as { errcode?: number }).errcode === BUSY
    const problem = busy ? 'another process uses it; stop that first' : (cause as Error).message
    throw new Error(`${file}: ${problem}`, { cause })
  }
}

function claim(file: string): () => void {
  try {
    return claimFile(file)
  } catch (cause) {
    throw new Error(`${file}: another adoptable serves it; stop that first`, { cause })
  }
}

function sideOf(name: string, database: DatabaseSync, close: () => Promise<void>): Side {
  const rows = (statement: string, ...values: Value[]): Row[] =>
    exactly(database, statement).all(...values) as unknown as Row[]

  return {
    name,
    close,
    tables: async () =>
      rows(`select name from sqlite_schema where type = 'table' and name not like 'sqlite%'`).map(String),
    async migrate() {
      // Durable as the service keeps it: what a resumed copy finds must not have gaps after a power cut.
      database.exec('pragma journal_mode = wal; pragma synchronous = full')
      const db: Db = new Kysely({ dialect: new NodeSqliteDialect(database) })
      await migrate(db, 'sqlite')
    },
    columns: async (table) => rows('select name from pragma_table_info(?)', table).map(String).sort(),
    rows: async (statement) => rows(statement),
    async *batches({ name: table, key }, columns, after) {
      const behind = after === undefined ? '' : `where ${key} > ?`
      const statement = exactly(database, `select ${columns} from ${table} ${behind} order by ${key}`)
      let batch: Row[] = []
      for (const row of statement.iterate(...(after === undefined ? [] : [after]))) {
        if (batch.push(row as unknown as Row) < BATCH) continue
        yield batch
        batch = []
      }
      if (batch.length > 0) yield batch
    },
    lastKey: async ({ name: table, key }) =>
      rows(`select ${key} from ${table} order by ${key} desc limit 1`)[0]?.[0],
    async insert({ name: table }, columns, added) {
      const statement = database.prepare(
        `insert into ${table} (${columns}) values (${columns.map(() => '?')})`,
      )
      for (const row of added) statement.run(...row)
    },
    async lastId({ name: table }) {
      const given = rows('select seq from sqlite_sequence where name = ?', table)[0]?.[0] ?? 0n
      const [[there = null] = []] = rows(`select max(id) from ${table}`)
      return max(BigInt(given), BigInt(there ?? 0n))
    },
    async setLastId({ name: table }, id) {
      rows('delete from sqlite_sequence where name = ?', table)
      rows('insert into sqlite_sequence (name, seq) values (?, ?)', table, id)
    },
    async transaction(work) {
      database.exec('begin immediate')
      try {
        const result = await work()
        database.exec('commit')
        return result
      } catch (error) {
        if (database.isTransaction) database.exec('rollback')
        throw error
      }
    },
    analyze: async () => undefined,
  }
}

/** What a look at a new store shows. */
export async function newRows(look: string): Promise<Row[]> {
  const database = new DatabaseSync(':memory:')
  await migrate(new Kysely({ dialect: new NodeSqliteDialect(database) }), 'sqlite')
  return exactly(database, look).all() as unknown as Row[]
}

function exactly(database: DatabaseSync, statement: string): StatementSync {
  const prepared = database.prepare(statement)
  prepared.setReturnArrays(true)
  prepared.setReadBigInts(true)
  return prepared
}

function max(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}
