import { DATABASES } from '../postgres.ts'
import { useStores } from '../start-app.ts'
import { takeFiles } from '../take-files.ts'
import { ON_POSTGRES } from '../test-files.ts'

useStores(DATABASES)
await takeFiles('postgres', ON_POSTGRES)
