import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { basename } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createTarPacker } from 'modern-tar'
import { backUp, makeWhole } from '../db/backup.ts'
import { fileOf } from '../db/store-url.ts'
import { pathInFolder } from './storage/folder.ts'
import { ALL_RENDITIONS, fileName, type Rendition } from './storage/renditions.ts'
import type { PhotoStore, Reading } from './storage/store.ts'

export interface Archived {
  animals: number
  photos: number
  /** Photos without a file: they were removed meanwhile, or their files were lost before. */
  missing: number
}

type Packer = ReturnType<typeof createTarPacker>['controller']

/**
 * Makes a tar archive that unpacks into a folder of data: the embedded store as of one moment, under the name
 * of its file, and in `photos/` the files of the photos it has.
 *
 * @throws when the name is taken, or the store or a file cannot be read
 */
export function archive(databaseUrl: string, store: PhotoStore, file: string): Promise<Archived> {
  return makeWhole(file, async (part, scratch) => {
    // The rows first: the files of each were there before it, and none ever changes.
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
      // As the service makes them: a web server may give them to the public.
      await pack(packer, `photos/${pathInFolder(file)}`, found, 0o644)
      packed.push(rendition)
    }
    // The others can be made of it.
    counts[packed.includes('full') ? 'photos' : 'missing'] += 1
  }
  packer.finalize()
  return counts
}

async function pack(packer: Packer, name: string, { size, bytes }: Reading, mode: number): Promise<void> {
  await pipeline(bytes, Writable.fromWeb(packer.add({ name, size, mode }) as never))
}

/** @param snapshot a file of the embedded store that nobody has open */
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

/** There is no such table in a store of an older release. */
const hasPhotos = (database: DatabaseSync): boolean =>
  database.prepare(`select name from sqlite_schema where name = 'photo'`).get() !== undefined
