import { createReadStream } from 'node:fs'
import { appendFile, rm } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { Readable } from 'node:stream'
import type { Db } from '../db/tables.ts'
import type { Writer } from '../db/write.ts'
import { ApiError } from '../errors.ts'
import { workFile } from '../photo-files/folder.ts'
import type { KeptPhoto } from '../photo-files/kept.ts'
import type { PhotoFiles } from '../photo-files/open.ts'
import { ALL_FORMS, FIRST_FORMS } from '../photo-files/sizes.ts'
import { keepNew } from '../photos/files.ts'
import { type By, list, type Owner } from '../photos/owners.ts'
import * as photos from '../photos/store.ts'
import type { Photographed, Refusal } from './animal.ts'
import { download } from './download.ts'
import { reasonFor } from './import-batch.ts'

/** So many addresses are asked at once. */
const AT_ONCE = 4

export interface Fetching {
  files: PhotoFiles
  /** Whether all sizes are made at once, for somebody else who gives them to the public. */
  allForms: boolean
  /** Whether addresses of this machine and its network are asked too. */
  privateToo: boolean
}

export interface Fetched {
  added: number
  /** They were fetched before. */
  there: number
  failed: number
}

interface Told {
  by: By
  clock: () => number
  onRefused(refusal: Refusal): void
  /** Hears after each photo what was done so far. */
  onPhoto(done: Fetched): void
}

/** The photos of imported animals, noted in a file until all animals are there: then they are fetched. */
export async function openLater({ files }: Fetching) {
  const file = await workFile(files.store)
  return {
    async add(found: Photographed[]): Promise<void> {
      await appendFile(file, found.map((one) => `${JSON.stringify(one)}\n`).join(''), { mode: 0o600 })
    },
    all: () => createInterface({ input: createReadStream(file) }),
    [Symbol.asyncDispose]: () => rm(file, { force: true }),
  }
}

/**
 * Fetches what animals lack of their photos, in their order. Run again, it goes on where it was stopped: an
 * animal that has as many as it should is passed over, and the same picture is not added twice.
 */
export async function fetchPhotos(
  noted: AsyncIterable<string>,
  { db, write }: Pick<Writer, 'write'> & { db: Db },
  fetching: Fetching,
  { by, clock, onRefused, onPhoto }: Told,
): Promise<Fetched> {
  const done: Fetched = { added: 0, there: 0, failed: 0 }

  async function ofAnimal(text: string): Promise<void> {
    const { line, id, petId, photos: wanted }: Photographed = JSON.parse(text)
    const owner: Owner = { kind: 'pet', id: BigInt(petId) }
    const has = await list(db, owner).catch(noneOfGone)
    if (has.length >= wanted.length) {
      done.there += wanted.length
      return
    }
    for (const [index, { address, alt }] of wanted.entries()) {
      try {
        done[await fetchOne(owner, address, alt)] += 1
      } catch (error) {
        done.failed += 1
        const reason = `photos[${index}]: ${reasonFor(error)}`
        onRefused({ line, ...(id !== undefined && { id }), reason })
      }
      onPhoto(done)
    }
  }

  async function fetchOne(owner: Owner, address: string, alt?: string): Promise<'added' | 'there'> {
    const { files, allForms, privateToo } = fetching
    const { file, digest } = await download(address, files.store, privateToo)
    try {
      if (await photos.findSame(db, owner, digest)) return 'there'
      const made = await keepNew(files, file, allForms ? ALL_FORMS : FIRST_FORMS)
      const photo = { digest, ...made, ...(alt !== undefined && { alt }) }
      const { isNew } = await write('addPhoto', owner, photo, by, clock())
      return isNew ? 'added' : 'there'
    } finally {
      await rm(file, { force: true })
    }
  }

  await Readable.from(noted).forEach(ofAnimal, { concurrency: AT_ONCE })
  return done
}

/** Removed since it came: what is wanted of it is refused one by one, as of everybody. */
function noneOfGone(error: unknown): KeptPhoto[] {
  if (error instanceof ApiError && error.status === 404) return []
  throw error
}
