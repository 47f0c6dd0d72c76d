import assert from 'node:assert/strict'
import { globSync, mkdirSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import { doJobs } from '../testing/jobs.ts'
import { JPEG, picture } from '../testing/pictures.ts'
import { pauseReader } from '../testing/reader-program.ts'
import { until } from '../testing/redis.ts'
import { scratchFolder, startApp, UNLIMITED } from '../testing/start-app.ts'
import { ORPHANED_FILES_JOB, orphanedPhotoFiles, photoFiles, removedPhotos } from './jobs.ts'
import { pathInFolder } from './storage/folder.ts'
import { fileName, type PhotoStore, readFileName } from './storage/photo-files.ts'

const A_DAY_MS = 86_400_000

/** Starts a service with photos in its own folder, at most 20 for each animal. */
async function startWithPhotos(t: TestContext, photos: number) {
  const folder = scratchFolder(t)
  const settings = { PHOTOS_URL: `file:${folder}` }
  const app = await startApp(t, { key: UNLIMITED, settings, ownProcesses: true })
  const { context } = app.service
  // Keeps the service from running the job itself.
  if (photos > 0) await context.write(changes.takeJob, 'photo-files', 'the test')
  const hashes: string[] = []
  for (let number = 0; number < photos; number += 1) {
    const petId = Math.floor(number / 20) + 1
    if (number % 20 === 0) await app.post('/v1/pets', { name: 'Rex', categoryId: 1 })
    const body = await picture({ number, width: 8 + number, height: 8 })
    const added = await app.request(`/v1/pets/${petId}/photos`, { method: 'POST', body, headers: JPEG })
    assert.equal(added.status, 201, added.text)
    hashes.push(readFileName(added.body.sizes.full.split('/').at(-1))?.hash ?? '')
  }
  const has = (hash = ''): number => globSync(`??/${hash}-*`, { cwd: folder }).length
  return { app, context, folder, hashes, has }
}

/** Dates a file back. Ages are measured by the clock of the machine. */
function setAge(file: string, ms: number): void {
  const seconds = (Date.now() - ms) / 1_000
  utimesSync(file, seconds, seconds)
}

const once = (context: Context, mayContinue = async () => true): Promise<void> =>
  photoFiles.run(context, mayContinue)

test('photo-files makes the files of 20 photos in a round, and the files of the others in the next round', async (t) => {
  const { context, hashes, has } = await startWithPhotos(t, 22)
  const made = () => hashes.filter((hash) => has(hash) === 5).length

  await once(context)
  assert.deepEqual([made(), await photoFiles.isDue(context)], [20, true])
  await once(context)
  assert.deepEqual([made(), await photoFiles.isDue(context)], [22, false])
})

test('photo-files leaves the other photos for the next round after five seconds', async (t) => {
  const { app, context, hashes, has } = await startWithPhotos(t, 3)

  await once(context, async () => {
    app.clock.now += 3_000
    return true
  })

  assert.deepEqual(hashes.map(has), [5, 5, 2])
})

test('photo-files reads the full file once for all missing sizes of a photo', async (t) => {
  const { context, hashes, has } = await startWithPhotos(t, 1)
  const { store } = context.photos
  let readings = 0
  // Counts the reads of the store.
  const read: PhotoStore['read'] = (...args) => {
    readings += 1
    return store.read(...args)
  }
  context.photos.store = { ...store, read }

  await once(context)

  assert.deepEqual([has(hashes[0]), readings], [5, 1])
})

test('photo-files continues after a photo that always fails; the failing photo is made on request', async (t) => {
  const { app, context, folder, hashes, has } = await startWithPhotos(t, 3)
  const full = join(folder, pathInFolder(fileName(hashes[0] ?? '', 'full')))
  // A folder can be opened but not read.
  renameSync(full, `${full}-away`)
  mkdirSync(full)

  await once(context)

  assert.deepEqual(hashes.map(has), [3, 5, 5])
  assert.equal(await photoFiles.isDue(context), false)
  rmSync(full, { recursive: true })
  renameSync(`${full}-away`, full)
  const medium = await app.get(`/photos/${fileName(hashes[0] ?? '', 'medium')}`)
  assert.equal(medium.status, 200)
})

test('photo-files fails while no photo can be read, and makes the files of all photos later', async (t) => {
  const { context, folder, hashes, has } = await startWithPhotos(t, 2)
  renameSync(folder, `${folder}-away`)
  await assert.rejects(once(context), { status: 503 })
  renameSync(`${folder}-away`, folder)

  await once(context)

  assert.deepEqual(hashes.map(has), [5, 5])
})

test('a start removes unfinished files that are older than a day, even in a store without photos', async (t) => {
  const folder = scratchFolder(t)
  const incoming = join(folder, 'incoming')
  mkdirSync(incoming)
  for (const [name, age] of Object.entries({ old: A_DAY_MS + 60_000, new: A_DAY_MS - 60_000 })) {
    writeFileSync(join(incoming, name), 'half')
    setAge(join(incoming, name), age)
  }

  await startApp(t, { settings: { PHOTOS_URL: `file:${folder}` } })

  assert.deepEqual(readdirSync(incoming), ['new'])
})

test('orphaned-photo-files removes files in a store without photos', async (t) => {
  const { app, context, folder } = await startWithPhotos(t, 0)
  await doJobs(context)
  const orphan = pathInFolder(fileName('a'.repeat(32), 'full'))
  mkdirSync(join(folder, 'aa'))
  writeFileSync(join(folder, orphan), 'a photo')
  setAge(join(folder, orphan), 2 * A_DAY_MS)
  app.clock.now += 2 * A_DAY_MS

  assert.ok(await orphanedPhotoFiles.isDue(context), ORPHANED_FILES_JOB)
  await doJobs(context)

  assert.deepEqual(globSync('??/*', { cwd: folder }), [])
})

test('a photo that is removed while its files are made: waiting requests get 404, and no file remains', async (t) => {
  const reader = pauseReader(t)
  const { app, context, folder, hashes } = await startWithPhotos(t, 0)
  await context.write(changes.takeJob, 'photo-files', 'the test')
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1 })
  for (const number of [1, 2]) {
    reader.allow(1)
    const body = await picture({ number })
    const { body: added } = await app.request('/v1/pets/1/photos', { method: 'POST', body, headers: JPEG })
    hashes.push(readFileName(added.sizes.full.split('/').at(-1))?.hash ?? '')
  }
  const [hash = ''] = hashes
  const first = app.get(`/photos/${fileName(hash, 'medium')}`)
  await until(() => reader.begun().length === 3)
  const second = app.get(`/photos/${fileName(hash, 'large')}`)
  await until(() => readdirSync(join(folder, 'incoming')).length === 2)
  await app.delete('/v1/pets/1/photos/1')
  await removedPhotos.run(context, async () => true)
  reader.allow(1)

  assert.deepEqual([(await first).status, (await second).status], [404, 404])
  assert.equal(reader.begun().length, 3, 'a photo that was removed before its turn is not read')
  const job = once(context)
  await until(() => reader.begun().length === 4)
  await app.delete('/v1/pets/1/photos/2')
  await removedPhotos.run(context, async () => true)
  reader.allow(1)
  await job
  assert.deepEqual(globSync('{??,incoming}/*', { cwd: folder }), [])
})
