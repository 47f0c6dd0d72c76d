import type { TestContext } from 'node:test'
import pg from 'pg'
import { cleanup } from './cleanup.ts'

/** The start of the names of all databases of this test run. */
const PREFIX = (): string => `adoptable_run_${process.env.TEST_RUN}_`

/** The name of the empty store from which test databases are copied; setup.ts creates it. */
export const TEMPLATE = (): string => `${PREFIX()}template`

let databases = 0

async function copyDatabase(template: string): Promise<string> {
  databases += 1
  const name = `${PREFIX()}test_${process.pid}_${databases}`
  await runOnServer(`create database ${name} template ${template}`)
  return name
}

/** Makes stores that are databases on the server. The end of the test run removes the templates. */
export const DATABASES = {
  createTemplate: async (): Promise<string> => urlOf(await copyDatabase(TEMPLATE())),
  async copy(t: TestContext, template: string): Promise<string> {
    const name = await copyDatabase(new URL(template).pathname.slice(1))
    // Nothing waits for the drop, which waits for a checkpoint. If it fails, `dropDatabases` repeats it.
    cleanup(t).defer(() => void dropDatabase(name).catch(() => undefined))
    return urlOf(name)
  },
}

/** Creates an empty store for a test, and removes it afterwards. @returns its URL */
export function scratchDatabase(t: TestContext): Promise<string> {
  return DATABASES.copy(t, urlOf(TEMPLATE()))
}

function dropDatabase(name: string): Promise<void> {
  return runOnServer(`drop database if exists ${name} with (force)`)
}

/** Removes the databases that are left at the end of a test run. */
export async function dropDatabases(): Promise<void> {
  const { rows } = await server().query('select datname from pg_database where starts_with(datname, $1)', [
    PREFIX(),
  ])
  for (const { datname } of rows) await dropDatabase(datname)
}

/** @returns the URL of another database on the same server */
export function urlOf(database: string): string {
  return Object.assign(new URL(serverUrl()), { pathname: database }).href
}

/** Runs a statement over its own connection. @returns the rows */
export async function queryDatabase<Row extends pg.QueryResultRow>(url: string, statement: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(statement)).rows
  } finally {
    await client.end()
  }
}

let connections: pg.Pool | undefined

/** Connections that stay open, because opening one takes as long as most statements. */
function server(): pg.Pool {
  const connectionString = serverUrl()
  connections ??= new pg.Pool({ connectionString, allowExitOnIdle: true }).on('error', () => undefined)
  return connections
}

export async function runOnServer(statement: string): Promise<void> {
  await server().query(statement)
}

function serverUrl(): string {
  const url = process.env.TEST_DATABASE_URL
  if (!url) throw new Error('run the tests with npm test, which starts a PostgreSQL for them')
  return url
}

/** Ends all connections to a database, as an administrator can. */
export async function terminateAll(database: string): Promise<void> {
  await queryDatabase(
    urlOf(database),
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`,
  )
}
