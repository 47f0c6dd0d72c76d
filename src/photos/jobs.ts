import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import { ApiError } from '../errors.ts'
import { type Job, listJobs, runInSteps } from '../jobs/job.ts'
import { renderMissing, throwUnavailable } from './files.ts'
import { ALL_RENDITIONS, fileName, type Rendition, readFileName } from './storage/photo-files.ts'
import { findPending, hasRemoved, listRemovedHashes, listUsedHashes } from './store.ts'

/** The limits of one run of the job, because the other jobs wait for it. The next run continues the work. */
const [MAX_PHOTOS_PER_ROUND, MAX_ROUND_MS] = [20, 5_000]

/** Makes the sizes of new photos that no client has requested yet. */
export const photoFiles: Job = {
  isDue: async ({ db }) => (await findPending(db)) !== undefined,
  async run({ db, photos, write, clock }, mayContinue) {
    const startedAt = clock()
    const failed: { hash: string; error: unknown }[] = []
    let [last, made] = [0, 0]
    while (
      made + failed.length < MAX_PHOTOS_PER_ROUND &&
      Math.abs(clock() - startedAt) < MAX_ROUND_MS &&
      (await mayContinue())
    ) {
      const photo = await findPending(db, last)
      if (!photo) break
      last = photo.id
      try {
        await makeMissing({ db, photos }, photo.hash)
        await write(changes.markPhotoFilesMade, photo.hash)
        made += 1
      } catch (error) {
        failed.push({ hash: photo.hash, error })
      }
    }
    // Other photos succeeded, so the store works. A failed photo is tried again when a client requests it.
    if (made > 0) for (const { hash } of failed) await write(changes.markPhotoFilesMade, hash)
    else if (failed[0]) throw failed[0].error
  },
}

/** @throws {ApiError} service_unavailable */
async function makeMissing(context: Pick<Context, 'db' | 'photos'>, hash: string): Promise<void> {
  const { store } = context.photos
  const missing: Rendition[] = []
  for (const rendition of ALL_RENDITIONS)
    if ((await store.size(fileName(hash, rendition)).catch(throwUnavailable)) === undefined)
      missing.push(rendition)
  if (missing.length === 0) return
  await renderMissing(context, hash, missing, { party: { caller: 'job' }, isUpload: false }).catch(
    (error) => {
      // The photo was removed or cannot be read, so another attempt would not help.
      if (!(error instanceof ApiError) || error.status === 503) throw error
    },
  )
}

export const removedPhotos: Job = {
  isDue: ({ db }) => hasRemoved(db),
  run: ({ db, photos, write }, mayContinue) =>
    runInSteps(async () => {
      const hashes = await listRemovedHashes(db)
      if (hashes.length === 0) return false
      await photos.store.remove(
        hashes.flatMap((hash) => ALL_RENDITIONS.map((rendition) => fileName(hash, rendition))),
      )
      await write(changes.clearRemovedPhotos, hashes)
      return true
    }, mayContinue),
}

const DAY_MS = 86_400_000
const ORPHAN_BATCH_SIZE = 1_000
export const ORPHANED_FILES_JOB = 'orphaned-photo-files'

/**
 * Removes files that are a day old and belong to no photo. Runs once a day. Such a file remains if a process
 * dies after it has stored the file and before it has added the row.
 */
export const orphanedPhotoFiles: Job = {
  async isDue({ db, clock }) {
    const { ended_at: last } = (await listJobs(db)).get(ORPHANED_FILES_JOB) ?? {}
    return !last || Math.abs(clock() - last) >= DAY_MS
  },
  async run({ db, photos: { store } }, mayContinue) {
    let names: string[] = []
    const removeUnused = async (): Promise<void> => {
      const hashes = names.map((name) => readFileName(name)?.hash ?? '')
      const used = await listUsedHashes(db, [...new Set(hashes)])
      await store.remove(names.filter((_, index) => !used.has(hashes[index] ?? '')))
      names = []
    }
    for await (const { name, ageMs } of store.list()) {
      if (ageMs > DAY_MS) names.push(name)
      if (names.length < ORPHAN_BATCH_SIZE) continue
      if (!(await mayContinue())) return
      await removeUnused()
    }
    if (names.length > 0 && (await mayContinue())) await removeUnused()
  },
}
