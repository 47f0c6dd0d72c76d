import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { newWorkFile } from './folder.ts'
import type { PhotoStore } from './store.ts'

/** Maximum number of files copied at the same time. */
const CONCURRENCY = 8

export interface CopyCounts {
  copied: number
  /** Files that the target already had, or that are gone. */
  there: number
}

/**
 * Copies the files that are missing in one store from another store. A service may use both stores at the
 * same time. A second run copies the files that were added since the first run.
 *
 * @param onFile is called after each file with the counts so far
 */
export async function copyFiles(
  from: PhotoStore,
  to: PhotoStore,
  onFile: (done: CopyCounts) => void = () => undefined,
): Promise<CopyCounts> {
  const done: CopyCounts = { copied: 0, there: 0 }
  await Readable.from(from.list()).forEach(
    async ({ name }: { name: string }) => {
      done[await copyFile(from, to, name)] += 1
      onFile(done)
    },
    { concurrency: CONCURRENCY },
  )
  return done
}

async function copyFile(from: PhotoStore, to: PhotoStore, name: string): Promise<keyof CopyCounts> {
  const size = await from.size(name)
  if (size === (await to.size(name))) return 'there'
  const source = await from.read(name)
  // The file was removed after it was listed.
  if (!source) return 'there'
  const file = await newWorkFile(to)
  try {
    // Uses the default mode, as for new files, because a web server may serve the files to the public.
    await pipeline(source.bytes, createWriteStream(file))
    await to.put(name, file)
    return 'copied'
  } finally {
    await rm(file, { force: true })
  }
}
