import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { suite } from 'node:test'
import { pathToFileURL } from 'node:url'
import { folderOfPart } from './taken-files.ts'

/**
 * Runs test files in this process, one after another, until the processes of the run have taken them all.
 * Loading the service takes longer than most tests, so a process runs many files.
 *
 * @param part what the processes that share these files are called
 * @param files paths from the folder of the project, the longest first
 */
export async function takeFiles(part: string, files: string[]): Promise<void> {
  const folder = folderOfPart(part)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'files.json'), JSON.stringify(files))
  for (const [index, file] of files.entries()) {
    if (!take(join(folder, String(index)))) continue
    await suite(file, () => import(pathToFileURL(resolve(file)).href))
    writeFileSync(join(folder, String(index), 'done'), '')
  }
}

/** @returns whether no other process had it before */
function take(name: string): boolean {
  try {
    mkdirSync(name)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
