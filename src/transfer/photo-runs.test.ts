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

/** A service on a store of its own, and a file of one animal for it. */
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

type Shown = { id: number; width: number }
const shownOf = async (app: TestApp): Promise<Shown[]> => (await app.get('/v1/pets/1/photos')).body
const widthsOf = async (app: TestApp) => (await shownOf(app)).map(({ width }) => width)

for (const engine of ['sqlite', 'postgres'] as const)
  test(`on ${engine} each address is fetched once, late ones in their order, removed ones never again`, async (t) => {
    const { app, run } = await start(t, engine)
    const body = (width: number) => picture({ width, height: 30 })
    const pictures = await startPictures(t, {
      '/2.jpg': { body: await body(102) },
      '/3.jpg': { body: await body(103) },
    })
    const naming = (...numbers: number[]) => [
      { ...REX, photos: numbers.map((number) => pictures.at(`/${number}.jpg`)) },
    ]
    assert.match((await run(naming(1, 2, 3))).stdout, /photos: added 2, there before 0, not fetched 1\n/)

    for (const number of [1, 4]) pictures.answers[`/${number}.jpg`] = { body: await body(100 + number) }
    pictures.asked.splice(0)
    assert.match((await run(naming(1, 2, 3))).stdout, /photos: added 1, there before 2, not fetched 0\n/)
    assert.deepEqual(pictures.asked, ['/1.jpg'])
    assert.deepEqual(await widthsOf(app), [101, 102, 103])

    const [, second] = await shownOf(app)
    await app.request(`/v1/pets/1/photos/${second?.id}`, { method: 'DELETE' })
    pictures.asked.splice(0)
    assert.match((await run(naming(1, 2, 4, 3))).stdout, /photos: added 1, there before 3, not fetched 0\n/)
    assert.deepEqual(pictures.asked, ['/4.jpg'])
    assert.deepEqual(await widthsOf(app), [101, 104, 103])

    const rows = () => app.service.context.db.selectFrom('photo_source').select('pet_id').execute()
    assert.equal((await rows()).length, 4)
    await app.delete('/v1/pets/1', { authorization: `Bearer ${app.key}` })
    assert.deepEqual(await rows(), [])
  })

for (const engine of ['sqlite', 'postgres'] as const)
  test(`on ${engine} the last hundred addresses of an animal are remembered, and none of one that is gone`, async (t) => {
    const { app } = await start(t, engine)
    const { db, write } = app.service.context
    for (const name of ['Rex', 'Max']) await app.post('/v1/pets', { name, categoryId: 1 })
    await write(changes.rememberPhoto, 2, 'of another', 1)
    for (let number = 1; number <= 102; number += 1)
      await write(changes.rememberPhoto, 1, `${number}`, number)
    await write(changes.rememberPhoto, 1, '102', 7)

    const rows = await db.selectFrom('photo_source').select(['pet_id', 'photo_id']).orderBy('id').execute()
    const told = rows.map(({ pet_id, photo_id }) => `${pet_id} ${photo_id}`)
    assert.deepEqual([told.length, told[0], told[1], told.at(-1)], [101, '2 1', '1 3', '1 102'])
    await assert.rejects(async () => write(changes.rememberPhoto, 9, 'a', 1), { code: 'pet_not_found' })
  })

test('a picture that is there from elsewhere is fetched once, and its address is known from then on', async (t) => {
  const { app, run } = await start(t)
  const pictures = await startPictures(t, {
    '/a.jpg': { body: await picture() },
    '/b.jpg': { body: await picture() },
  })
  const animals = [{ ...REX, photos: [pictures.at('/a.jpg'), pictures.at('/b.jpg')] }]

  assert.match((await run(animals)).stdout, /photos: added 1, there before 1, not fetched 0\n/)
  pictures.asked.splice(0)
  assert.match((await run(animals)).stdout, /photos: added 0, there before 2, not fetched 0\n/)

  assert.deepEqual(pictures.asked, [])
  assert.equal((await shownOf(app)).length, 1)
})

test('of more photos than an animal can have the first come in, and for no other anything is asked', async (t) => {
  const { folder, run } = await start(t)
  const pictures = await startPictures(t, {})
  const paths = Array.from({ length: 25 }, (_, index) => `/${index}.jpg`)
  for (const [index, path] of paths.entries())
    pictures.answers[path] = { body: await picture({ number: index }) }

  const first = await run([{ ...REX, photos: paths.map(pictures.at) }])

  assert.deepEqual(
    [first.code, first.stderr],
    [0, 'line 1 (a): photos: 5 were not fetched, since an animal has at most 20.\n'],
  )
  assert.match(first.stdout, /photos: added 20, there before 0, not fetched 0, no room for 5\n/)
  assert.deepEqual(pictures.asked, paths.slice(0, 20))

  pictures.asked.splice(0)
  const second = await run([
    { ...REX, photos: [paths[24], ...paths.slice(0, 19)].map((path) => pictures.at(`${path}`)) },
  ])
  assert.match(second.stderr, /^line 1 \(a\): photos\[0\]: There are 20 photos already/)
  assert.match(second.stdout, /photos: added 0, there before 19, not fetched 0, no room for 1\n/)
  assert.deepEqual(pictures.asked, [])
  const names = globSync('photos/**/*.{webp,jpg}', { cwd: folder }).map(
    (name) => basename(name).split('-')[0],
  )
  assert.equal(new Set(names).size, 20, 'no files are nobody’s')
})

test('photos are fetched four at once', async (t) => {
  const { app, run } = await start(t)
  const pictures = await startPictures(t, { '/1.jpg': { body: await picture() } })
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const heldAt: number[] = []
  pictures.hooks.onAsk = async () => {
    if (pictures.asked.length === 4) {
      // More, if there were any, would have come before these answers.
      for (let count = 0; count < 50; count += 1) await app.get('/v1/pets')
      heldAt.push(pictures.asked.length)
      release()
    }
    await released
  }
  const animals = Array.from({ length: 9 }, (_, id) => ({ ...REX, id, photos: [pictures.at('/1.jpg')] }))

  assert.match((await run(animals)).stdout, /photos: added 9, there before 0, not fetched 0\n/)

  assert.deepEqual(heldAt, [4])
})

test('a file without animals has no photos, and all of it goes in', async (t) => {
  const { folder, settings, run } = await start(t)

  const { code, stdout, stderr } = await run([])

  assert.deepEqual([code, stderr], [0, ''])
  assert.match(stdout, /^added 0, .*; photos: added 0, there before 0, not fetched 0\n$/)
  const csv = join(folder, 'animals.csv')
  writeFileSync(csv, 'name,category,photos\n')
  assert.deepEqual((await runCli(t, ['import', csv, '--photos'], settings)).stderr, '')
})

test('of what was not fetched the end says whether a second run helps, and how many lines were refused', async (t) => {
  const { run } = await start(t)
  const pictures = await startPictures(t, {})
  const animals = [{ ...REX, photos: [pictures.at('/none.jpg')] }, { name: 'Nobody' }]

  const known = await run(animals)
  const unknown = await run(
    [{ ...REX, name: 'Max', photos: [pictures.at('/none.jpg')] }],
    ['--photos', '--photos-private', '--source', 'other'],
  )

  const last = ({ code, stderr }: { code: number | null; stderr: string }) => [
    code,
    stderr.split('\n').at(-2),
  ]
  const told = 'were not fetched'
  assert.deepEqual(last(known), [
    1,
    `adoptable: 1 of 2 lines were refused. 1 photos ${told}. Run the same command again to fetch them.`,
  ])
  assert.deepEqual(last(unknown), [
    1,
    `adoptable: 1 photos ${told}. Without ids (--update COLUMN) a second run does not find their animals: ` +
      'add them through the service.',
  ])
})
