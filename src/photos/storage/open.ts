import { dirname, join } from 'node:path'
import type { Config } from '../../config.ts'
import { fileOf, isPostgres } from '../../db/store-url.ts'
import { openRenderer, type Renderer } from '../renderer/render.ts'
import { openFolder } from './folder.ts'
import type { PhotoStore } from './store.ts'

/** The store of photo files, and the renderer that makes them. */
export interface PhotoFiles {
  store: PhotoStore
  renderer: Renderer
  /**
   * The running work for each file, by file name. Each function in `clients` says whether a waiting client
   * has disconnected.
   */
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

/** @returns undefined for a bucket */
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
