import { ApiError } from '../errors.ts'
import type { Job } from '../jobs/job.ts'
import { inSteps } from '../jobs/job.ts'
import { listJobs } from '../jobs/store.ts'
import { sweepWorkFolder } from '../photo-files/folder.ts'
import { ALL_FORMS, fileName, readFileName } from '../photo-files/sizes.ts'
import { keepForm } from './files.ts'
import { hasAny, hasRemoved, known, pending, removed } from './store.ts'

/** Makes the files of new photos that nobody waited for. */
export const photoFiles: Job = {
  isDue: async ({ db }) => (await pending(db)) !== undefined,
  run: ({ db, photos, write }, mayGoOn) =>
    inSteps(async () => {
      const hash = await pending(db)
      if (hash === undefined) return false
      for (const form of ALL_FORMS) {
        if ((await photos.store.size(fileName(hash, form))) !== undefined) continue
        await keepForm(photos, hash, form).catch((error) => {
          // It was removed meanwhile, or cannot be read: it is made again when somebody asks for it.
          if (!(error instanceof ApiError) || error.status === 503) throw error
        })
      }
      await write('photoFilesMade', hash)
      return true
    }, mayGoOn),
}

/** Removes the files of photos that are gone. */
export const removedPhotos: Job = {
  isDue: ({ db }) => hasRemoved(db),
  run: ({ db, photos, write }, mayGoOn) =>
    inSteps(async () => {
      const hashes = await removed(db)
      if (hashes.length === 0) return false
      await photos.store.remove(hashes.flatMap((hash) => ALL_FORMS.map((form) => fileName(hash, form))))
      await write('photoFilesRemoved', hashes)
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
    const isTime = !last || Math.abs(clock() - last) >= A_DAY_MS
    // A service without photos has nothing to look after.
    return isTime && (await hasAny(db))
  },
  async run({ db, photos: { store }, clock }, mayGoOn) {
    const before = clock() - A_DAY_MS
    await sweepWorkFolder(store, before)
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
