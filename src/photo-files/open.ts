import { dirname, join } from 'node:path'
import type { Config } from '../config.ts'
import { fileOf, isPostgres } from '../db/store-url.ts'
import { openFolder } from './folder.ts'
import { openRenderer, type Renderer } from './render.ts'
import type { PhotoStore } from './store.ts'

/** The files of photos, and what makes them. */
export interface PhotoFiles {
  store: PhotoStore
  renderer: Renderer
  /** By the names of files that are being made now. */
  making: Map<string, Promise<void>>
  close(): Promise<void>
}

export async function openPhotos(config: Pick<Config, 'photosUrl' | 'databaseUrl'>): Promise<PhotoFiles> {
  const store = await openPhotoStore(config)
  const renderer = openRenderer()
  return { store, renderer, making: new Map(), close: () => renderer.close() }
}

/** The files of photos where the settings have them: in a folder beside the database, unless told otherwise. */
export function openPhotoStore({
  photosUrl,
  databaseUrl,
}: Pick<Config, 'photosUrl' | 'databaseUrl'>): Promise<PhotoStore> {
  return photoStoreAt(photosUrl ?? FILE + folderBeside(databaseUrl))
}

export const folderBeside = (databaseUrl: string): string =>
  join(isPostgres(databaseUrl) ? 'data' : dirname(fileOf(databaseUrl)), 'photos')

const FILE = 'file:'

/** @param url as PHOTOS_URL has it */
export async function photoStoreAt(url: string): Promise<PhotoStore> {
  if (url.startsWith(FILE)) return openFolder(url.slice(FILE.length))
  // What it takes is loaded by those alone who ask for it.
  return (await import('./s3.ts')).openS3(url)
}
