import { runRows } from './lab/run-rows.ts'
import { ROWS } from './rows.ts'

// npm run torture; see README.md.

await runRows('torture', ROWS)
