import type { TestContext } from 'node:test'
import pg from 'pg'
import { cleanup } from './cleanup.ts'

/** The name of the empty store from which test databases are copied; setup.ts creates it. */
export const TEMPLATE = (): string => `adoptable_template_${process.env.TEST_RUN}`

let databases = 0

/** Creates an empty store for a test, and removes it afterwards. @returns its URL */
export async function scratchDatabase(t: TestContext): Promise<string> {
  databases += 1
  const name = `adoptable_test_${process.pid}_${databases}`
  await runOnServer(`create database ${name} template ${TEMPLATE()}`)
  cleanup(t).defer(() => runOnServer(`drop database ${name} with (force)`))
  return urlOf(name)
}

/** @returns the URL of another database on the same server */
export function urlOf(database: string): string {
  return Object.assign(new URL(serverUrl()), { pathname: database }).href
}

export async function runOnServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl() })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

function serverUrl(): string {
  const url = process.env.TEST_DATABASE_URL
  if (!url) throw new Error('run the tests with npm test, which starts a PostgreSQL for them')
  return url
}

/** Ends all connections to a database, as an administrator can. */
export async function terminateAll(database: string): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf(database) })
  await client.connect()
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`,
  )
  await client.end()
}
