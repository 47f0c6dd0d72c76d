import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { basename } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createTarPacker } from 'modern-tar'
import { backUp, writeAtomically } from '../db/backup.ts'
import { fileOf } from '../db/store-url.ts'
import { pathInFolder } from './storage/folder.ts'
import {
  ALL_RENDITIONS,
  fileName,
  type OpenFile,
  type PhotoStore,
  type Rendition,
} from './storage/photo-files.ts'

export interface ArchiveCounts {
  animals: number
  photos: number
  /** Photos without a file. Each was removed during the backup, or had lost its file before. */
  missing: number
}

type Packer = ReturnType<typeof createTarPacker>['controller']

/**
 * Writes a tar archive that unpacks into a data folder. The archive contains a snapshot of the embedded store
 * under its file name, and the files of its photos in `photos/`.
 * @throws when the file exists already, or the store or a file cannot be read
 */
export function archive(databaseUrl: string, store: PhotoStore, file: string): Promise<ArchiveCounts> {
  return writeAtomically(file, async (part, scratch) => {
    // Reads the rows first. The files of each row were stored before the row, and files never change.
    const animals = await backUp(databaseUrl, scratch)
    const { readable, controller } = createTarPacker()
    const written = pipeline(Readable.fromWeb(readable as never), createWriteStream(part, { mode: 0o600 }))
    const packed = packAll(controller, basename(fileOf(databaseUrl)), scratch, store).catch((error) => {
      controller.error(error)
      throw error
    })
    const [counts] = await Promise.all([packed, written])
    return { animals, ...counts }
  })
}

async function packAll(packer: Packer, name: string, snapshot: string, store: PhotoStore) {
  const counts = { photos: 0, missing: 0 }
  const database = { size: statSync(snapshot).size, bytes: createReadStream(snapshot) }
  await pack(packer, name, database, 0o600)
  for (const hash of hashesIn(snapshot)) {
    const packed: Rendition[] = []
    for (const rendition of ALL_RENDITIONS) {
      const file = fileName(hash, rendition)
      const found = await store.read(file)
      if (!found) continue
      // Uses the same mode as the service, because a web server may serve the files to the public.
      await pack(packer, `photos/${pathInFolder(file)}`, found, 0o644)
      packed.push(rendition)
    }
    // The service can make the other sizes from the full size.
    counts[packed.includes('full') ? 'photos' : 'missing'] += 1
  }
  packer.finalize()
  return counts
}

async function pack(packer: Packer, name: string, { size, bytes }: OpenFile, mode: number): Promise<void> {
  await pipeline(bytes, Writable.fromWeb(packer.add({ name, size, mode }) as never))
}

/** Counts the photos in a snapshot. @param snapshot the file of a store that no process has open */
export function countPhotos(snapshot: string): number {
  using database = new DatabaseSync(snapshot, { readOnly: true })
  if (!hasPhotos(database)) return 0
  return Number(database.prepare('select count(*) as count from photo').get()?.count)
}

function* hashesIn(snapshot: string): Generator<string> {
  using database = new DatabaseSync(snapshot, { readOnly: true })
  if (!hasPhotos(database)) return
  for (const { hash } of database.prepare('select hash from photo order by id').iterate()) yield String(hash)
}

/** Stores of older releases have no table of photos. */
const hasPhotos = (database: DatabaseSync): boolean =>
  database.prepare(`select name from sqlite_schema where name = 'photo'`).get() !== undefined
