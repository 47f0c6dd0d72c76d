import { statSync } from 'node:fs'
import { noStore } from '../db/no-store.ts'
import { fileOf, isPostgres } from '../db/store-url.ts'

/** The file of the store that is to be made yet; undefined where it is there, or on a server. */
export async function missingFile(databaseUrl: string): Promise<string | undefined> {
  if (isPostgres(databaseUrl)) return undefined
  const file = fileOf(databaseUrl)
  // Not existsSync, to which what this user may not look at is not there.
  return statSync(file, { throwIfNoEntry: false }) ? undefined : file
}

/**
 * For a command that may make a store: in the wrong folder it would make one that no service knows.
 *
 * @param init whether a new one is meant
 * @returns the file that opening the store will make
 * @throws when there is none, and none is meant
 */
export async function requireStoreOr(
  init: true | undefined,
  databaseUrl: string,
): Promise<string | undefined> {
  const file = await missingFile(databaseUrl)
  if (file !== undefined && !init) throw new Error(`${noStore(`at ${file}`).message}; --init makes one there`)
  return file
}

/**
 * For a command to which an empty store is of no use: opening it would make one.
 *
 * @throws when there is none
 */
export async function requireStore(databaseUrl: string): Promise<void> {
  const file = await missingFile(databaseUrl)
  if (file !== undefined) throw noStore(`at ${file}`)
}
