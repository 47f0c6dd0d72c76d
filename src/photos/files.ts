import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { Context } from '../context.ts'
import { ApiError } from '../errors.ts'
import type { RenderClient, RenderSteps } from './renderer/fair-queue.ts'
import type { RenderedSize } from './renderer/render-channel.ts'
import { newWorkFile } from './storage/folder.ts'
import type { PhotoFiles } from './storage/open.ts'
import { FIRST_RENDITIONS, fileName, type Rendition } from './storage/renditions.ts'
import { listUsedHashes } from './store.ts'

// Makes the files of photos, from an upload or from the largest stored file.

/**
 * Reports an error of the disk or bucket: full, read-only or gone.
 *
 * @throws {ApiError} service_unavailable; an ApiError is thrown as it is
 */
export function throwUnavailable(cause: unknown): never {
  throw cause instanceof ApiError ? cause : new ApiError('service_unavailable', { cause })
}

/**
 * True if the client no longer waits for the answer. A client that has closed only its sending side could
 * still read the answer, but hardly any client does.
 */
export const isClientGone = ({ socket }: IncomingMessage): boolean => socket.destroyed || socket.readableEnded

/**
 * Makes and stores the first files of a new photo.
 *
 * @param source path of the picture
 * @param client the uploading client; absent in a command
 * @returns the hash that the file names begin with, and the size of the photo in pixels
 * @throws {ApiError} invalid_image, service_unavailable
 */
export async function renderNewPhoto(
  files: PhotoFiles,
  source: string,
  renditions: readonly Rendition[] = FIRST_RENDITIONS,
  client?: RenderClient,
): Promise<RenderedSize & { hash: string }> {
  return makeRenditions(files, source, renditions, {
    ...(client && { client }),
    chooseHash: async (files) => {
      const full = files.find(({ rendition }) => rendition === 'full')
      return full ? await newHash(full.file) : ''
    },
  })
}

/** 128 bits of SHA-256 over the photo and a random number, so two photos never have the same file names. */
async function newHash(file: string): Promise<string> {
  const hash = createHash('sha256').update(randomBytes(16))
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex').slice(0, 32)
}

/**
 * Makes missing files of a photo from its largest file. Concurrent requests for a file wait for the same
 * work. If the photo is removed in the meantime, its new files are removed too.
 *
 * @throws {ApiError} photo_not_found, invalid_image, service_unavailable
 */
export async function renderMissing(
  { db, photos }: Pick<Context, 'db' | 'photos'>,
  hash: string,
  renditions: readonly Rendition[],
  { isGone = () => false, ...client }: RenderClient,
): Promise<void> {
  const { making } = photos
  const running = renditions.map((rendition) => making.get(fileName(hash, rendition)))
  for (const one of running) one?.clients.push(isGone)
  const missing = renditions.filter((_, index) => !running[index])
  if (missing.length === 0) return void (await Promise.all(running.map((one) => one?.done)))
  // The work continues while at least one of the clients is connected.
  const clients = [isGone]
  const sharedClient = { ...client, isGone: () => clients.every((isGone) => isGone()) }
  const done = renderAndStore({ db, photos }, hash, missing, sharedClient)
  for (const rendition of missing) making.set(fileName(hash, rendition), { done, clients })
  try {
    await Promise.all([...running.map((one) => one?.done), done])
  } finally {
    for (const rendition of missing) making.delete(fileName(hash, rendition))
  }
}

async function renderAndStore(
  { db, photos }: Pick<Context, 'db' | 'photos'>,
  hash: string,
  renditions: readonly Rendition[],
  client: RenderClient,
): Promise<void> {
  const { store } = photos
  const requirePhoto = async (): Promise<void> => {
    if (!(await listUsedHashes(db, [hash])).has(hash)) throw new ApiError('photo_not_found')
  }
  const source = await newWorkFile(store).catch(throwUnavailable)
  const copyLargest = async (): Promise<void> => {
    const largest = await store.read(fileName(hash, 'full')).catch(throwUnavailable)
    if (!largest) throw new ApiError('photo_not_found')
    await pipeline(largest.bytes, createWriteStream(source)).catch(throwUnavailable)
  }
  try {
    await makeRenditions(photos, source, renditions, {
      client,
      chooseHash: async () => hash,
      prepare: copyLargest,
      onTurn: requirePhoto,
    })
  } finally {
    await rm(source, { force: true })
  }
  try {
    // The job `removedPhotos` may have run before the new files existed. If the row still exists now, a later
    // removal also removes the new files.
    await requirePhoto()
  } catch (error) {
    await store.remove(renditions.map((rendition) => fileName(hash, rendition))).catch(throwUnavailable)
    throw error
  }
}

type RenderedFiles = { rendition: Rendition; file: string }[]

interface RenderOptions extends RenderSteps {
  client?: RenderClient
  chooseHash(files: RenderedFiles): Promise<string>
}

async function makeRenditions(
  { store, renderer }: PhotoFiles,
  source: string,
  renditions: readonly Rendition[],
  { client, chooseHash, ...steps }: RenderOptions,
): Promise<RenderedSize & { hash: string }> {
  const files = await Promise.all(
    renditions.map(async (rendition) => ({ rendition, file: await newWorkFile(store) })),
  )
  try {
    const rendered = await renderer.render({ source, renditions: files }, client, steps)
    const hash = await chooseHash(files)
    for (const { rendition, file } of files) await store.put(fileName(hash, rendition), file)
    return { ...rendered, hash }
  } catch (error) {
    return throwUnavailable(error)
  } finally {
    for (const { file } of files) await rm(file, { force: true })
  }
}
