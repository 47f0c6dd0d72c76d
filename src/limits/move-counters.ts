import { INSTALLATION_TABLE, openSide } from '../db/copy-sides.ts'
import { newId } from '../db/installation.ts'

/**
 * Records in the store where counters are kept from now on. All counters start at zero.
 * @param counterStore the Redis as the store records it; null for counters in the process
 * @throws when a process serves the store, or the store is of an older release
 */
export async function moveCounters(databaseUrl: string, counterStore: string | null): Promise<void> {
  const store = await openSide(databaseUrl, true)
  try {
    if (!(await store.tables()).includes(INSTALLATION_TABLE)) {
      throw new Error(
        `the store ${store.name} is from an older release: start the service once to upgrade it`,
      )
    }
    const quoted = counterStore === null ? 'null' : `'${counterStore.replaceAll("'", "''")}'`
    await store.rows(`update ${INSTALLATION_TABLE} set id = '${newId()}', counter_store = ${quoted}`)
    await store.rows('delete from counter')
  } finally {
    await store.close()
  }
}
