const SQLITE = 'sqlite:'

/** Which database a URL such as sqlite:data/adoptable.db or postgres://host/database names. */
export function isPostgres(databaseUrl: string): boolean {
  return !databaseUrl.startsWith(SQLITE)
}

/** The file that a URL of SQLite names. */
export function fileOf(databaseUrl: string): string {
  return databaseUrl.slice(SQLITE.length)
}
