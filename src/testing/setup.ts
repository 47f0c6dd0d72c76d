import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { openForCommand } from '../db/open-database.ts'
import { dropDatabases, runOnServer, TEMPLATE, urlOf } from './postgres.ts'
import { startServer } from './postgres-server.ts'
import { NEEDS_REDIS, startRedis } from './redis.ts'
import { openRunFolder } from './run-folder.ts'
import { assertAllRan } from './taken-files.ts'

// Runs before and after all tests. Starts PostgreSQL unless TEST_DATABASE_URL is set. Starts Redis or Valkey,
// if installed, unless TEST_REDIS_URL is set.

const opened = new AsyncDisposableStack()

export async function globalSetup(): Promise<void> {
  // Caches compiled modules, because every test file, service and writer thread loads the same ones.
  process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/compiled')
  opened.defer(openRunFolder())
  process.env.TEST_STORE = join(tmpdir(), 'template.db')
  await (await openForCommand(`sqlite:${process.env.TEST_STORE}`)).close()
  process.env.TEST_DATABASE_URL ??= await startPostgres()
  process.env.TEST_RUN = String(process.pid)
  process.env.TEST_REDIS_URL ??= await startRedisServer()
  opened.defer(dropDatabases)
  await runOnServer(`create database ${TEMPLATE()}`)
  await (await openForCommand(urlOf(TEMPLATE()))).close()
}

export async function globalTeardown(): Promise<void> {
  try {
    assertAllRan()
  } finally {
    await opened.disposeAsync()
  }
}

async function startPostgres(): Promise<string> {
  const { url, stop } = await startServer()
  opened.defer(stop)
  return url
}

/** @returns the URL of the server, or an empty text if none is installed */
async function startRedisServer(): Promise<string> {
  if (NEEDS_REDIS.skip) return ''
  const { port } = await startRedis({ after: (end) => opened.defer(end) })
  return `redis://127.0.0.1:${port}`
}
