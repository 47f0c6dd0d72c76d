import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { changes } from '../../src/changes.ts'
import { openForCommand } from '../../src/db/open-database.ts'
import { fileOf } from '../../src/db/store-url.ts'
import { generateKey, hashKey } from '../../src/keys/key-format.ts'
import type * as keys from '../../src/keys/store.ts'
import { scratchDatabase } from '../../src/testing/postgres.ts'
import { NEEDS_REDIS, startRedis } from '../../src/testing/redis.ts'
import { scratchFolder } from '../../src/testing/start-app.ts'

/** Settings that say where a service stores its data. */
export interface Stores {
  DATABASE_URL: string
  REDIS_URL?: string
  [name: string]: string
}

interface StoreKind {
  name: string
  skip: string | boolean
  /** Creates empty stores, which are removed after the test. */
  open(t: TestContext): Promise<Stores>
}

export const sqliteFile = (t: TestContext): string => `sqlite:${join(scratchFolder(t), 'adoptable.db')}`
const redisUrl = async (t: TestContext): Promise<string> => `redis://127.0.0.1:${(await startRedis(t)).port}`

export const SQLITE: StoreKind = {
  name: 'SQLite',
  skip: false,
  open: async (t) => ({ DATABASE_URL: sqliteFile(t) }),
}
export const SERVERS: StoreKind = {
  name: 'PostgreSQL and Redis',
  skip: NEEDS_REDIS.skip,
  open: async (t) => ({ DATABASE_URL: await scratchDatabase(t), REDIS_URL: await redisUrl(t) }),
}
/** Several processes on one file share their counters in Redis. */
export const SHARED_FILE: StoreKind = {
  name: 'one SQLite file and Redis',
  skip: NEEDS_REDIS.skip,
  open: async (t) => ({ DATABASE_URL: sqliteFile(t), REDIS_URL: await redisUrl(t) }),
}

/** Argument of each test of `testOnEachStore`. */
export interface StoreContext {
  stores: Stores
  /** Whether the store is SQLite in one process. */
  embedded: boolean
  /** 0 for SQLite, 1 for PostgreSQL and Redis. Pass it to `randomOf`. */
  part: number
}

/** Runs the same test on SQLite, and on PostgreSQL with Redis. */
export function testOnEachStore(
  title: string,
  run: (t: TestContext, on: StoreContext) => Promise<void>,
  options: { skip?: string | boolean; timeout?: number } = {},
): void {
  for (const [part, { name, skip, open }] of [SQLITE, SERVERS].entries()) {
    test(`${title}, on ${name}`, { ...options, skip: options.skip || skip }, async (t) =>
      run(t, { stores: await open(t), embedded: part === 0, part }),
    )
  }
}

type Store = Awaited<ReturnType<typeof openForCommand>>

/** Opens a store while a service may be using it, as the command does, and closes it after `work`. */
export async function withStore<Result>(
  databaseUrl: string,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const store = await openForCommand(databaseUrl, changes)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** Inserts keys into the store. @returns them in the order of `newKeys` */
export function makeKeys(databaseUrl: string, newKeys: Partial<keys.NewKey>[]): Promise<string[]> {
  return withStore(databaseUrl, async ({ write }) => {
    const created: string[] = []
    for (const { name = 'test', plan = 'free', access = 'write', limits } of newKeys) {
      created.push(generateKey('production'))
      await write(changes.insertKey, { name, plan, access, limits }, hashKey(created.at(-1) ?? ''), 0)
    }
    return created
  })
}

/** Asserts that SQLite finds no fault in the file of a store. Does nothing for PostgreSQL. */
export function assertIntact(databaseUrl: string, about = databaseUrl): void {
  if (!databaseUrl.startsWith('sqlite:')) return
  const database = new DatabaseSync(fileOf(databaseUrl))
  const runPragma = (pragma: string): unknown[] =>
    database.prepare(`pragma ${pragma}`).all().map(Object.values)
  assert.deepEqual(runPragma('integrity_check'), [['ok']], about)
  assert.deepEqual(runPragma('foreign_key_check'), [], about)
  database.close()
}
