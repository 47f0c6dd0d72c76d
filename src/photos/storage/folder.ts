import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Loss } from '../../db/loss.ts'
import { readFileName } from './renditions.ts'
import type { PhotoStore } from './store.ts'

/** Of a folder's name that holds the files whose names begin with it: 256 of them. */
const PREFIX = 2

/** Where a file lies in the folder. */
export const pathInFolder = (name: string): string => `${name.slice(0, PREFIX)}/${name}`

/**
 * Files in a folder, which several processes may share. Readers see whole ones: a file comes in under its
 * name at once, when it is on the disk.
 *
 * The folder is made here and never again: one that vanishes later, such as an unmounted disk, is an error,
 * and nothing is written into what lies beneath it.
 */
export async function openFolder(folder: string): Promise<PhotoStore> {
  const workFolder = join(folder, 'incoming')
  // A service without photos needs none. Where it cannot be made, uploads get 503, and doctor says why.
  await mkdir(workFolder, { recursive: true }).catch(() => undefined)
  const pathOf = (name: string): string => {
    // Names are made here and checked where they come from outside; none may lead out of the folder.
    if (!readFileName(name)) throw new Error(`${name} is no name of a photo`)
    return join(folder, pathInFolder(name))
  }
  const absentHere = async (error: NodeJS.ErrnoException): Promise<undefined> => {
    absent(error)
    // Where this is missing, so are all files.
    await stat(workFolder)
  }

  return {
    workFolder,
    async put(name, file) {
      await sync(file)
      await rename(file, pathOf(name)).catch(async (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error
        // Another process may make it at the same time.
        await mkdir(dirname(pathOf(name))).catch(unlessThere)
        await sync(folder)
        await rename(file, pathOf(name))
      })
      await sync(dirname(pathOf(name)))
    },
    async read(name, span) {
      const file = await open(pathOf(name), 'r').catch(absentHere)
      if (!file) return undefined
      try {
        const { size } = await file.stat()
        const { first = 0, last = size - 1 } = span ?? {}
        return { size, bytes: createReadStream('', { fd: file, start: first, end: last }) }
      } catch (error) {
        await file.close()
        throw error
      }
    },
    size: (name) => stat(pathOf(name)).then(({ size }) => size, absentHere),
    async remove(names) {
      for (const name of names) await rm(pathOf(name), { force: true })
    },
    async *list() {
      for await (const part of entries(folder)) {
        if (part.length !== PREFIX) continue
        for await (const name of entries(join(folder, part))) {
          const found = readFileName(name) && (await stat(join(folder, part, name)).catch(absent))
          if (found) yield { name, at: found.mtimeMs }
        }
      }
    },
  }
}

/** A new name in the folder where files are put together. */
export async function workFile(store: Pick<PhotoStore, 'workFolder' | 'remakeWorkFolder'>): Promise<string> {
  await store.remakeWorkFolder?.()
  return join(store.workFolder, randomUUID())
}

/** Removes half-made files of processes that were killed. @param before in Unix milliseconds */
export async function sweepWorkFolder({ workFolder }: Pick<PhotoStore, 'workFolder'>, before: number) {
  for await (const name of entries(workFolder)) {
    const file = join(workFolder, name)
    const found = await stat(file).catch(absent)
    if (found && found.mtimeMs < before) await rm(file, { force: true })
  }
}

async function* entries(folder: string): AsyncGenerator<string> {
  const found = await opendir(folder).catch(absent)
  if (found) for await (const { name } of found) yield name
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

const HOUR_MS = 3_600_000
/** No upload takes longer, nor an import the notes of its photos. */
const MAX_AGE_MS = 24 * HOUR_MS

/**
 * Removes half uploads, which still tell where they were taken, of processes that were killed: at each start
 * and then every hour. Not a job: with a bucket each machine has a work folder of its own.
 *
 * @returns a function that ends it
 */
export async function sweepWorkRegularly(
  store: PhotoStore,
  clock: () => number,
  loss: Loss,
): Promise<() => void> {
  const sweep = (): Promise<void> =>
    sweepWorkFolder(store, clock() - MAX_AGE_MS).catch((error: unknown) =>
      loss.lost(error, 'half uploads of photos stay: their folder cannot be read now'),
    )
  await sweep()
  const interval = setInterval(sweep, HOUR_MS).unref()
  return () => clearInterval(interval)
}
