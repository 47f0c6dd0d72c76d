import { openSide } from '../db/copy.ts'
import { INSTALLATION } from '../db/copy-tables.ts'
import { newId } from '../db/installation.ts'

/**
 * The counters are there from now on, and begin anew.
 *
 * @param counterStore the Redis, as the store remembers it; null for the process
 * @throws when a process serves the store, or it is of an older release
 */
export async function moveCounters(databaseUrl: string, counterStore: string | null): Promise<void> {
  const store = await openSide(databaseUrl, true)
  try {
    if (!(await store.tables()).includes(INSTALLATION)) {
      throw new Error(
        `the store ${store.name} is of an older release: start the service once, which renews it`,
      )
    }
    const quoted = counterStore === null ? 'null' : `'${counterStore.replaceAll("'", "''")}'`
    await store.rows(`update ${INSTALLATION} set id = '${newId()}', counter_store = ${quoted}`)
    await store.rows('delete from counter')
  } finally {
    await store.close()
  }
}
