import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runFile } from './run-file.ts'
import { folderOfPart } from './taken-files.ts'

/**
 * Runs test files in this process, one after another, until the processes of the run have taken all files.
 * One process runs many files, because loading the service takes longer than most tests.
 *
 * @param part the name of the group of processes that run these files together
 * @param files paths relative to the project, the largest first
 */
export async function takeFiles(part: string, files: string[]): Promise<void> {
  const folder = folderOfPart(part)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'files.json'), JSON.stringify(files))
  for (const [index, file] of files.entries()) {
    if (!take(join(folder, String(index)))) continue
    await runFile(file)
    writeFileSync(join(folder, String(index), 'done'), '')
  }
}

/** @returns whether this process is the first to take the file */
function take(name: string): boolean {
  try {
    mkdirSync(name)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
