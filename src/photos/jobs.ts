import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import { ApiError } from '../errors.ts'
import type { Job } from '../jobs/job.ts'
import { inSteps } from '../jobs/job.ts'
import { listJobs } from '../jobs/store.ts'
import { keepRenditions, unavailable } from './files.ts'
import { ALL_RENDITIONS, fileName, type Rendition, readFileName } from './storage/renditions.ts'
import { hasRemoved, known, pending, removed } from './store.ts'

/** So much is done at a time: the other jobs wait for it. What is left then is done in the next round. */
const [MAX_AT_A_TIME, MAX_MS] = [20, 5_000]

/** Makes the files of new photos that nobody waited for. */
export const photoFiles: Job = {
  isDue: async ({ db }) => (await pending(db)) !== undefined,
  async run({ db, photos, write, clock }, mayGoOn) {
    const began = clock()
    const failed: { hash: string; error: unknown }[] = []
    let [last, made] = [0, 0]
    while (made + failed.length < MAX_AT_A_TIME && Math.abs(clock() - began) < MAX_MS && (await mayGoOn())) {
      const photo = await pending(db, last)
      if (!photo) break
      last = photo.id
      try {
        await makeMissing({ db, photos }, photo.hash)
        await write(changes.photoFilesMade, photo.hash)
        made += 1
      } catch (error) {
        failed.push({ hash: photo.hash, error })
      }
    }
    // Others went well: it is not the store that fails but these, and they are made when somebody asks.
    if (made > 0) for (const { hash } of failed) await write(changes.photoFilesMade, hash)
    else if (failed[0]) throw failed[0].error
  },
}

/** @throws {ApiError} service_unavailable */
async function makeMissing(context: Pick<Context, 'db' | 'photos'>, hash: string): Promise<void> {
  const { store } = context.photos
  const missing: Rendition[] = []
  for (const rendition of ALL_RENDITIONS)
    if ((await store.size(fileName(hash, rendition)).catch(unavailable)) === undefined)
      missing.push(rendition)
  if (missing.length === 0) return
  await keepRenditions(context, hash, missing, { caller: 'job', isUpload: false }).catch((error) => {
    // It was removed meanwhile, or cannot be read: neither is otherwise the next time.
    if (!(error instanceof ApiError) || error.status === 503) throw error
  })
}

/** Removes the files of photos that are gone. */
export const removedPhotos: Job = {
  isDue: ({ db }) => hasRemoved(db),
  run: ({ db, photos, write }, mayGoOn) =>
    inSteps(async () => {
      const hashes = await removed(db)
      if (hashes.length === 0) return false
      await photos.store.remove(
        hashes.flatMap((hash) => ALL_RENDITIONS.map((rendition) => fileName(hash, rendition))),
      )
      await write(changes.photoFilesRemoved, hashes)
      return true
    }, mayGoOn),
}

const A_DAY_MS = 86_400_000
const STEP = 1_000
export const ORPHANS = 'orphaned-photo-files'

/**
 * Once a day removes files that have been there for a day and are nobody's: of uploads whose process died
 * between the file and the row.
 */
export const orphanedPhotoFiles: Job = {
  async isDue({ db, clock }) {
    const { ended_at: last } = (await listJobs(db)).get(ORPHANS) ?? {}
    return !last || Math.abs(clock() - last) >= A_DAY_MS
  },
  async run({ db, photos: { store }, clock }, mayGoOn) {
    const before = clock() - A_DAY_MS
    let names: string[] = []
    const removeNobodys = async (): Promise<void> => {
      const hashes = names.map((name) => readFileName(name)?.hash ?? '')
      const used = await known(db, [...new Set(hashes)])
      await store.remove(names.filter((_, index) => !used.has(hashes[index] ?? '')))
      names = []
    }
    for await (const { name, at } of store.list()) {
      if (at < before) names.push(name)
      if (names.length < STEP) continue
      if (!(await mayGoOn())) return
      await removeNobodys()
    }
    if (names.length > 0 && (await mayGoOn())) await removeNobodys()
  },
}
