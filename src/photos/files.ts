import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { Context } from '../context.ts'
import { ApiError } from '../errors.ts'
import type { Rendered } from './renderer/render-channel.ts'
import type { Asking } from './renderer/turns.ts'
import { workFile } from './storage/folder.ts'
import type { PhotoFiles } from './storage/open.ts'
import { FIRST_RENDITIONS, fileName, type Rendition } from './storage/renditions.ts'
import { known } from './store.ts'

// The files of photos: made of what was sent, or of the largest one that is kept.

/**
 * For a disk that is full, read-only or gone, and for a bucket that is.
 *
 * @throws {ApiError} service_unavailable
 */
export function unavailable(cause: unknown): never {
  throw cause instanceof ApiError ? cause : new ApiError('service_unavailable', { cause })
}

/**
 * Whether nobody waits for the answer any more. Whoever has closed its side of the connection says no more
 * than that, but those who do so and still want a photo are hardly any.
 */
export const isGone = ({ socket }: IncomingMessage): boolean => socket.destroyed || socket.readableEnded

/**
 * Makes the first files of a photo, and keeps them.
 *
 * @param renditions which; enough to show it
 * @param asking who uploads it; absent in a command
 * @returns what they are called, and how large the photo is
 * @throws {ApiError} invalid_image, service_unavailable
 */
export async function keepNew(
  files: PhotoFiles,
  source: string,
  renditions: readonly Rendition[] = FIRST_RENDITIONS,
  asking?: Asking,
): Promise<Rendered & { hash: string }> {
  return makeRenditions(files, source, renditions, {
    ...(asking && { asking }),
    hashOf: async (made) => {
      const full = made.find(({ rendition }) => rendition === 'full')
      return full ? await newHash(full.file) : ''
    },
  })
}

/** 128 bits of SHA-256 over the photo and a number drawn for it, so that no two photos share a file. */
async function newHash(file: string): Promise<string> {
  const hash = createHash('sha256').update(randomBytes(16))
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex').slice(0, 32)
}

/**
 * Makes missing files of a photo out of its largest; each once for all who ask meanwhile. What is made of one
 * that was removed meanwhile does not stay: nobody would remove it.
 *
 * @throws {ApiError} photo_not_found, invalid_image, service_unavailable
 */
export async function keepRenditions(
  { db, photos }: Pick<Context, 'db' | 'photos'>,
  hash: string,
  renditions: readonly Rendition[],
  { isGone = () => false, ...asking }: Asking,
): Promise<void> {
  const { making } = photos
  const begun = renditions.map((rendition) => making.get(fileName(hash, rendition)))
  for (const one of begun) one?.asked.push(isGone)
  const left = renditions.filter((_, index) => !begun[index])
  if (left.length === 0) return void (await Promise.all(begun.map((one) => one?.done)))
  // It is made for as long as one of them is there.
  const asked = [isGone]
  const forAll = { ...asking, isGone: () => asked.every((isGone) => isGone()) }
  const done = keepMissing({ db, photos }, hash, left, forAll)
  for (const rendition of left) making.set(fileName(hash, rendition), { done, asked })
  try {
    await Promise.all([...begun.map((one) => one?.done), done])
  } finally {
    for (const rendition of left) making.delete(fileName(hash, rendition))
  }
}

async function keepMissing(
  { db, photos }: Pick<Context, 'db' | 'photos'>,
  hash: string,
  renditions: readonly Rendition[],
  asking: Asking,
): Promise<void> {
  const { store } = photos
  const requireThere = async (): Promise<void> => {
    if (!(await known(db, [hash])).has(hash)) throw new ApiError('photo_not_found')
  }
  const largest = await store.read(fileName(hash, 'full')).catch(unavailable)
  if (!largest) throw new ApiError('photo_not_found')
  const source = await workFile(store).catch(unavailable)
  try {
    await pipeline(largest.bytes, createWriteStream(source)).catch(unavailable)
    await makeRenditions(photos, source, renditions, {
      asking,
      hashOf: async () => hash,
      onTurn: requireThere,
    })
  } finally {
    await rm(source, { force: true })
  }
  try {
    // The job may have removed its files before these were there. From here on it removes these too.
    await requireThere()
  } catch (error) {
    await store.remove(renditions.map((rendition) => fileName(hash, rendition))).catch(unavailable)
    throw error
  }
}

type RenderedFiles = { rendition: Rendition; file: string }[]

interface Making {
  asking?: Asking
  hashOf(made: RenderedFiles): Promise<string>
  onTurn?(): Promise<void>
}

async function makeRenditions(
  { store, renderer }: PhotoFiles,
  source: string,
  renditions: readonly Rendition[],
  { asking, hashOf, onTurn }: Making,
): Promise<Rendered & { hash: string }> {
  const made = await Promise.all(
    renditions.map(async (rendition) => ({ rendition, file: await workFile(store) })),
  )
  try {
    const rendered = await renderer.render({ source, renditions: made }, asking, onTurn)
    const hash = await hashOf(made)
    for (const { rendition, file } of made) await store.put(fileName(hash, rendition), file)
    return { ...rendered, hash }
  } catch (error) {
    return unavailable(error)
  } finally {
    for (const { file } of made) await rm(file, { force: true })
  }
}
