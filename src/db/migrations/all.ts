import * as organizationChanges from './organization-changes.ts'
import * as postgresTables from './postgres/0001-tables.ts'
import * as postgresChangeOwner from './postgres/0002-change-owner.ts'
import * as postgresMicrochips from './postgres/0003-microchips.ts'
import * as postgresOutbox from './postgres/0005-outbox.ts'
import * as postgresStaffSearch from './postgres/0006-staff-search.ts'
import * as sqliteTables from './sqlite/0001-tables.ts'
import * as sqliteChangeOwner from './sqlite/0002-change-owner.ts'
import * as sqliteMicrochips from './sqlite/0003-microchips.ts'
import * as sqliteOutbox from './sqlite/0005-outbox.ts'
import * as sqliteStaffSearch from './sqlite/0006-staff-search.ts'

/** The migrations of each engine, in order. A released migration never changes. */
export const MIGRATIONS = {
  sqlite: {
    '0001-tables': sqliteTables,
    '0002-change-owner': sqliteChangeOwner,
    '0003-microchips': sqliteMicrochips,
    '0004-organization-changes': organizationChanges,
    '0005-outbox': sqliteOutbox,
    '0006-staff-search': sqliteStaffSearch,
  },
  postgres: {
    '0001-tables': postgresTables,
    '0002-change-owner': postgresChangeOwner,
    '0003-microchips': postgresMicrochips,
    '0004-organization-changes': organizationChanges,
    '0005-outbox': postgresOutbox,
    '0006-staff-search': postgresStaffSearch,
  },
}
