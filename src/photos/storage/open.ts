import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Config } from '../../config.ts'
import { fileOf, isPostgres } from '../../db/store-url.ts'
import { openRenderer, type Renderer } from '../renderer/render.ts'
import { newWorkFile, openFolder } from './folder.ts'
import type { PhotoStore } from './photo-files.ts'

/** The store of photo files, and the renderer that makes them. */
export interface PhotoFiles {
  store: PhotoStore
  renderer: Renderer
  /** The running work by file name. Each function in `clients` says whether a waiting client has left. */
  making: Map<string, { done: Promise<void>; clients: (() => boolean)[] }>
  close(): Promise<void>
}

export async function openPhotos(config: PhotoSettings, renderer = openRenderer()): Promise<PhotoFiles> {
  const store = await openPhotoStore(config)
  return { store, renderer, making: new Map(), close: () => renderer.close() }
}

type PhotoSettings = Pick<Config, 'photosUrl' | 'databaseUrl'>

/** Opens the store in PHOTOS_URL, else in a folder next to the database. */
export function openPhotoStore(settings: PhotoSettings): Promise<PhotoStore> {
  return openPhotoStoreAt(urlOf(settings))
}

/** @returns undefined if the photos are in a bucket */
export function folderOf(settings: PhotoSettings): string | undefined {
  const url = urlOf(settings)
  return url.startsWith(FILE) ? url.slice(FILE.length) : undefined
}

function urlOf({ photosUrl, databaseUrl }: PhotoSettings): string {
  const folder = isPostgres(databaseUrl) ? 'data' : dirname(fileOf(databaseUrl))
  return photosUrl ?? FILE + join(folder, 'photos')
}

const FILE = 'file:'

/** Opens the store at a URL. @param url in the format of PHOTOS_URL */
export async function openPhotoStoreAt(url: string): Promise<PhotoStore> {
  if (url.startsWith(FILE)) return openFolder(url.slice(FILE.length))
  // Loads the module only for a bucket.
  return (await import('./s3.ts')).openS3(url)
}

/** Maximum number of files copied at the same time. */
const CONCURRENCY = 8

export interface CopyCounts {
  copied: number
  /** Files that the target already had, or that are gone. */
  there: number
}

/**
 * Copies the files that are missing in one store from another, also while a service uses both. A second run
 * copies the files that were added since the first one.
 * @param onFile is called after each file with the counts so far
 */
export async function copyFiles(
  from: PhotoStore,
  to: PhotoStore,
  onFile: (done: CopyCounts) => void = () => undefined,
): Promise<CopyCounts> {
  const done: CopyCounts = { copied: 0, there: 0 }
  await Readable.from(from.list()).forEach(
    async ({ name }: { name: string }) => {
      done[await copyFile(from, to, name)] += 1
      onFile(done)
    },
    { concurrency: CONCURRENCY },
  )
  return done
}

async function copyFile(from: PhotoStore, to: PhotoStore, name: string): Promise<keyof CopyCounts> {
  const size = await from.size(name)
  if (size === (await to.size(name))) return 'there'
  const source = await from.read(name)
  // The file was removed after it was listed.
  if (!source) return 'there'
  const file = await newWorkFile(to)
  try {
    // Uses the default mode, as for new files, because a web server may serve the files to the public.
    await pipeline(source.bytes, createWriteStream(file))
    await to.put(name, file)
    return 'copied'
  } finally {
    await rm(file, { force: true })
  }
}
