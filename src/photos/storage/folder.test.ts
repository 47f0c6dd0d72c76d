import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { cleanup } from '../../testing/cleanup.ts'
import { doJobs } from '../../testing/jobs.ts'
import { JPEG, picture } from '../../testing/pictures.ts'
import { scratchFolder, startApp, UNLIMITED } from '../../testing/start-app.ts'
import { newWorkFile } from './folder.ts'
import { openS3 } from './s3.ts'

test('while the photo folder is missing: 503, and nothing is written; when the folder is back, everything works', async (t) => {
  const folder = join(scratchFolder(t), 'photos')
  const app = await startApp(t, { key: UNLIMITED, settings: { PHOTOS_URL: `file:${folder}` } })
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1 })
  const add = async (number: number) =>
    app.request('/v1/pets/1/photos', { method: 'POST', body: await picture({ number }), headers: JPEG })
  const first = await add(1)
  assert.equal(first.status, 201)
  const { pathname } = new URL(first.body.sizes.full)

  // Like a mount point without its disk.
  renameSync(folder, `${folder}-away`)
  mkdirSync(folder)
  const lost = await add(2)
  app.clock.now += 60_000
  const download = await app.get(pathname)
  await doJobs(app.service.context)
  assert.deepEqual([lost.status, lost.body.code, download.status], [503, 'service_unavailable', 503])
  assert.deepEqual(readdirSync(folder), [])
  rmdirSync(folder)
  assert.equal((await add(2)).status, 503)
  assert.ok(!existsSync(folder))

  renameSync(`${folder}-away`, folder)
  app.clock.now += 60_000
  await doJobs(app.service.context)
  assert.equal((await add(2)).status, 201)
  assert.equal((await app.get(pathname)).status, 200)
  assert.equal((await app.get('/v1/pets/1/photos')).body.length, 2)
  assert.equal(readdirSync(join(folder, 'incoming')).length, 0)
})

test('the work folder of a bucket is private to the user, and is created again after it was removed', async (t) => {
  const temporary = process.env.TMPDIR
  process.env.TMPDIR = scratchFolder(t)
  cleanup(t).defer(() => {
    if (temporary === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = temporary
  })
  const store = await openS3('s3+http://key:secret@127.0.0.1:1/bucket')
  assert.equal(store.workFolder, join(tmpdir(), `adoptable-photos-${process.getuid?.()}`))
  rmdirSync(store.workFolder)

  const file = await newWorkFile(store)

  assert.equal(join(file, '..'), store.workFolder)
  assert.equal(statSync(store.workFolder).mode & 0o777, 0o700)
})
