import { statSync } from 'node:fs'

/** The file of the store that is to be made yet; undefined where it is there, or on a server. */
export async function missingFile(databaseUrl: string): Promise<string | undefined> {
  const { isPostgres } = await import('../db/database.ts')
  const { fileOf } = await import('../db/open-sqlite.ts')
  if (isPostgres(databaseUrl)) return undefined
  const file = fileOf(databaseUrl)
  // Not existsSync, to which what this user may not look at is not there.
  return statSync(file, { throwIfNoEntry: false }) ? undefined : file
}

/**
 * For a command to which an empty store is of no use: opening it would make one.
 *
 * @throws when there is none
 */
export async function requireStore(databaseUrl: string): Promise<void> {
  const file = await missingFile(databaseUrl)
  if (file !== undefined) throw new Error(`there is no store at ${file}, which DATABASE_URL names`)
}
