import assert from 'node:assert/strict'
import { globSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { changes } from '../db/change.ts'
import { startPictures } from '../testing/picture-server.ts'
import { picture } from '../testing/pictures.ts'
import { scratchDatabase } from '../testing/postgres.ts'
import { runCli } from '../testing/process.ts'
import { scratchFolder, startApp, type TestApp, UNLIMITED } from '../testing/start-app.ts'

const COMMAND = ['--update', 'id', '--key', '1', '--photos', '--photos-private']

/** A service on its own store, and a file with one animal for it. */
async function start(t: TestContext, engine: 'sqlite' | 'postgres' = 'sqlite') {
  const folder = scratchFolder(t)
  const databaseUrl = engine === 'sqlite' ? `sqlite:${join(folder, 'test.db')}` : await scratchDatabase(t)
  const settings = { DATABASE_URL: databaseUrl, PHOTOS_URL: `file:${join(folder, 'photos')}` }
  const { PHOTOS_URL } = settings
  const app = await startApp(t, {
    databaseUrl,
    key: { ...UNLIMITED, access: 'admin' },
    settings: { PHOTOS_URL },
  })
  const file = join(folder, 'animals.ndjson')
  return {
    app,
    folder,
    settings,
    run(animals: object[], args = COMMAND) {
      writeFileSync(file, animals.map((animal) => `${JSON.stringify(animal)}\n`).join(''))
      return runCli(t, ['import', file, ...args], settings)
    },
  }
}

const REX = { id: 'a', name: 'Rex', category: 'Dog' }

type PhotoView = { id: number; width: number }
const shownOf = async (app: TestApp): Promise<PhotoView[]> => (await app.get('/v1/pets/1/photos')).body
const widthsOf = async (app: TestApp) => (await shownOf(app)).map(({ width }) => width)

for (const engine of ['sqlite', 'postgres'] as const)
  test(`on ${engine}, each photo address is downloaded once, in the order of the file, and never again after its photo was removed`, async (t) => {
    const { app, run } = await start(t, engine)
    const body = (width: number) => picture({ width, height: 30 })
    const pictures = await startPictures(t, {
      '/2.jpg': { body: await body(102) },
      '/3.jpg': { body: await body(103) },
    })
    const naming = (...numbers: number[]) => [
      { ...REX, photos: numbers.map((number) => pictures.at(`/${number}.jpg`)) },
    ]
    assert.match((await run(naming(1, 2, 3))).stdout, /photos: added 2, already present 0, failed 1\n/)

    for (const number of [1, 4]) pictures.answers[`/${number}.jpg`] = { body: await body(100 + number) }
    pictures.requested.splice(0)
    assert.match((await run(naming(1, 2, 3))).stdout, /photos: added 1, already present 2, failed 0\n/)
    assert.deepEqual(pictures.requested, ['/1.jpg'])
    assert.deepEqual(await widthsOf(app), [101, 102, 103])

    const [, second] = await shownOf(app)
    await app.request(`/v1/pets/1/photos/${second?.id}`, { method: 'DELETE' })
    pictures.requested.splice(0)
    assert.match((await run(naming(1, 2, 4, 3))).stdout, /photos: added 1, already present 3, failed 0\n/)
    assert.deepEqual(pictures.requested, ['/4.jpg'])
    assert.deepEqual(await widthsOf(app), [101, 104, 103])

    const rows = () => app.service.context.db.selectFrom('photo_source').select('pet_id').execute()
    assert.equal((await rows()).length, 4)
    await app.delete('/v1/pets/1', { authorization: `Bearer ${app.key}` })
    assert.deepEqual(await rows(), [])
  })

for (const engine of ['sqlite', 'postgres'] as const)
  test(`on ${engine}, the last 100 photo addresses of an animal are remembered until the animal is removed`, async (t) => {
    const { app } = await start(t, engine)
    const { db, write } = app.service.context
    for (const name of ['Rex', 'Max']) await app.post('/v1/pets', { name, categoryId: 1 })
    await write(changes.rememberPhoto, 2, 'of another', 1)
    for (let number = 1; number <= 102; number += 1)
      await write(changes.rememberPhoto, 1, `${number}`, number)
    await write(changes.rememberPhoto, 1, '102', 7)

    const rows = await db.selectFrom('photo_source').select(['pet_id', 'photo_id']).orderBy('id').execute()
    const remembered = rows.map(({ pet_id, photo_id }) => `${pet_id} ${photo_id}`)
    assert.deepEqual(
      [remembered.length, remembered[0], remembered[1], remembered.at(-1)],
      [101, '2 1', '1 3', '1 102'],
    )
    await assert.rejects(async () => write(changes.rememberPhoto, 9, 'a', 1), { code: 'pet_not_found' })
  })

test('a picture that the animal already has is downloaded once, and its address is remembered', async (t) => {
  const { app, run } = await start(t)
  const pictures = await startPictures(t, {
    '/a.jpg': { body: await picture() },
    '/b.jpg': { body: await picture() },
  })
  const animals = [{ ...REX, photos: [pictures.at('/a.jpg'), pictures.at('/b.jpg')] }]

  assert.match((await run(animals)).stdout, /photos: added 1, already present 1, failed 0\n/)
  pictures.requested.splice(0)
  assert.match((await run(animals)).stdout, /photos: added 0, already present 2, failed 0\n/)

  assert.deepEqual(pictures.requested, [])
  assert.equal((await shownOf(app)).length, 1)
})

test('more photos than allowed: the first photos are downloaded, and the others are not requested', async (t) => {
  const { folder, run } = await start(t)
  const pictures = await startPictures(t, {})
  const paths = Array.from({ length: 25 }, (_, index) => `/${index}.jpg`)
  for (const [index, path] of paths.entries())
    pictures.answers[path] = { body: await picture({ number: index }) }

  const first = await run([{ ...REX, photos: paths.map(pictures.at) }])

  assert.deepEqual(
    [first.code, first.stderr],
    [0, 'line 1 (a): photos: 5 were not downloaded: an animal has at most 20.\n'],
  )
  assert.match(first.stdout, /photos: added 20, already present 0, failed 0, over the limit 5\n/)
  assert.deepEqual(pictures.requested, paths.slice(0, 20))

  pictures.requested.splice(0)
  const second = await run([
    { ...REX, photos: [paths[24], ...paths.slice(0, 19)].map((path) => pictures.at(`${path}`)) },
  ])
  assert.match(second.stderr, /^line 1 \(a\): photos\[0\]: There are already 20 photos/)
  assert.match(second.stdout, /photos: added 0, already present 19, failed 0, over the limit 1\n/)
  assert.deepEqual(pictures.requested, [])
  const names = globSync('photos/**/*.{webp,jpg}', { cwd: folder }).map(
    (name) => basename(name).split('-')[0],
  )
  assert.equal(new Set(names).size, 20, 'every file belongs to a photo')
})

test('four photos are downloaded at the same time', async (t) => {
  const { app, run } = await start(t)
  const pictures = await startPictures(t, { '/1.jpg': { body: await picture() } })
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const heldAt: number[] = []
  pictures.hooks.onAsk = async () => {
    if (pictures.requested.length === 4) {
      // Any further requests would have arrived before these answers.
      for (let count = 0; count < 50; count += 1) await app.get('/v1/pets')
      heldAt.push(pictures.requested.length)
      release()
    }
    await released
  }
  const animals = Array.from({ length: 9 }, (_, id) => ({ ...REX, id, photos: [pictures.at('/1.jpg')] }))

  assert.match((await run(animals)).stdout, /photos: added 9, already present 0, failed 0\n/)

  assert.deepEqual(heldAt, [4])
})

test('a file without animals imports no photos and causes no error', async (t) => {
  const { folder, settings, run } = await start(t)

  const { code, stdout, stderr } = await run([])

  assert.deepEqual([code, stderr], [0, ''])
  assert.match(stdout, /^added 0, .*; photos: added 0, already present 0, failed 0\n$/)
  const csv = join(folder, 'animals.csv')
  writeFileSync(csv, 'name,category,photos\n')
  assert.deepEqual((await runCli(t, ['import', csv, '--photos'], settings)).stderr, '')
})

test('after failed photos the final message says that a second run retries them, and counts refused lines', async (t) => {
  const { run } = await start(t)
  const pictures = await startPictures(t, {})
  const animals = [{ ...REX, photos: [pictures.at('/none.jpg')] }, { name: 'Nobody' }]

  const first = await run(animals)

  const last = ({ code, stderr }: { code: number | null; stderr: string }) => [
    code,
    stderr.split('\n').at(-2),
  ]
  const failure = 'could not be downloaded'
  assert.deepEqual(last(first), [
    1,
    `adoptable: 1 of 2 lines were refused. 1 photos ${failure}. Run the same command again to retry them.`,
  ])
})
