import { dirname, join } from 'node:path'
import type { Config } from '../../config.ts'
import { fileOf, isPostgres } from '../../db/store-url.ts'
import { openRenderer, type Renderer } from '../renderer/render.ts'
import { openFolder } from './folder.ts'
import type { PhotoStore } from './store.ts'

/** The files of photos, and what makes them. */
export interface PhotoFiles {
  store: PhotoStore
  renderer: Renderer
  /** By the names of files that are being made now; of each that asked for it, whether it is gone. */
  making: Map<string, { done: Promise<void>; asked: (() => boolean)[] }>
  close(): Promise<void>
}

export async function openPhotos(config: Where, renderer = openRenderer()): Promise<PhotoFiles> {
  const store = await openPhotoStore(config)
  return { store, renderer, making: new Map(), close: () => renderer.close() }
}

type Where = Pick<Config, 'photosUrl' | 'databaseUrl'>

/** The files of photos, where the settings have them: else in a folder beside the database. */
export function openPhotoStore(where: Where): Promise<PhotoStore> {
  return photoStoreAt(urlOf(where))
}

/** Undefined for a bucket. */
export function folderOf(where: Where): string | undefined {
  const url = urlOf(where)
  return url.startsWith(FILE) ? url.slice(FILE.length) : undefined
}

function urlOf({ photosUrl, databaseUrl }: Where): string {
  const beside = isPostgres(databaseUrl) ? 'data' : dirname(fileOf(databaseUrl))
  return photosUrl ?? FILE + join(beside, 'photos')
}

const FILE = 'file:'

/** @param url as PHOTOS_URL has it */
export async function photoStoreAt(url: string): Promise<PhotoStore> {
  if (url.startsWith(FILE)) return openFolder(url.slice(FILE.length))
  // What it takes is loaded by those alone who ask for it.
  return (await import('./s3.ts')).openS3(url)
}
