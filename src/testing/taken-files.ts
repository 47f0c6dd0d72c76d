import { existsSync, globSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** The folder in which the processes of one part of the test run record the files they have taken. */
export function folderOfPart(part: string): string {
  if (!process.env.TEST_RUN)
    throw new Error('run the tests with npm test, or one file as CONTRIBUTING.md says')
  return join(tmpdir(), `taken-${part}`)
}

/** @throws if a file was not run to its end, for example because a test ended its process */
export function assertAllRan(): void {
  for (const list of globSync(join(tmpdir(), 'taken-*', 'files.json'))) {
    const files: string[] = JSON.parse(readFileSync(list, 'utf8'))
    const missing = files.filter((_, index) => !existsSync(join(dirname(list), String(index), 'done')))
    if (files.length === 0 || missing.length > 0) throw new Error(`these test files did not run: ${missing}`)
  }
}
