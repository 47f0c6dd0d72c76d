import { takeFiles } from '../take-files.ts'
import { QUICK } from '../test-files.ts'

await takeFiles('quick', QUICK)
