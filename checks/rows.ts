import type { Row } from '../torture/lab/run-rows.ts'

/** All checks in the order in which they run. README.md says what each check verifies. */
export const ROWS: Row[] = [
  { files: ['patterns'] },
  { files: ['regex'] },
  { files: ['supply-chain'] },
  { files: ['reference'], rounds: [2, 6, 6] },
  { files: ['permissions'], rounds: [30, 5_000, 50_000] },
  { files: ['old-client'] },
  { files: ['signatures'] },
  { name: 'client-package', files: ['../client/package'] },
  { files: ['package'], long: true },
  { files: ['coverage'], long: true, minutes: 30 },
  { files: ['mutation'], long: true, minutes: 40 },
]
