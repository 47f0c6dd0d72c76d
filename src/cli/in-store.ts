import type { Config } from '../config.ts'
import type { Db } from '../db/tables.ts'
import type { Writer } from '../db/write.ts'
import { requireStore } from './store-file.ts'

// What commands do that change a store beside a service.

type Work = (writer: Writer, db: Db) => Promise<void>

/** For what needs a store that is there: a new one would only hide that DATABASE_URL is wrong. */
export async function inStore(config: Config, work: Work): Promise<void> {
  await requireStore(config.databaseUrl)
  await withStore(config, work)
}

export async function withStore(config: Config, work: Work): Promise<void> {
  const { openForCommand } = await import('../db/open-database.ts')
  const { changes } = await import('../changes.ts')
  const store = await openForCommand(config.databaseUrl, changes)
  try {
    await work(store, store.db)
  } finally {
    await store.close()
  }
}

/** @throws when no organization has the code */
export async function idOfCode(db: Db, code: string): Promise<number> {
  const organizations = await import('../organizations/store.ts')
  const id = await organizations.idOfCode(db, code)
  if (id === undefined) throw new Error(`there is no organization with the code ${code}`)
  return id
}
