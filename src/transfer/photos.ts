import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { appendFile, rm, writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { Readable } from 'node:stream'
import Schema from 'typebox/schema'
import { changes } from '../db/change.ts'
import type { Db } from '../db/tables.ts'
import type { Writer } from '../db/write.ts'
import { ApiError } from '../errors.ts'
import { renderNewPhoto } from '../photos/files.ts'
import { MAX_PHOTOS } from '../photos/schema.ts'
import { newWorkFile } from '../photos/storage/folder.ts'
import type { PhotoFiles } from '../photos/storage/open.ts'
import { ALL_RENDITIONS, FIRST_RENDITIONS } from '../photos/storage/photo-files.ts'
import { AltText } from '../photos/storage/stored-photo.ts'
import * as photos from '../photos/store.ts'
import type { Fields, Format } from './animal.ts'
import { download } from './download.ts'
import { findPhotoIds, type PhotoSource } from './photo-store.ts'
import { type PhotoCounts, type Refusal, splitCell, toRefusal } from './report.ts'

// Downloads the photos of imported animals from the addresses in a file.

/** The addresses of an animal's photos, in order. */
export interface PhotoList {
  sources: { address: string; alt?: string }[]
  /** The number of further photos in the file, beyond the maximum for an animal. */
  surplus: number
}

type Source = PhotoList['sources'][number]

/** Reads photos from members: texts with addresses, or photo objects. @returns undefined for none */
export function readPhotoList(
  fields: Fields,
  members: readonly string[],
  format: Format,
): PhotoList | undefined {
  // A cover photo is also in the list of all photos.
  const byAddress = new Map<string, Source>()
  for (const value of members.flatMap((member) => fields[member])) {
    for (const source of readSources(value, format))
      if (!byAddress.has(source.address)) byAddress.set(source.address, source)
  }
  if (byAddress.size === 0) return undefined
  const sources = [...byAddress.values()].slice(0, MAX_PHOTOS)
  return { sources, surplus: byAddress.size - sources.length }
}

/** Separates addresses in a cell. An address may contain a semicolon. */
const ADDRESS_SEPARATOR = /\s*;\s*(?=https?:)|\s+/i

/** Drawings that programs show in place of a photo. */
const PLACEHOLDERS = [
  /\/default_images\/|placeholder|coming[-_]?soon/i,
  /(?<![a-z])no[-_ ]?(?:photo|pic|picture|image|img)s?(?![a-z])/i,
  /(?:photo|picture|image)[-_]?(?:not[-_]?available|unavailable|missing)/i,
]

function isPlaceholder(address: string): boolean {
  const [path = ''] = address
    .slice(0, 2_000)
    .replace(/^https?:\/\/[^/]*/i, '')
    .split(/[?#]/, 1)
  return PLACEHOLDERS.some((pattern) => pattern.test(path))
}

function readSources(value: unknown, format: Format): Source[] {
  if (typeof value === 'string') {
    const addresses = format === 'csv' ? splitCell(value, ADDRESS_SEPARATOR) : [value.trim()]
    return addresses.flatMap((address) => (address && !isPlaceholder(address) ? { address } : []))
  }
  if (typeof value !== 'object' || value === null) return []
  const { alt, sizes, ...rest } = value as { alt?: unknown; sizes?: object }
  const { full, large } = { ...rest, ...sizes } as { full?: unknown; large?: unknown }
  const address = full ?? large
  return typeof address === 'string' && !isPlaceholder(address)
    ? [{ address, ...(isAlt(alt) && { alt }) }]
    : []
}

const altText = Schema.Compile(AltText)

/** Drops an alt text that the service would refuse. */
const isAlt = (alt: unknown): alt is string => altText.Check(alt)

const CONCURRENCY = 4

export interface PhotoImportOptions {
  files: PhotoFiles
  /** Whether to make all renditions immediately, because another server serves the files. */
  allRenditions: boolean
  /** Whether to download from addresses of this machine and its network too. */
  privateToo: boolean
}

export interface AnimalPhotos {
  line: number
  /** The id in the source. */
  id?: string | undefined
  petId: number
  photos: PhotoList
}

interface FetchOptions extends PhotoImportOptions {
  by: photos.PhotoActor
  clock: () => number
  onRefused(refusal: Refusal): void
  /** Called after each photo with the totals so far. */
  onPhoto(done: PhotoCounts): void
}

/** Keeps photo lists in a file, because photos are downloaded after all animals are imported. */
export async function openPhotoQueue({ files }: PhotoImportOptions) {
  const file = await newWorkFile(files.store)
  // The file must exist even if the input has no photos.
  await writeFile(file, '', { mode: 0o600 })
  return {
    async add(found: AnimalPhotos[]): Promise<void> {
      await appendFile(file, found.map((one) => `${JSON.stringify(one)}\n`).join(''))
    },
    all: () => createInterface({ input: createReadStream(file) }),
    [Symbol.asyncDispose]: () => rm(file, { force: true }),
  }
}

/**
 * Downloads photos, in order, from addresses that were not downloaded before. A second run resumes an
 * interrupted one. A photo that was removed from an animal is not downloaded again.
 */
export async function fetchPhotos(
  queued: AsyncIterable<string>,
  { db, write }: Pick<Writer, 'write'> & { db: Db },
  { files, allRenditions, privateToo, by, clock, onRefused, onPhoto }: FetchOptions,
): Promise<PhotoCounts> {
  const done: PhotoCounts = { added: 0, there: 0, failed: 0, noRoom: 0 }

  async function fetchAnimalPhotos(text: string): Promise<void> {
    const { line, id, petId, photos: found }: AnimalPhotos = JSON.parse(text)
    const refuse = (reason: string) => onRefused({ line, ...(id !== undefined && { id }), reason })
    const order = hashAddresses(found)
    const downloaded = await findPhotoIds(db, petId, order)
    for (const [index, { address, alt }] of found.sources.entries()) {
      const hash = order[index] ?? ''
      try {
        const outcome = downloaded.has(hash)
          ? 'there'
          : await fetchPhoto(petId, { hash, order }, address, alt)
        done[outcome] += 1
      } catch (error) {
        done[isFull(error) ? 'noRoom' : 'failed'] += 1
        refuse(`photos[${index}]: ${toRefusal(error).reason}`)
      }
      onPhoto(done)
    }
    if (found.surplus === 0) return
    done.noRoom += found.surplus
    refuse(`photos: ${found.surplus} were not downloaded: an animal has at most ${MAX_PHOTOS}.`)
  }

  async function fetchPhoto(
    petId: number,
    source: PhotoSource,
    address: string,
    alt?: string,
  ): Promise<'added' | 'there'> {
    const owner: photos.Owner = { kind: 'pet', id: petId }
    // Checks for room before the download, because rendering takes a second and creates files.
    photos.requireRoom(await photos.list(db, owner))
    const { file, digest } = await download(address, files.store, privateToo)
    try {
      const same = await photos.findByDigest(db, owner, await photos.list(db, owner), digest)
      if (same) {
        await write(changes.rememberPhoto, petId, source.hash, same.id)
        return 'there'
      }
      const made = await renderNewPhoto(files, file, allRenditions ? ALL_RENDITIONS : FIRST_RENDITIONS)
      const photo = { digest, ...made, ...(alt !== undefined && { alt }) }
      const { isNew } = await write(changes.importPhoto, petId, source, photo, by, clock())
      return isNew ? 'added' : 'there'
    } finally {
      await rm(file, { force: true })
    }
  }

  await Readable.from(queued).forEach(fetchAnimalPhotos, { concurrency: CONCURRENCY })
  return done
}

const hashAddresses = ({ sources }: PhotoList): string[] =>
  sources.map(({ address }) => createHash('sha256').update(address).digest('hex'))

const isFull = (error: unknown): boolean => error instanceof ApiError && error.code === 'too_many_photos'
