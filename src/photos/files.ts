import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { ApiError } from '../errors.ts'
import { workFile } from '../photo-files/folder.ts'
import type { PhotoFiles } from '../photo-files/open.ts'
import type { Rendered } from '../photo-files/render-process.ts'
import { FIRST_FORMS, type Form, fileName } from '../photo-files/sizes.ts'

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
 * Makes the first files of a photo, and keeps them.
 *
 * @param forms which; enough to show it
 * @returns what they are called, and how large the photo is
 * @throws {ApiError} invalid_image, service_unavailable
 */
export async function keepNew(
  { store, renderer }: PhotoFiles,
  source: string,
  forms: readonly Form[] = FIRST_FORMS,
): Promise<Rendered & { hash: string }> {
  return makeForms({ store, renderer }, source, forms, async (made) => {
    const full = made.find(({ form }) => form === 'full')
    return full ? await newHash(full.file) : ''
  })
}

/** 128 bits of SHA-256 over the photo and a number drawn for it, so that no two photos share a file. */
async function newHash(file: string): Promise<string> {
  const hash = createHash('sha256').update(randomBytes(16))
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex').slice(0, 32)
}

/** Makes missing files of a photo out of its largest; each once for all who ask meanwhile. */
export async function keepForms(files: PhotoFiles, hash: string, forms: readonly Form[]): Promise<void> {
  const { making } = files
  const begun = forms.map((form) => making.get(fileName(hash, form)))
  const left = forms.filter((_, index) => !begun[index])
  const made = left.length > 0 ? keepMissing(files, hash, left) : undefined
  if (made) for (const form of left) making.set(fileName(hash, form), made)
  try {
    await Promise.all([...begun, made])
  } finally {
    if (made) for (const form of left) making.delete(fileName(hash, form))
  }
}

/** @throws {ApiError} photo_not_found when the largest is not there; invalid_image, service_unavailable */
async function keepMissing(files: PhotoFiles, hash: string, forms: readonly Form[]): Promise<void> {
  const largest = await files.store.read(fileName(hash, 'full')).catch(unavailable)
  if (!largest) throw new ApiError('photo_not_found')
  const source = await workFile(files.store).catch(unavailable)
  try {
    await pipeline(largest.bytes, createWriteStream(source)).catch(unavailable)
    await makeForms(files, source, forms, async () => hash)
  } finally {
    await rm(source, { force: true })
  }
}

type Made = { form: Form; file: string }[]

async function makeForms(
  { store, renderer }: Pick<PhotoFiles, 'store' | 'renderer'>,
  source: string,
  forms: readonly Form[],
  hashOf: (made: Made) => Promise<string>,
): Promise<Rendered & { hash: string }> {
  const made = await Promise.all(forms.map(async (form) => ({ form, file: await workFile(store) })))
  try {
    const rendered = await renderer.render({ source, forms: made })
    const hash = await hashOf(made)
    for (const { form, file } of made) await store.put(fileName(hash, form), file)
    return { ...rendered, hash }
  } catch (error) {
    return unavailable(error)
  } finally {
    for (const { file } of made) await rm(file, { force: true })
  }
}
