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

/** Where a service keeps its data. */
export interface Stores {
  DATABASE_URL: string
  REDIS_URL?: string
  [name: string]: string
}

interface Kind {
  name: string
  skip: string | boolean
  /** New and empty, and gone after the test. */
  open(t: TestContext): Promise<Stores>
}

export const sqliteFile = (t: TestContext): string => `sqlite:${join(scratchFolder(t), 'adoptable.db')}`
const redisUrl = async (t: TestContext): Promise<string> => `redis://127.0.0.1:${(await startRedis(t)).port}`

export const SQLITE: Kind = {
  name: 'SQLite',
  skip: false,
  open: async (t) => ({ DATABASE_URL: sqliteFile(t) }),
}
export const SERVERS: Kind = {
  name: 'PostgreSQL and Redis',
  skip: NEEDS_REDIS.skip,
  open: async (t) => ({ DATABASE_URL: await scratchDatabase(t), REDIS_URL: await redisUrl(t) }),
}
/** Several processes on one file share their counters in a Redis. */
export const SHARED_FILE: Kind = {
  name: 'one SQLite file and Redis',
  skip: NEEDS_REDIS.skip,
  open: async (t) => ({ DATABASE_URL: sqliteFile(t), REDIS_URL: await redisUrl(t) }),
}

/** What a test on one kind of stores has. */
export interface On {
  stores: Stores
  /** Whether it is SQLite in one process. */
  embedded: boolean
  /** 0 for SQLite, 1 for the servers; for `randomOf`. */
  part: number
}

/** What holds for both is shown on both: the same test on SQLite, and on PostgreSQL and Redis. */
export function onEach(
  title: string,
  run: (t: TestContext, on: On) => Promise<void>,
  options: { skip?: string | boolean; timeout?: number } = {},
): void {
  for (const [part, { name, skip, open }] of [SQLITE, SERVERS].entries()) {
    test(`${title}, on ${name}`, { ...options, skip: options.skip || skip }, async (t) =>
      run(t, { stores: await open(t), embedded: part === 0, part }),
    )
  }
}

type Store = Awaited<ReturnType<typeof openForCommand>>

/** Works on a store beside the service, as the command does. */
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

/** Keys straight in the store, in the order asked for. */
export function makeKeys(databaseUrl: string, wanted: Partial<keys.NewKey>[]): Promise<string[]> {
  return withStore(databaseUrl, async ({ write }) => {
    const made: string[] = []
    for (const { name = 'test', plan = 'free', access = 'write', limits } of wanted) {
      made.push(generateKey('production'))
      await write(changes.insertKey, { name, plan, access, limits }, hashKey(made.at(-1) ?? ''), 0)
    }
    return made
  })
}

/** SQLite finds nothing wrong with the file of a store; of other stores the server sees to that. */
export function assertSound(databaseUrl: string, about = databaseUrl): void {
  if (!databaseUrl.startsWith('sqlite:')) return
  const database = new DatabaseSync(fileOf(databaseUrl))
  const check = (what: string): unknown[] => database.prepare(`pragma ${what}`).all().map(Object.values)
  assert.deepEqual(check('integrity_check'), [['ok']], about)
  assert.deepEqual(check('foreign_key_check'), [], about)
  database.close()
}
