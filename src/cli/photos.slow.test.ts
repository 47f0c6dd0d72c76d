import assert from 'node:assert/strict'
import { createReadStream, existsSync, globSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type TestContext, test } from 'node:test'
import { unpackTar } from 'modern-tar/fs'
import { JPEG, picture } from '../testing/pictures.ts'
import { runCli } from '../testing/process.ts'
import { scratchFolder, startApp, type TestApp, UNLIMITED } from '../testing/start-app.ts'

/** The permissions of the photo files in a folder, each once. */
const modesIn = (folder: string): string[] => [
  ...new Set(filesIn(folder).map((name) => (statSync(join(folder, name)).mode & 0o777).toString(8))),
]

const filesIn = (folder: string): string[] => globSync('**/*.{webp,jpg}', { cwd: folder }).sort()

/** A SQLite store in its own folder. It has an animal with three photos, and the second photo was removed. */
async function storeWithPhotos(t: TestContext) {
  const folder = scratchFolder(t)
  const databaseUrl = `sqlite:${join(folder, 'test.db')}`
  const app = await startApp(t, { databaseUrl, key: UNLIMITED })
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'available' })
  for (const width of [400, 500, 600]) {
    const body = await picture({ width, height: 300 })
    const path = `/v1/pets/1/photos?alt=${width}`
    assert.equal((await app.request(path, { method: 'POST', body, headers: JPEG })).status, 201)
  }
  await app.request('/v1/pets/1/photos/2', { method: 'DELETE' })
  return { app, folder, settings: { DATABASE_URL: databaseUrl } }
}

const photosOf = async (app: TestApp) => (await app.get('/v1/pets/1?fields=photos')).body.photos

/** Whether the service sends each size of each photo. */
async function given(app: TestApp): Promise<string[]> {
  const addresses: string[] = (await photosOf(app)).flatMap(({ sizes }: { sizes: object }) =>
    Object.values(sizes),
  )
  const answers = addresses.map((address) =>
    fetch(address.replace('http://pets.example', `http://127.0.0.1:${app.port}`)),
  )
  return (await Promise.all(answers)).map(({ status, headers }) => `${status} ${headers.get('content-type')}`)
}

const EIGHT_FILES = Array(8).fill('200 image/webp')

test('backup to a .tar: contains the store and its photos', async (t) => {
  const { app, folder, settings } = await storeWithPhotos(t)
  const before = await photosOf(app)
  const [file, restored] = [join(folder, 'copy.tar'), scratchFolder(t)]

  const { code, stdout, stderr } = await runCli(t, ['backup', file], settings)

  assert.deepEqual([code, stderr], [0, ''])
  assert.equal(stdout, `${file}: ${statSync(file).size} bytes, animals: 1, photos: 2, missing: 0\n`)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  await pipeline(createReadStream(file), unpackTar(restored))
  assert.equal(statSync(join(restored, 'test.db')).mode & 0o777, 0o600)
  assert.deepEqual(modesIn(restored), modesIn(folder), 'a web server may give them')
  assert.deepEqual(readdirSync(restored).sort(), ['photos', 'test.db'])
  // Removed photos are not in the archive, although their files may still exist for a moment.
  assert.equal(new Set(filesIn(restored).map((name) => name.split('-')[0])).size, 2)
  const other = await startApp(t, { databaseUrl: `sqlite:${join(restored, 'test.db')}`, key: UNLIMITED })
  assert.deepEqual(await photosOf(other), before)
  assert.deepEqual(await given(other), EIGHT_FILES)
  assert.deepEqual(
    readdirSync(folder).filter((name) => !/^test\.db|^photos$/.test(name)),
    ['copy.tar'],
  )
})

test('backup without photos: says how many are not included; backup with a lost photo file: reports the loss', async (t) => {
  const { app, folder, settings } = await storeWithPhotos(t)

  const alone = await runCli(t, ['backup', join(folder, 'copy.db')], settings)

  assert.equal(alone.code, 0)
  assert.match(
    alone.stderr,
    /^the backup does not include the files of 2 photos: \S+copy\.db\.tar would have them\n$/,
  )
  const elsewhere = { ...settings, PHOTOS_URL: `file:${join(folder, 'none')}` }
  const { code, stdout, stderr } = await runCli(t, ['backup', join(folder, 'copy.tar'), '--json'], elsewhere)
  const { photos, missing } = JSON.parse(stdout)
  assert.deepEqual([code, photos, missing], [1, 0, 2])
  assert.equal(stderr, 'adoptable: The files of 2 photos are missing. Check PHOTOS_URL.\n')
  // Taken from the API, because the folder may still have files of a removed photo.
  const [{ sizes }] = await photosOf(app)
  const [hash = ''] = basename(sizes.full).split('-')
  for (const name of filesIn(folder)) if (name.includes(hash)) rmSync(join(folder, name))
  const some = await runCli(t, ['backup', join(folder, 'some.tar')], settings)
  assert.deepEqual([some.code, some.stderr], [0, 'The files of 1 photos are missing. Check PHOTOS_URL.\n'])
})

test('copy of photos: copies all files, then only new files', async (t) => {
  const { app, folder } = await storeWithPhotos(t)
  const to = join(scratchFolder(t), 'photos')
  const places = ['--photos-from', `file:${join(folder, 'photos')}`, '--photos-to', `file:${to}`]

  const first = await runCli(t, ['copy', ...places], {})
  const body = await picture({ width: 700, height: 300 })
  await app.request('/v1/pets/1/photos', { method: 'POST', body, headers: JPEG })
  const { photos } = JSON.parse((await runCli(t, ['copy', ...places, '--json'], {})).stdout)

  assert.deepEqual([first.code, first.stderr], [0, ''])
  assert.match(first.stdout, /^photo files: \d+ copied, 0 already present\n$/)
  assert.ok(photos.copied >= 2 && photos.there >= 4, JSON.stringify(photos))
  assert.deepEqual(readdirSync(join(to, 'incoming')), [])
  assert.deepEqual(modesIn(to), modesIn(folder), 'a web server may give them')
  const { databaseUrl } = app
  await app.stop()
  const moved = await startApp(t, { databaseUrl, key: UNLIMITED, settings: { PHOTOS_URL: `file:${to}` } })
  assert.deepEqual(await given(moved), [...EIGHT_FILES, ...EIGHT_FILES.slice(4)])
})

test('copy without photos: says that the photos stay; with wrong options: says what to write', async (t) => {
  const { app, settings } = await storeWithPhotos(t)
  await app.stop()
  const to = `sqlite:${join(scratchFolder(t), 'to.db')}`

  const { code, stderr } = await runCli(t, ['copy', '--from', settings.DATABASE_URL, '--to', to], {})

  assert.equal(code, 0)
  assert.match(
    stderr,
    /^The copy refers to 2 photos whose files are still at the old address\. Copy them with/,
  )
  for (const [args, expected] of [
    [[], /needs --from and --to, or --photos-from and --photos-to/],
    [['--from', to], /--from needs --to/],
    [['--photos-to', 'file:a'], /--photos-from needs --photos-to/],
    [['--photos-from', 'ftp://a', '--photos-to', 'file:a'], /--photos-from must be file:/],
    [['--photos-from', '', '--photos-to', 'file:a'], /--photos-from must not be empty/],
  ] as const) {
    const refused = await runCli(t, ['copy', ...args], {})
    assert.equal(refused.code, 2, args.join(' '))
    assert.match(refused.stderr, expected)
  }
  const same = await runCli(t, ['copy', '--photos-from', 'file:a', '--photos-to', 'file:a'], {})
  assert.deepEqual([same.code, existsSync('a')], [1, false])
})

test('backup to a compressed archive: is refused, and suggests the right name', async (t) => {
  const folder = scratchFolder(t)

  for (const ending of ['.tar.gz', '.tgz', '.tar.zst', '.TGZ']) {
    const name = join(folder, 'copy')
    const { code, stderr } = await runCli(t, ['backup', name + ending], {})
    assert.deepEqual([code, existsSync(name + ending)], [2, false])
    assert.ok(stderr.includes(`Name it ${name}.tar and compress it afterwards.`), stderr)
  }
})
