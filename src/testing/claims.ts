import type { TestContext } from 'node:test'
import pg from 'pg'
import { CLAIM_LOCK } from '../db/claim.ts'

// Helpers for tests of the claim. The claim lets one process count on PostgreSQL without Redis.

export const nextTurn = () => new Promise(setImmediate)

/** Opens a separate connection that is closed after the test. */
export async function connectClient(t: TestContext, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  t.after(() => client.end())
  return client
}

export const CLAIM_HOLDER = `select pid from pg_locks join pg_database on pg_database.oid = database
  where locktype = 'advisory' and datname = current_database() and objid = ${CLAIM_LOCK} and granted`

export async function terminateHolder(client: pg.Client): Promise<void> {
  await client.query(`select pg_terminate_backend(pid) from (${CLAIM_HOLDER}) as holder`)
}

export async function usedOfDay(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ used: number }>('select max(day_used)::integer as used from counter')
  return rows[0]?.used ?? 0
}
