import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startPictures } from '../testing/picture-server.ts'
import { JPEG, picture } from '../testing/pictures.ts'
import { runCli } from '../testing/process.ts'
import { scratchFolder, startApp, type TestApp, UNLIMITED } from '../testing/start-app.ts'

const start = (t: TestContext, folder: string): Promise<TestApp> =>
  startApp(t, { databaseUrl: `sqlite:${join(folder, 'test.db')}`, key: { ...UNLIMITED, access: 'admin' } })

const settingsOf = (folder: string) => ({ DATABASE_URL: `sqlite:${join(folder, 'test.db')}` })

/** Writes animals as NDJSON. */
function fileOf(folder: string, animals: object[]): string {
  const file = join(folder, 'animals.ndjson')
  writeFileSync(file, animals.map((animal) => `${JSON.stringify(animal)}\n`).join(''))
  return file
}

const altsOf = async (app: TestApp, id: number): Promise<string[]> =>
  ((await app.get(`/v1/pets/${id}/photos`)).body as { alt?: string }[]).map(({ alt = '-' }) => alt)

for (const format of ['ndjson', 'csv'])
  test(`an export as ${format} names the photos, and an import with --photos fetches them`, async (t) => {
    const [from, to] = [scratchFolder(t), scratchFolder(t)]
    const source = await start(t, from)
    for (const name of ['Rex', 'Bella']) await source.post('/v1/pets', { name, categoryId: 1 })
    for (const width of [400, 500])
      await source.request(`/v1/pets/1/photos?alt=${width}`, {
        ...{ method: 'POST', headers: JPEG, body: await picture({ width, height: 300 }) },
      })
    const file = join(from, `all.${format}`)
    const settings = { ...settingsOf(from), BASE_URL: `http://127.0.0.1:${source.port}/v1` }
    assert.equal((await runCli(t, ['export', file], settings)).code, 0)
    const target = await start(t, to)
    const again = ['import', file, '--update', 'id', '--key', '1', '--photos', '--photos-private']

    const { code, stdout, stderr } = await runCli(t, again, settingsOf(to))

    assert.deepEqual([code, stderr], [0, ''], stdout)
    assert.match(stdout, /^added 2, .*; photos: added 2, there before 0, not fetched 0\n$/)
    assert.deepEqual(await altsOf(target, 1), format === 'csv' ? ['-', '-'] : ['400', '500'])
    const [{ width, sizes }] = (await target.get('/v1/pets/1/photos')).body
    assert.equal(width, 400)
    const shown = await fetch(sizes.full.replace('http://pets.example', `http://127.0.0.1:${target.port}`))
    assert.equal(shown.headers.get('content-type'), 'image/webp')
    assert.match((await runCli(t, again, settingsOf(to))).stdout, /photos: added 0, there before 2, not/)
  })

test('photos that cannot be fetched are told one by one, and fetched by the next run that can', async (t) => {
  const folder = scratchFolder(t)
  const app = await start(t, folder)
  const [one, other] = [
    await picture({ width: 400, height: 300 }),
    await picture({ width: 500, height: 300 }),
  ]
  const pictures = await startPictures(t, {
    '/1.jpg': { body: one },
    '/cut.jpg': { body: other.subarray(0, 500), cut: true },
    '/elsewhere.jpg': { status: 302, headers: { location: '/1.jpg' } },
    '/page.html': { body: Buffer.from('<!doctype html><title>no picture</title>') },
    '/large.jpg': { headers: { 'content-length': 15_000_001 }, body: Buffer.alloc(1), cut: true },
  })
  const paths = ['/1.jpg', '/cut.jpg', '/elsewhere.jpg', '/page.html', '/large.jpg', '/none.jpg']
  const file = fileOf(folder, [
    { id: 'a', name: 'Rex', category: 'Dog', photos: paths.map(pictures.at) },
    { id: 'b', name: 'Bella', category: 'Dog', photos: [{ alt: 'Bella', full: pictures.at('/1.jpg') }] },
  ])
  const command = ['import', file, '--update', 'id', '--key', '1', '--photos', '--photos-private']

  const { code, stdout, stderr } = await runCli(t, command, settingsOf(folder))

  assert.equal(code, 1)
  assert.match(stdout, /^added 2, .*; photos: added 2, there before 0, not fetched 5\n$/)
  const told = stderr.split('\n')
  for (const [index, reason] of [
    [1, 'The answer broke off\\.'],
    [2, 'It was answered with 302\\.'],
    [3, 'This is no picture that can be used here\\..*'],
    [4, 'The picture is larger than 15000000 bytes.*'],
    [5, 'It was answered with 404\\.'],
  ] as const)
    assert.match(told[index - 1] ?? '', new RegExp(`^line 1 \\(a\\): photos\\[${index}\\]: ${reason}$`))
  assert.match(stderr, /adoptable: 5 photos were not fetched\. Run the same command again to fetch them\.\n$/)
  assert.deepEqual([await altsOf(app, 1), await altsOf(app, 2)], [['-'], ['Bella']])
  assert.deepEqual(readdirSync(join(folder, 'photos', 'incoming')), [])

  for (const path of paths.slice(1)) pictures.answers[path] = { body: other }
  pictures.asked.splice(0)
  const again = await runCli(t, command, settingsOf(folder))
  assert.match(again.stdout, /unchanged 2, .*; photos: added 1, there before 6, not fetched 0\n$/)
  assert.deepEqual(pictures.asked.toSorted(), paths.slice(1).toSorted())
  assert.deepEqual((await altsOf(app, 1)).length, 2)
})

test('photos are fetched over https from public addresses alone, unless it is said otherwise', async (t) => {
  const folder = scratchFolder(t)
  await start(t, folder)
  const pictures = await startPictures(t, {})
  const { port } = new URL(pictures.at(''))
  const wrong: [string, RegExp][] = [
    [pictures.at('/1.jpg'), /This is no https address\./],
    ['file:///etc/hostname', /This is no https address\./],
    ['1.jpg', /This is no https address\./],
    ['https://user:secret@example.org/1.jpg', /may hold no name and no password\./],
    ...[
      ...[
        'localhost',
        '127.0.0.1',
        '2130706433',
        '0x7f.1',
        '[::1]',
        '[::ffff:127.0.0.1]',
        '10.0.0.1',
        '0.0.0.0',
      ],
      ...['169.254.169.254', '[fd00:ec2::254]', '100.64.0.1', '[fe80::1]', '[64:ff9b::7f00:1]', '224.0.0.1'],
    ].map((host): [string, RegExp] => [
      `https://${host}:${port}/1.jpg`,
      /leads into a network of this machine/,
    ]),
  ]
  const file = fileOf(
    folder,
    wrong.map(([address], index) => ({ id: index, name: 'Rex', category: 'Dog', photos: [address] })),
  )

  const { stdout, stderr } = await runCli(t, ['import', file, '--photos'], settingsOf(folder))

  assert.match(stdout, new RegExp(`^added ${wrong.length}, .* not fetched ${wrong.length}\n$`))
  for (const [index, [address, expected]] of wrong.entries()) {
    const line = stderr.split('\n').find((text) => text.startsWith(`line ${index + 1}:`))
    assert.match(line ?? 'nothing', expected, address)
  }
  assert.deepEqual(pictures.asked, [])
  assert.ok(!stderr.includes('secret'))
})

test('without --photos, photos of other programs have no place, and those of an export are passed over', async (t) => {
  const folder = scratchFolder(t)
  const app = await start(t, folder)
  const pictures = await startPictures(t, {})
  const own = fileOf(folder, [{ name: 'Rex', category: 'Dog', photos: [pictures.at('/1.jpg')] }])
  const other = join(folder, 'petfinder.csv')
  writeFileSync(other, `ID,AnimalName,Type,Status,photo1\n7,Bella,Dog,A,${pictures.at('/1.jpg')}\n`)

  assert.equal((await runCli(t, ['import', own], settingsOf(folder))).stderr, '')
  const { stderr } = await runCli(t, ['import', other, '--from', 'petfinder'], settingsOf(folder))

  assert.match(stderr, /no place here for: photo1 \(1\)/)
  const fetching = ['--from', 'petfinder', '--photos', '--photos-private']
  const third = await runCli(t, ['import', other, ...fetching], settingsOf(folder))
  assert.match(third.stdout, /refused 1 .*not fetched 1\n$/)
  const fourth = await runCli(t, ['import', other, ...fetching, '--source', 'other'], settingsOf(folder))
  assert.match(fourth.stdout, /added 1, .*not fetched 1\n$/)
  assert.doesNotMatch(fourth.stderr, /photo1 \(1\)/)
  assert.deepEqual(pictures.asked, ['/1.jpg', '/1.jpg'])
  assert.deepEqual(await altsOf(app, 1), [])
  assert.equal((await runCli(t, ['import', own, '--photos-private'], settingsOf(folder))).code, 2)
})

test("RescueGroups' pictures are fetched in their order, each as large as it is there", async (t) => {
  const folder = scratchFolder(t)
  const app = await start(t, folder)
  const one = await picture({ width: 400, height: 300 })
  const other = await picture({ width: 500, height: 300 })
  const pictures = await startPictures(t, { '/1.jpg': { body: one }, '/2.jpg': { body: other } })
  const file = join(folder, 'animals.json')
  const form = (path: string) => ({ url: pictures.at(path) })
  const included = [
    { type: 'species', id: '8', attributes: { singular: 'Dog' } },
    { type: 'statuses', id: '1', attributes: { name: 'Available' } },
    { type: 'pictures', id: '5', attributes: { order: 2, large: form('/2.jpg'), small: form('/small.jpg') } },
    { type: 'pictures', id: '6', attributes: { order: 1, original: form('/1.jpg'), large: form('/l.jpg') } },
  ]
  const relationships = Object.fromEntries(
    ['species', 'statuses', 'pictures'].map((type) => [
      type,
      { data: included.filter((one) => one.type === type) },
    ]),
  )
  const data = [{ type: 'animals', id: '7', attributes: { name: 'Rex' }, relationships }]
  writeFileSync(file, JSON.stringify({ data, included }))
  const command = ['import', file, '--from', 'rescuegroups', '--photos', '--photos-private']

  const { stdout, stderr } = await runCli(t, command, settingsOf(folder))

  assert.match(stdout, /^added 1, .*; photos: added 2, there before 0, not fetched 0\n$/, stderr)
  assert.deepEqual(pictures.asked, ['/1.jpg', '/2.jpg'])
  assert.deepEqual(
    (await app.get('/v1/pets/1/photos')).body.map(({ width }: { width: number }) => width),
    [400, 500],
  )
})
