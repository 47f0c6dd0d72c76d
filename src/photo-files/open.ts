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
  close(): Promise<void>
}

export async function openPhotos(config: Pick<Config, 'photosUrl' | 'databaseUrl'>): Promise<PhotoFiles> {
  const store = await openPhotoStore(config)
  const renderer = openRenderer()
  return { store, renderer, close: () => renderer.close() }
}

const FILE = 'file:'

export async function openPhotoStore({
  photosUrl,
  databaseUrl,
}: Pick<Config, 'photosUrl' | 'databaseUrl'>): Promise<PhotoStore> {
  // What it takes is loaded by those alone who ask for it.
  if (photosUrl && !photosUrl.startsWith(FILE)) return (await import('./s3.ts')).openS3(photosUrl)
  const beside = isPostgres(databaseUrl) ? 'data' : dirname(fileOf(databaseUrl))
  return openFolder(photosUrl?.slice(FILE.length) ?? join(beside, 'photos'))
}
