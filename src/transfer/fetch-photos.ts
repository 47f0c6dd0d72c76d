import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { appendFile, rm, writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { Readable } from 'node:stream'
import { changes } from '../db/change.ts'
import type { Db } from '../db/tables.ts'
import type { Writer } from '../db/write.ts'
import { ApiError } from '../errors.ts'
import { keepNew } from '../photos/files.ts'
import { MAX_PHOTOS } from '../photos/schema.ts'
import { workFile } from '../photos/storage/folder.ts'
import type { PhotoFiles } from '../photos/storage/open.ts'
import { ALL_RENDITIONS, FIRST_RENDITIONS } from '../photos/storage/renditions.ts'
import * as photos from '../photos/store.ts'
import type { Photographed, PhotoList, Refusal } from './animal.ts'
import { download } from './download.ts'
import { refusalFor } from './import-batch.ts'
import { knownSources, type PhotoSource } from './photo-store.ts'

/** So many addresses are asked at once. */
const CONCURRENCY = 4

export interface Fetching {
  files: PhotoFiles
  /** Whether all sizes are made at once, for somebody else who gives them to the public. */
  allForms: boolean
  /** Whether addresses of this machine and its network are asked too. */
  privateToo: boolean
}

export interface Fetched {
  added: number
  /** They were fetched before, or the animal has the same picture. */
  there: number
  failed: number
  /** They are more than an animal can have. */
  noRoom: number
}

interface Told {
  by: photos.By
  clock: () => number
  onRefused(refusal: Refusal): void
  /** Hears after each photo what was done so far. */
  onPhoto(done: Fetched): void
}

/** The photos of imported animals wait in a file until all animals are there: then they are fetched. */
export async function openPhotoQueue({ files }: Fetching) {
  const file = await workFile(files.store)
  // An input without any photo leaves it empty, and it is read all the same.
  await writeFile(file, '', { mode: 0o600 })
  return {
    async add(found: Photographed[]): Promise<void> {
      await appendFile(file, found.map((one) => `${JSON.stringify(one)}\n`).join(''))
    },
    all: () => createInterface({ input: createReadStream(file) }),
    [Symbol.asyncDispose]: () => rm(file, { force: true }),
  }
}

/**
 * Fetches the photos of animals from the addresses that did not bring one before, in their order. Run again,
 * it goes on where it was stopped. A photo that was removed does not come back.
 */
export async function fetchPhotos(
  queued: AsyncIterable<string>,
  { db, write }: Pick<Writer, 'write'> & { db: Db },
  fetching: Fetching,
  { by, clock, onRefused, onPhoto }: Told,
): Promise<Fetched> {
  const done: Fetched = { added: 0, there: 0, failed: 0, noRoom: 0 }

  async function ofAnimal(text: string): Promise<void> {
    const { line, id, petId, photos: found }: Photographed = JSON.parse(text)
    const refuse = (reason: string) => onRefused({ line, ...(id !== undefined && { id }), reason })
    const order = hashesOf(found)
    const known = await knownSources(db, petId, order)
    for (const [index, { address, alt }] of found.sources.entries()) {
      const hash = order[index] ?? ''
      try {
        const outcome = known.has(hash) ? 'there' : await fetchOne(petId, { hash, order }, address, alt)
        done[outcome] += 1
      } catch (error) {
        done[isFull(error) ? 'noRoom' : 'failed'] += 1
        refuse(`photos[${index}]: ${refusalFor(error).reason}`)
      }
      onPhoto(done)
    }
    if (found.surplus === 0) return
    done.noRoom += found.surplus
    refuse(`photos: ${found.surplus} were not fetched, since an animal has at most ${MAX_PHOTOS}.`)
  }

  async function fetchOne(
    petId: number,
    source: PhotoSource,
    address: string,
    alt?: string,
  ): Promise<'added' | 'there'> {
    const { files, allForms, privateToo } = fetching
    const owner: photos.Owner = { kind: 'pet', id: petId }
    // Before it is fetched: rendering costs a second, and its files would be nobody's.
    photos.requireRoom(await photos.list(db, owner))
    const { file, digest } = await download(address, files.store, privateToo)
    try {
      const same = await photos.findSame(db, owner, await photos.list(db, owner), digest)
      if (same) {
        await write(changes.rememberPhoto, petId, source.hash, same.id)
        return 'there'
      }
      const made = await keepNew(files, file, allForms ? ALL_RENDITIONS : FIRST_RENDITIONS)
      const photo = { digest, ...made, ...(alt !== undefined && { alt }) }
      const { isNew } = await write(changes.importPhoto, petId, source, photo, by, clock())
      return isNew ? 'added' : 'there'
    } finally {
      await rm(file, { force: true })
    }
  }

  await Readable.from(queued).forEach(ofAnimal, { concurrency: CONCURRENCY })
  return done
}

const hashesOf = ({ sources }: PhotoList): string[] =>
  sources.map(({ address }) => createHash('sha256').update(address).digest('hex'))

const isFull = (error: unknown): boolean => error instanceof ApiError && error.code === 'too_many_photos'
