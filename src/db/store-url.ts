const SQLITE = 'sqlite:'

/** @param databaseUrl a valid DATABASE_URL, such as sqlite:data/adoptable.db or postgres://host/database */
export function isPostgres(databaseUrl: string): boolean {
  return !databaseUrl.startsWith(SQLITE)
}

/** @returns the path in a SQLite URL */
export function fileOf(databaseUrl: string): string {
  return databaseUrl.slice(SQLITE.length)
}

/** @param where the expected location: `at FILE` or `in URL` */
export function noStoreError(where: string): Error {
  return new Error(`there is no store ${where}; start the service once, or set DATABASE_URL to another one`)
}
