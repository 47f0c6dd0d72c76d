import assert from 'node:assert/strict'
import { once } from 'node:events'
import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { startPictures } from '../testing/picture-server.ts'
import { picture } from '../testing/pictures.ts'
import { spawnCli } from '../testing/process.ts'
import { scratchFolder, startApp, type TestApp, UNLIMITED } from '../testing/start-app.ts'

const COMMAND = ['--update', 'id', '--key', '1', '--photos', '--photos-private']

/** A service on its own store. */
async function start(t: TestContext) {
  const folder = scratchFolder(t)
  const databaseUrl = `sqlite:${join(folder, 'test.db')}`
  const settings = { DATABASE_URL: databaseUrl, PHOTOS_URL: `file:${join(folder, 'photos')}` }
  const { PHOTOS_URL } = settings
  const app = await startApp(t, {
    databaseUrl,
    key: { ...UNLIMITED, access: 'admin' },
    settings: { PHOTOS_URL },
  })
  return { app, folder, settings }
}

const REX = { id: 'a', name: 'Rex', category: 'Dog' }

type PhotoView = { id: number; width: number }
const shownOf = async (app: TestApp): Promise<PhotoView[]> => (await app.get('/v1/pets/1/photos')).body

test('import --watch --photos retries failed photos of an unchanged file at the next check', async (t) => {
  const { app, folder, settings } = await start(t)
  const pictures = await startPictures(t, {})
  const file = join(folder, 'watched.ndjson')
  writeFileSync(file, JSON.stringify({ ...REX, photos: [pictures.at('/1.jpg')] }))
  utimesSync(file, 1, 1)
  const watching = ['import', file, '--watch', '--every', '1s', ...COMMAND]
  const { child, output, exited } = spawnCli(t, watching, settings)
  const met = async (pattern: RegExp) => {
    while (!pattern.test(output.stdout)) await once(child.stdout as Readable, 'data')
  }

  await met(/added 1, .* failed 1\n/)
  pictures.answers['/1.jpg'] = { body: await picture() }
  await met(/unchanged 1, .* photos: added 1, already present 0, failed 0\n/)

  child.kill('SIGTERM')
  assert.equal((await exited).code, 0)
  assert.equal((await shownOf(app)).length, 1)
})
