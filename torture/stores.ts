import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { scratchDatabase } from '../src/testing/postgres.ts'
import { NEEDS_REDIS, startRedis } from '../src/testing/redis.ts'
import { scratchFolder } from '../src/testing/start-app.ts'

/** Where a service under test keeps its data. */
export interface Stores {
  name: string
  /** For the options of a test. */
  skip: string | boolean
  /** Settings of a service with new and empty stores, which are gone after the test. */
  open(t: TestContext): Promise<{ DATABASE_URL: string; REDIS_URL?: string }>
}

const EMBEDDED: Stores = {
  name: 'SQLite',
  skip: false,
  open: async (t) => ({ DATABASE_URL: `sqlite:${join(scratchFolder(t), 'adoptable.db')}` }),
}

const SERVERS: Stores = {
  name: 'PostgreSQL and Redis',
  skip: NEEDS_REDIS.skip,
  async open(t) {
    const redis = await startRedis(t)
    return { DATABASE_URL: await scratchDatabase(t), REDIS_URL: `redis://127.0.0.1:${redis.port}` }
  },
}

/** Everything that holds for both is shown on both. */
export const STORES: Stores[] = [EMBEDDED, SERVERS]

/** What SQLite finds wrong with a file, or ok. */
export function integrityOf(file: string): unknown {
  const database = new DatabaseSync(file)
  const [row] = database.prepare('pragma integrity_check').all()
  database.close()
  return row?.integrity_check
}
