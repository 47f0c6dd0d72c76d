import pg from 'pg'
import { CLAIM, claimPatiently } from './claim.ts'
import { BATCH, type Row, type Side, TABLES, type Table } from './copy-tables.ts'
import { connectionTo } from './postgres.ts'
import { openMigrated } from './serve-postgres.ts'

const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, BigInt)

/** @throws when a service, or anything else of ours, uses the database */
export async function openPostgresSide(url: string): Promise<Side> {
  const { host, pathname } = new URL(url)
  const name = `postgres://${host}${pathname}`
  const client = new pg.Client({
    ...connectionTo(url, true),
    types,
    // Told apart from a service, of which none may be there.
    application_name: 'adoptable copy',
    idle_in_transaction_session_timeout: 0,
  })
  // A connection that breaks shows in the next query.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await claim(client)
    return sideOf(name, url, client)
  } catch (cause) {
    void client.end().catch(() => undefined)
    const { message, code } = cause as { message?: string; code?: string }
    throw new Error(`${name}: ${message || code}`, { cause })
  }
}

/** The lock is of a service that is alone; those that share their counters show by their connections. */
async function claim(client: pg.Client): Promise<void> {
  const query = `
    select pg_try_advisory_lock($1) as held, exists (
      select from pg_stat_activity where datname = current_database() and application_name = 'adoptable'
    ) as used`
  const free = await claimPatiently(async () => {
    const { rows } = await client.query<{ held: boolean; used: boolean }>(query, [CLAIM])
    return rows[0]?.held === true && !rows[0].used
  })
  if (!free) throw new Error('another adoptable uses it; stop that first')
}

function sideOf(name: string, url: string, client: pg.Client): Side {
  const rows: Rows = async (text, values = []) =>
    (await client.query<Row>({ text, values, rowMode: 'array' })).rows
  const typesOf = new Map<string, string[]>()

  async function columns(table: string): Promise<string[]> {
    const found = await rows(
      `select column_name::text, data_type::text from information_schema.columns
        where table_schema = current_schema() and table_name = $1 order by column_name collate "C"`,
      [table],
    )
    const arrays = found.map(([, type]) => `${type}[]`)
    typesOf.set(table, arrays)
    return found.map(([column]) => String(column))
  }

  return {
    name,
    columns,
    rows,
    tables: async () =>
      (await rows('select tablename::text from pg_tables where schemaname = current_schema()')).map(String),
    async migrate() {
      await (await openMigrated(url)).destroy()
    },
    async *batches(table, names, after) {
      const behind = after === undefined ? '' : `where ${byBytes(table)} > $1`
      const query = `select ${names} from ${table.name} ${behind} order by ${byBytes(table)}`
      // A cursor, because an index of text need not be in the order of its bytes: it sorts once, not once a
      // batch.
      await rows(`declare copied no scroll cursor for ${query}`, after === undefined ? [] : [after])
      for (;;) {
        const batch = await rows(`fetch ${BATCH} from copied`)
        if (batch.length > 0) yield batch
        if (batch.length < BATCH) break
      }
      await rows('close copied')
    },
    lastKey: async (table) =>
      (await rows(`select ${table.key} from ${table.name} order by ${byBytes(table)} desc limit 1`))[0]?.[0],
    async insert({ name: table }, names, added) {
      if (!typesOf.has(table)) await columns(table)
      const arrays = typesOf.get(table)?.map((type, index) => `$${index + 1}::${type}`)
      await client.query({
        name: `insert into ${table}`,
        text: `insert into ${table} (${names}) select ${names} from unnest(${arrays}) as added (${names})`,
        values: names.map((_, index) => added.map((row) => row[index])),
      })
    },
    async lastId({ name: table }) {
      const [[sequence] = []] = await rows(`select pg_get_serial_sequence($1, 'id')`, [table])
      const [row] = await rows(`
        select greatest(
          (select case when is_called then last_value else last_value - 1 end from ${sequence}),
          (select max(id) from ${table})
        )`)
      return BigInt(row?.[0] ?? 0)
    },
    async setLastId({ name: table }, id) {
      const [next, given] = id === 0n ? [1n, false] : [id, true]
      await rows(`select setval(pg_get_serial_sequence($1, 'id'), $2, $3)`, [table, next, given])
    },
    transaction: (work) => inTransaction(rows, work),
    async analyze() {
      await rows(`analyze ${TABLES.map((table) => table.name)}`)
    },
    close: () => client.end(),
  }
}

type Rows = (text: string, values?: unknown[]) => Promise<Row[]>

async function inTransaction<Result>(rows: Rows, work: () => Promise<Result>): Promise<Result> {
  await rows('begin')
  try {
    const result = await work()
    await rows('commit')
    return result
  } catch (error) {
    await rows('rollback').catch(() => undefined)
    throw error
  }
}

function byBytes({ key, givesIds }: Table): string {
  return givesIds ? key : `${key} collate "C"`
}
