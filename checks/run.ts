import { runRows } from '../torture/lab/run-rows.ts'
import { ROWS } from './rows.ts'

// npm run checks; README.md says how it is used.

await runRows('checks', ROWS)
