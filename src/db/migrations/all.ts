import * as postgresTables from './postgres/0001-tables.ts'
import * as sqliteTables from './sqlite/0001-tables.ts'

/** Every migration of each engine, in order. One that was released is never changed. */
export const MIGRATIONS = {
  sqlite: { '0001-tables': sqliteTables },
  postgres: { '0001-tables': postgresTables },
}
