import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, suite } from 'node:test'
import { pathToFileURL } from 'node:url'

/**
 * Runs test files in this process, one after another, until the processes of the run have taken them all.
 * To load the service takes longer than most of its tests, so a process runs many files.
 *
 * @param part what the processes that share these files are called
 * @param files paths from the folder of the project, the longest first
 */
export async function takeFiles(part: string, files: string[]): Promise<void> {
  const folder = join(tmpdir(), `taken-${part}`)
  mkdirSync(folder, { recursive: true })
  for (const [index, file] of files.entries()) {
    if (take(join(folder, String(index)))) await runFile(file)
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

function runFile(file: string): Promise<void> {
  const ended = Promise.withResolvers<void>()
  suite(file, async () => {
    after(() => ended.resolve())
    await import(pathToFileURL(resolve(file)).href)
  })
  return ended.promise
}
