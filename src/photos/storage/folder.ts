import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, opendir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { OutageReporter } from '../../db/database.ts'
import { type PhotoStore, readFileName } from './photo-files.ts'

/** Files are in 256 subfolders, named by this many first characters of the file names. */
const PREFIX_LENGTH = 2

/** The path of a file, relative to the folder. */
export const pathInFolder = (name: string): string => `${name.slice(0, PREFIX_LENGTH)}/${name}`

/**
 * Stores files in a folder that several processes may share. Readers see only complete files, because a file
 * gets its name after it is on the disk. Only this function creates the folder. If the folder vanishes later,
 * for example because a disk is unmounted, writing fails, so nothing is written to the mount point.
 */
export async function openFolder(folder: string): Promise<PhotoStore> {
  const workFolder = join(folder, 'incoming')
  // Without photos, no folder is needed. If it cannot be created, uploads get 503 and `doctor` says why.
  await mkdir(workFolder, { recursive: true }).catch(() => undefined)
  const pathOf = (name: string): string => {
    // No name may lead out of the folder. The caller has already checked names from clients.
    if (!readFileName(name)) throw new Error(`${name} is not the name of a photo file`)
    return join(folder, pathInFolder(name))
  }
  const undefinedIfFileMissing = async (error: NodeJS.ErrnoException): Promise<undefined> => {
    undefinedIfMissing(error)
    // If the work folder is missing too, the complete folder is gone.
    await stat(workFolder)
  }

  return {
    workFolder,
    async put(name, file) {
      await sync(file)
      await rename(file, pathOf(name)).catch(async (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error
        // Another process may create the subfolder at the same time.
        await mkdir(dirname(pathOf(name))).catch(ignoreExisting)
        await sync(folder)
        await rename(file, pathOf(name))
      })
      await sync(dirname(pathOf(name)))
    },
    async read(name, span) {
      const file = await open(pathOf(name), 'r').catch(undefinedIfFileMissing)
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
    size: (name) => stat(pathOf(name)).then(({ size }) => size, undefinedIfFileMissing),
    async remove(names) {
      for (const name of names) await rm(pathOf(name), { force: true })
    },
    async *list() {
      let now: number | undefined
      for await (const part of entries(folder)) {
        if (part.length !== PREFIX_LENGTH) continue
        for await (const name of entries(join(folder, part))) {
          const found = readFileName(name) && (await stat(join(folder, part, name)).catch(undefinedIfMissing))
          if (!found) continue
          now ??= await readDiskTime(workFolder)
          yield { name, ageMs: now - found.mtimeMs }
        }
      }
    },
  }
}

/** The path for a new file in the work folder. The file does not exist yet. */
export async function newWorkFile(
  store: Pick<PhotoStore, 'workFolder' | 'recreateWorkFolder'>,
): Promise<string> {
  await store.recreateWorkFolder?.()
  return join(store.workFolder, randomUUID())
}

const HOUR_MS = 3_600_000
/** Older work files are left over: uploads and imports never need a work file for so long. */
const MAX_AGE_MS = 24 * HOUR_MS

/** Removes unfinished files of killed processes. */
export async function sweepWorkFolder({ workFolder }: Pick<PhotoStore, 'workFolder'>): Promise<void> {
  let now: number | undefined
  for await (const name of entries(workFolder)) {
    const file = join(workFolder, name)
    const found = await stat(file).catch(undefinedIfMissing)
    now ??= await readDiskTime(workFolder)
    if (found && now - found.mtimeMs > MAX_AGE_MS) await rm(file, { force: true })
  }
}

/** The Unix time in milliseconds at which a new file is dated. A network disk has its own clock. */
async function readDiskTime(workFolder: string): Promise<number> {
  const file = join(workFolder, randomUUID())
  try {
    await writeFile(file, '')
    return (await stat(file)).mtimeMs
  } finally {
    await rm(file, { force: true })
  }
}

async function* entries(folder: string): AsyncGenerator<string> {
  const found = await opendir(folder).catch(undefinedIfMissing)
  if (found) for await (const { name } of found) yield name
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
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

/**
 * Removes unfinished uploads of killed processes, at the start and then every hour. An unfinished upload may
 * reveal where a photo was taken. This is not a job, because with a bucket each machine has its own work
 * folder.
 * @returns a function that stops the removal
 */
export async function startWorkFolderSweep(store: PhotoStore, loss: OutageReporter): Promise<() => void> {
  const sweep = (): Promise<void> =>
    sweepWorkFolder(store).catch((error: unknown) =>
      loss.reportLoss(error, 'unfinished photo uploads stay: their folder cannot be read now'),
    )
  await sweep()
  const interval = setInterval(sweep, HOUR_MS).unref()
  return () => clearInterval(interval)
}
