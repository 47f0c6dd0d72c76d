import { runRows } from './lab/run-rows.ts'
import { ROWS } from './rows.ts'

// npm run torture; README.md says how it is used.

await runRows('torture', ROWS)
