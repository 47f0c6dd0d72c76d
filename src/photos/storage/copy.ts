import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { workFile } from './folder.ts'
import type { PhotoStore } from './store.ts'

/** So many files are under way at once. */
const CONCURRENCY = 8

export interface Copied {
  copied: number
  /** Files that were there before. */
  there: number
}

/**
 * Puts into one store every file of another that it has not; what it has stays. A service may use both
 * meanwhile: run again, it brings what was added since.
 *
 * @param onFile hears after each file what was done so far
 */
export async function copyFiles(
  from: PhotoStore,
  to: PhotoStore,
  onFile: (done: Copied) => void = () => undefined,
): Promise<Copied> {
  const done: Copied = { copied: 0, there: 0 }
  await Readable.from(from.list()).forEach(
    async ({ name }: { name: string }) => {
      done[await copyFile(from, to, name)] += 1
      onFile(done)
    },
    { concurrency: CONCURRENCY },
  )
  return done
}

async function copyFile(from: PhotoStore, to: PhotoStore, name: string): Promise<keyof Copied> {
  const size = await from.size(name)
  if (size === (await to.size(name))) return 'there'
  const found = await from.read(name)
  // Removed since it was listed.
  if (!found) return 'there'
  const file = await workFile(to)
  try {
    // Without a mode of its own, as the service makes them: a web server may give them to the public.
    await pipeline(found.bytes, createWriteStream(file))
    await to.put(name, file)
    return 'copied'
  } finally {
    await rm(file, { force: true })
  }
}
