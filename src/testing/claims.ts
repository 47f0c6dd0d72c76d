import type { TestContext } from 'node:test'
import pg from 'pg'
import { CLAIM } from '../db/claim.ts'

// For tests of the process that counts on PostgreSQL without Redis.

export const turn = () => new Promise(setImmediate)

/** A connection beside the service, gone with the test. */
export async function besides(t: TestContext, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  t.after(() => client.end())
  return client
}

export const HOLDER = `select pid from pg_locks join pg_database on pg_database.oid = database
  where locktype = 'advisory' and datname = current_database() and objid = ${CLAIM} and granted`

export async function terminateHolder(client: pg.Client): Promise<void> {
  await client.query(`select pg_terminate_backend(pid) from (${HOLDER}) as holder`)
}

export async function usedOfDay(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ used: number }>('select max(day_used)::integer as used from counter')
  return rows[0]?.used ?? 0
}
