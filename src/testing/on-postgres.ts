import { scratchDatabase } from './postgres.ts'
import { useStores } from './start-app.ts'

// Imported before the tests that are to run on PostgreSQL.
useStores(scratchDatabase)
