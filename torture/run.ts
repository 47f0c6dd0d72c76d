import { runRows } from './lab/run-rows.ts'
import { KEPT, ROWS } from './rows.ts'

// npm run torture; README.md says how it is used.

await runRows('torture', ROWS, KEPT)
