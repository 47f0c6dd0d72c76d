import { takeFiles } from '../take-files.ts'
import { SLOW } from '../test-files.ts'

await takeFiles('slow', SLOW)
