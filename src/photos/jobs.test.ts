import assert from 'node:assert/strict'
import { globSync, mkdirSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import { doJobs } from '../testing/jobs.ts'
import { JPEG, picture } from '../testing/pictures.ts'
import { holdReader } from '../testing/reader-program.ts'
import { until } from '../testing/redis.ts'
import { scratchFolder, startApp, UNLIMITED } from '../testing/start-app.ts'
import { ORPHANS, orphanedPhotoFiles, photoFiles, removedPhotos } from './jobs.ts'
import { pathInFolder } from './storage/folder.ts'
import { fileName, readFileName } from './storage/renditions.ts'
import type { PhotoStore } from './storage/store.ts'

const A_DAY_MS = 86_400_000

/** A service with photos in a folder of its own, of an animal for every 20. */
async function startWithPhotos(t: TestContext, photos: number) {
  const folder = scratchFolder(t)
  // Files are as old as the disk says: by another clock they would be nobody's, and gone before they have a row.
  const settings = { PHOTOS_URL: `file:${folder}` }
  const app = await startApp(t, { key: UNLIMITED, settings, now: Date.now(), own: true })
  const { context } = app.service
  // The service itself does not do it meanwhile.
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

const once = (context: Context, mayGoOn = async () => true): Promise<void> => photoFiles.run(context, mayGoOn)

test('the files of new photos are made 20 photos at a time, so that the other jobs have their turn', async (t) => {
  const { context, hashes, has } = await startWithPhotos(t, 22)
  const made = () => hashes.filter((hash) => has(hash) === 5).length

  await once(context)
  assert.deepEqual([made(), await photoFiles.isDue(context)], [20, true])
  await once(context)
  assert.deepEqual([made(), await photoFiles.isDue(context)], [22, false])
})

test('photos that take long are left for the next round after five seconds', async (t) => {
  const { app, context, hashes, has } = await startWithPhotos(t, 3)

  await once(context, async () => {
    app.clock.now += 3_000
    return true
  })

  assert.deepEqual(hashes.map(has), [5, 5, 2])
})

test('all missing files of a photo are made of one reading, of the largest', async (t) => {
  const { context, hashes, has } = await startWithPhotos(t, 1)
  const { store } = context.photos
  let readings = 0
  // The store itself, whose readings are counted.
  const read: PhotoStore['read'] = (...args) => {
    readings += 1
    return store.read(...args)
  }
  context.photos.store = { ...store, read }

  await once(context)

  assert.deepEqual([has(hashes[0]), readings], [5, 1])
})

test('a photo that fails each time holds up none of those behind it, and is made when somebody asks', async (t) => {
  const { app, context, folder, hashes, has } = await startWithPhotos(t, 3)
  const full = join(folder, pathInFolder(fileName(hashes[0] ?? '', 'full')))
  // It can be opened, and not be read.
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

test('while no photo can be read the job fails, and all are made when that is over', async (t) => {
  const { context, folder, hashes, has } = await startWithPhotos(t, 2)
  renameSync(folder, `${folder}-away`)
  await assert.rejects(once(context), { status: 503 })
  renameSync(`${folder}-away`, folder)

  await once(context)

  assert.deepEqual(hashes.map(has), [5, 5])
})

test('what a killed process left half-made goes at a start a day later, also where there is no photo', async (t) => {
  const folder = scratchFolder(t)
  const incoming = join(folder, 'incoming')
  mkdirSync(incoming)
  const now = Date.UTC(2026, 11, 1)
  for (const [name, age] of Object.entries({ old: A_DAY_MS + 1_000, new: A_DAY_MS - 1_000 })) {
    writeFileSync(join(incoming, name), 'half')
    utimesSync(join(incoming, name), (now - age) / 1_000, (now - age) / 1_000)
  }

  await startApp(t, { now, settings: { PHOTOS_URL: `file:${folder}` } })

  assert.deepEqual(readdirSync(incoming), ['new'])
})

test('files that are nobody’s go where there is no photo at all', async (t) => {
  const { app, context, folder } = await startWithPhotos(t, 0)
  await doJobs(context)
  const orphan = pathInFolder(fileName('a'.repeat(32), 'full'))
  mkdirSync(join(folder, 'aa'))
  writeFileSync(join(folder, orphan), 'a photo')
  app.clock.now = Date.now() + 2 * A_DAY_MS + 1e9

  assert.ok(await orphanedPhotoFiles.isDue(context), ORPHANS)
  await doJobs(context)

  assert.deepEqual(globSync('??/*', { cwd: folder }), [])
})

test('of a photo that is removed while its files are made none stays, and whoever asked gets a 404', async (t) => {
  const reader = holdReader(t)
  const { app, context, folder, hashes } = await startWithPhotos(t, 0)
  await context.write(changes.takeJob, 'photo-files', 'the test')
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1 })
  for (const number of [1, 2]) {
    reader.allow(1)
    const body = await picture({ number })
    const { body: added } = await app.request('/v1/pets/1/photos', { method: 'POST', body, headers: JPEG })
    hashes.push(readFileName(added.sizes.full.split('/').at(-1))?.hash ?? '')
  }
  const [asked = ''] = hashes
  const first = app.get(`/photos/${fileName(asked, 'medium')}`)
  await until(() => reader.begun().length === 3)
  const second = app.get(`/photos/${fileName(asked, 'large')}`)
  await until(() => readdirSync(join(folder, 'incoming')).length === 2)
  await app.delete('/v1/pets/1/photos/1')
  await removedPhotos.run(context, async () => true)
  reader.allow(1)

  assert.deepEqual([(await first).status, (await second).status], [404, 404])
  assert.equal(reader.begun().length, 3, 'what is gone before its turn is not made')
  const job = once(context)
  await until(() => reader.begun().length === 4)
  await app.delete('/v1/pets/1/photos/2')
  await removedPhotos.run(context, async () => true)
  reader.allow(1)
  await job
  assert.deepEqual(globSync('{??,incoming}/*', { cwd: folder }), [])
})
