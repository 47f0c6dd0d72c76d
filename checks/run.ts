import { runRows } from '../torture/lab/run-rows.ts'
import { ROWS } from './rows.ts'

// npm run checks; see README.md.

await runRows('checks', ROWS)
