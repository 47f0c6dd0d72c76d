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
  test(`export as ${format} has photo addresses, and import --photos downloads them`, async (t) => {
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
    assert.match(stdout, /^added 2, .*; photos: added 2, already present 0, failed 0\n$/)
    assert.deepEqual(await altsOf(target, 1), format === 'csv' ? ['-', '-'] : ['400', '500'])
    const [{ width, sizes }] = (await target.get('/v1/pets/1/photos')).body
    assert.equal(width, 400)
    const shown = await fetch(sizes.full.replace('http://pets.example', `http://127.0.0.1:${target.port}`))
    assert.equal(shown.headers.get('content-type'), 'image/webp')
    assert.match(
      (await runCli(t, again, settingsOf(to))).stdout,
      /photos: added 0, already present 2, failed/,
    )
  })

test('failed photos are each reported, and the next run retries them', async (t) => {
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
  assert.match(stdout, /^added 2, .*; photos: added 2, already present 0, failed 5\n$/)
  const lines = stderr.split('\n')
  for (const [index, reason] of [
    [1, 'The download was interrupted\\.'],
    [2, 'The server answered with 302\\.'],
    [3, 'This picture cannot be used\\..*'],
    [4, 'The picture is larger than 15000000 bytes.*'],
    [5, 'The server answered with 404\\.'],
  ] as const)
    assert.match(lines[index - 1] ?? '', new RegExp(`^line 1 \\(a\\): photos\\[${index}\\]: ${reason}$`))
  assert.match(
    stderr,
    /adoptable: 5 photos could not be downloaded\. Run the same command again to retry them\.\n$/,
  )
  assert.deepEqual([await altsOf(app, 1), await altsOf(app, 2)], [['-'], ['Bella']])
  assert.deepEqual(readdirSync(join(folder, 'photos', 'incoming')), [])

  for (const path of paths.slice(1)) pictures.answers[path] = { body: other }
  pictures.requested.splice(0)
  const again = await runCli(t, command, settingsOf(folder))
  assert.match(again.stdout, /unchanged 2, .*; photos: added 1, already present 6, failed 0\n$/)
  assert.deepEqual(pictures.requested.toSorted(), paths.slice(1).toSorted())
  assert.deepEqual((await altsOf(app, 1)).length, 2)
})

test('photos are downloaded only over https from public addresses, unless --photos-private is set', async (t) => {
  const folder = scratchFolder(t)
  await start(t, folder)
  const pictures = await startPictures(t, {})
  const { port } = new URL(pictures.at(''))
  const wrong: [string, RegExp][] = [
    [pictures.at('/1.jpg'), /This is not an https address\./],
    ['file:///etc/hostname', /This is not an https address\./],
    ['1.jpg', /This is not an https address\./],
    ['https://user:secret@example.org/1.jpg', /must not contain a user name or password\./],
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
      /belongs to this machine or its network/,
    ]),
  ]
  const file = fileOf(
    folder,
    wrong.map(([address], index) => ({ id: index, name: 'Rex', category: 'Dog', photos: [address] })),
  )

  const { stdout, stderr } = await runCli(t, ['import', file, '--photos'], settingsOf(folder))

  assert.match(stdout, new RegExp(`^added ${wrong.length}, .* failed ${wrong.length}\n$`))
  for (const [index, [address, expected]] of wrong.entries()) {
    const line = stderr.split('\n').find((text) => text.startsWith(`line ${index + 1}:`))
    assert.match(line ?? 'nothing', expected, address)
  }
  assert.deepEqual(pictures.requested, [])
  assert.ok(!stderr.includes('secret'))
})

test('without --photos the photos of other programs are reported, and the photos of an export are ignored', async (t) => {
  const folder = scratchFolder(t)
  const app = await start(t, folder)
  const pictures = await startPictures(t, {})
  const own = fileOf(folder, [{ name: 'Rex', category: 'Dog', photos: [pictures.at('/1.jpg')] }])
  const other = join(folder, 'petfinder.csv')
  writeFileSync(other, `ID,AnimalName,Type,Status,photo1\n7,Bella,Dog,A,${pictures.at('/1.jpg')}\n`)

  assert.equal((await runCli(t, ['import', own], settingsOf(folder))).stderr, '')
  const { stderr } = await runCli(t, ['import', other, '--from', 'petfinder'], settingsOf(folder))

  assert.match(stderr, /not imported \(no such field\): photo1 \(1\)/)
  const fetching = ['--from', 'petfinder', '--photos', '--photos-private']
  const third = await runCli(t, ['import', other, ...fetching], settingsOf(folder))
  assert.match(third.stdout, /unchanged 1, .*failed 1\n$/)
  const fourth = await runCli(t, ['import', other, ...fetching, '--source', 'other'], settingsOf(folder))
  assert.match(fourth.stdout, /unchanged 1, .*failed 1\n$/, 'the same number and name')
  assert.doesNotMatch(fourth.stderr, /photo1 \(1\)/)
  assert.deepEqual(pictures.requested, ['/1.jpg', '/1.jpg'])
  assert.deepEqual(await altsOf(app, 1), [])
  assert.equal((await runCli(t, ['import', own, '--photos-private'], settingsOf(folder))).code, 2)
})

test('RescueGroups pictures are downloaded in order, in the largest size', async (t) => {
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

  assert.match(stdout, /^added 1, .*; photos: added 2, already present 0, failed 0\n$/, stderr)
  assert.deepEqual(pictures.requested, ['/1.jpg', '/2.jpg'])
  assert.deepEqual(
    (await app.get('/v1/pets/1/photos')).body.map(({ width }: { width: number }) => width),
    [400, 500],
  )
})
