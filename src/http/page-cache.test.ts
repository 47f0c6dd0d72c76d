import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import v8 from 'node:v8'
import vm from 'node:vm'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { changes } from '../changes.ts'
import type { Kept } from '../db/database.ts'
import { openDatabase, openForCommand } from '../db/open-database.ts'
import { openToRead } from '../db/open-sqlite.ts'
import { fileOf } from '../db/store-url.ts'
import { writerThread } from '../db/writer.ts'
import { scratchFolder, startApp, UNLIMITED } from '../testing/start-app.ts'
import type { View } from './caller.ts'
import type { Coding } from './coding.ts'
import { type PageCache, pageCache } from './page-cache.ts'

v8.setFlagsFromString('--expose-gc')
const collectGarbage: () => void = vm.runInNewContext('gc')

/** The next turn of the event loop. */
const turn = () => new Promise(setImmediate)

const page = (body: string) => ({ body, headers: { etag: '' } })

const at = (address: string, view: View = 'all') => ({
  ...{ view, address, operation: 'a', route: '/a', access: 'read' as const, isLenient: false },
})

test('a page that many ask for at once is made once, and made anew after a change', async () => {
  let version = 1
  let made = 0
  const pages = pageCache(() => version, 1_000)
  const read = async () => {
    made += 1
    await turn()
    return page(`page ${made}`)
  }
  const askTwice = async () => {
    const [one, other] = await Promise.all([pages.page(at('/a'), read), pages.page(at('/a'), read)])
    assert.equal(one, other)
    return one.body
  }
  assert.equal(await askTwice(), 'page 1')
  assert.equal(await askTwice(), 'page 1')
  version = 2
  assert.equal(await askTwice(), 'page 2')
})

test('a page that was begun before a change is no answer to who asks after it, and is not kept', async () => {
  let version = 1
  const pages = pageCache(() => version, 1_000)
  const reading = Promise.withResolvers<ReturnType<typeof page>>()
  const early = pages.page(at('/a'), () => reading.promise)
  version = 2
  assert.equal((await pages.page(at('/a'), async () => page('new'))).body, 'new')
  reading.resolve(page('old'))
  assert.equal((await early).body, 'old')
  assert.equal(pages.get('all', '/a')?.body, 'new')
})

test('a page is made anew from the moment on to which it was good', async () => {
  const pages = pageCache(() => 1, 10_000)
  let made = 0
  const read = async () => {
    made += 1
    return { ...page(`page ${made}`), until: 100 * made }
  }
  const ask = async (now: number) => (await pages.page(at('/a'), read, now)).body
  assert.deepEqual([await ask(1), await ask(99), await ask(100)], ['page 1', 'page 1', 'page 2'])
  assert.deepEqual([await ask(199), await ask(200)], ['page 2', 'page 3'])
})

test('a page that cannot be made is asked for anew', async () => {
  const pages = pageCache(() => 1, 1_000)
  await assert.rejects(
    pages.page(at('/a'), () => Promise.reject(new Error('lost'))),
    /lost/,
  )
  assert.equal((await pages.page(at('/a'), async () => page('there'))).body, 'there')
})

/** Text that hardly gets smaller. */
const noise = (length: number) => randomBytes(length / 2).toString('hex')

test('a page is compressed once in each coding, however many ask, and anew after a change', async () => {
  let version = 1
  const pages = pageCache(() => version, 100_000)
  const read = async () => page(`page ${version}, ${noise(2_000)}`)
  const codeTwice = async (coding: Coding) => {
    const [one, other] = await Promise.all([1, 2].map(async () => pages.code(await ask(), coding)))
    assert.ok(one && one === other && one === (await pages.code(await ask(), coding)))
    return one
  }
  const ask = () => pages.page(at('/a'), read)
  const [br, zstd] = [await codeTwice('br'), await codeTwice('zstd')]
  assert.notEqual(br, zstd)
  version = 2
  const anew = await codeTwice('br')
  assert.match(String(brotliDecompressSync(Buffer.from(anew.body, anew.encoding))), /^page 2,/)
})

test('a page that was outdated while it was compressed gives its bytes to none that asks later', async () => {
  let version = 1
  const pages = pageCache(() => version, 100_000)
  const ask = () => pages.page(at('/a'), async () => page(`page ${version}, ${noise(2_000)}`))
  const early = pages.code(await ask(), 'gzip')
  version = 2
  const late = await pages.code(await ask(), 'gzip')
  assert.ok(late && late !== (await early))
  assert.match(String(gunzipSync(Buffer.from(late.body, late.encoding))), /^page 2,/)
})

test('what is compressed counts as what is ready does', async () => {
  const pages = pageCache(() => 1, 12_000)
  const ask = (address: string) => pages.page(at(address), async () => page(noise(4_000)))
  const [a, b] = [await ask('/a'), await ask('/b')]
  const there = () => ['/a', '/b'].filter((address) => pages.get('all', address))
  assert.ok(await pages.code(a, 'br'))
  assert.deepEqual(there(), ['/a', '/b'])
  // The first two take 9 kB, and each coding 2.5.
  assert.ok(await pages.code(b, 'br'))
  assert.deepEqual(there(), [])
  await pages.code(await ask('/a'), 'br')
  assert.deepEqual(there(), ['/a'])
})

/** What the heap holds when nothing in it is garbage: the test runner lets go of promises a turn after they are. */
async function heapBytes(): Promise<number> {
  for (let turn = 0; turn < 5; turn += 1) {
    collectGarbage()
    await new Promise(setImmediate)
  }
  return process.memoryUsage().heapUsed
}

test('what is ready takes about as much memory as it may, however small the pages are', async () => {
  const mostBytes = 8 * 1_048_576
  const address = (id: number) => `http://pets.example/v1/pets/${id}`
  /** @returns how many it was filled with: so many, or one more than it keeps */
  async function fill(pages: PageCache, count: number): Promise<number> {
    let id = 0
    do {
      const headers = { etag: `"${id}-1"`, 'last-modified': `Sun, 22 Nov 2026 20:${id}:00 GMT` }
      const made = { ...page(`{"id":${id},"name":"${id % 2 ? 'Rex' : '🐕'}","categoryId":1}`), headers }
      await pages.page(at(address(id)), async () => made)
      id += 1
    } while (id < count && pages.get('all', address(0)))
    return id
  }
  const [one, pages] = [pageCache(() => 1, mostBytes), pageCache(() => 1, mostBytes)]
  const beyond = await fill(one, 100_000)
  const before = await heapBytes()
  await fill(pages, beyond - 1)
  const taken = (await heapBytes()) - before

  assert.ok(pages.get('all', address(0)))
  assert.ok(taken > mostBytes / 2 && taken < mostBytes * 1.25, `${taken} bytes`)
})

const KEPT: Kept[] = ['pages', 'keys']
test('what this process has changed is known in the same turn of the event loop', async (t) => {
  const url = `sqlite:${join(scratchFolder(t), 'test.db')}`
  const startWriter = writerThread(new URL('../writer-thread.ts', import.meta.url))
  const none = { onWait: assert.ifError, onLost: assert.ifError, onBack: () => assert.fail() }
  const options = { connections: 1, shared: false, signal: undefined, ...none }
  const onLoss = assert.ifError
  const { write, version, close } = await openDatabase(url, { ...options, onLoss, changes, startWriter })
  const other = new DatabaseSync(fileOf(url), { timeout: 5_000 })
  t.after(async () => {
    other.close()
    await close()
  })
  const categories = other.prepare('select count(*) as count from category')
  for (let round = 1; round <= 10; round += 1) {
    other.exec('begin immediate')
    const written = write(changes.insertCategory, { name: `Kind ${round}` })
    await turn()
    const before = version('pages')
    other.exec('rollback')
    // What this turn began with stays known until its end, though the writer commits in it.
    while (categories.get()?.count !== 8 + round);
    assert.equal(version('pages'), before)
    await written
    assert.notEqual(version('pages'), before)
  }
})

const JSON_HEADERS = { 'content-type': 'application/json' }

test('pages outlive counters and keys, keys outlive counters and pages, and neither a change of its own', async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  const reader = openToRead(fileOf(app.databaseUrl))
  t.after(() => reader.close())
  /** What is no longer true after that. */
  async function outdated(change: () => Promise<unknown>): Promise<Kept[]> {
    await turn()
    const before = { pages: reader.version('pages'), keys: reader.version('keys') }
    await change()
    await turn()
    return KEPT.filter((of) => reader.version(of) > before[of])
  }
  const request = (method: string, path: string, body?: object) => async () => {
    const { status, text } = await app.request(path, {
      method,
      body: JSON.stringify(body),
      headers: JSON_HEADERS,
    })
    assert.ok(status < 300, text)
  }
  const other = () => app.get('/v1/pets', { authorization: 'Bearer nobody' })
  assert.deepEqual(await outdated(other), [])

  const order = { petId: 1, adopter: { name: 'A', email: 'a@example.org' } }
  for (const change of [
    request('POST', '/v1/pets', { name: 'Rex', categoryId: 1, status: 'available' }),
    request('PATCH', '/v1/pets/1', { name: 'Max' }),
    request('POST', '/v1/store/orders', order),
    request('POST', '/v1/categories', { name: 'Goats' }),
    request('DELETE', '/v1/categories/9'),
  ]) {
    assert.deepEqual(await outdated(change), ['pages'])
  }

  const store = await openForCommand(app.databaseUrl, changes)
  const key = { name: 'b', plan: 'free', access: 'read' } as const
  assert.deepEqual(await outdated(() => store.write(changes.insertKey, key, 'a'.repeat(64), 0)), ['keys'])
  assert.deepEqual(await outdated(() => store.write(changes.rotateKey, 2, 'b'.repeat(64), 0, 0)), ['keys'])
  assert.deepEqual(await outdated(() => store.write(changes.revokeKey, 2, 0)), ['keys'])
  await store.close()
})

test('the order and the spelling of parameters make no other page, and another parameter does', async () => {
  let read = 0
  const cache = pageCache(() => 1, 1e6)
  const page = (query: string) =>
    cache.page({ view: 'all', address: `/a${query}`, isLenient: false }, async () => {
      read += 1
      return { body: String(read), headers: { etag: '"1"' } }
    })
  const same = ['?a=b%20c&d=%C3%A9', '?d=%c3%a9&a=b+c', '?d=%C3%A9&a=b%20c']
  for (const query of same) assert.equal((await page(query)).body, '1', query)
  for (const query of ['?a=b%20c', '?a=b%26c&d=1', '?a=b&c&d=1', '?a=%', '']) await page(query)
  assert.equal(read, 6)
})
