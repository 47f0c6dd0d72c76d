import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import v8 from 'node:v8'
import vm from 'node:vm'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { changes } from '../changes.ts'
import { openDatabase, openForCommand } from '../db/open-database.ts'
import { openToRead } from '../db/open-sqlite.ts'
import { fileOf } from '../db/store-url.ts'
import { writerThread } from '../db/writer.ts'
import { scratchStore, startApp, UNLIMITED } from '../testing/start-app.ts'
import type { View } from './caller.ts'
import type { Coding } from './compress.ts'
import { createPageCache, type PageCache } from './page-cache.ts'

v8.setFlagsFromString('--expose-gc')
const collectGarbage: () => void = vm.runInNewContext('gc')

/** Waits for the next turn of the event loop. */
const turn = () => new Promise(setImmediate)

const page = (body: string) => ({ body, headers: { etag: '' } })

const at = (address: string, owner = 'key:1', view: View = 'all') => ({ view, address, owner })

test('a page requested many times at once is read from the store once, and again after a change', async () => {
  let version = 1
  let made = 0
  const pages = createPageCache(() => version, 4_000)
  const read = async () => {
    made += 1
    await turn()
    return page(`page ${made}`)
  }
  const readTwice = async () => {
    const [one, other] = await Promise.all([pages.page(at('/a'), read), pages.page(at('/a'), read)])
    assert.equal(one, other)
    return one.body
  }
  assert.equal(await readTwice(), 'page 1')
  assert.equal(await readTwice(), 'page 1')
  version = 2
  assert.equal(await readTwice(), 'page 2')
})

test('a page whose read began before a change is not served after it and not cached', async () => {
  let version = 1
  const pages = createPageCache(() => version, 4_000)
  const reading = Promise.withResolvers<ReturnType<typeof page>>()
  const early = pages.page(at('/a'), () => reading.promise)
  version = 2
  assert.equal((await pages.page(at('/a'), async () => page('new'))).body, 'new')
  reading.resolve(page('old'))
  assert.equal((await early).body, 'old')
  assert.equal(pages.get('all', '/a')?.body, 'new')
})

test('a page is read again once its `until` has passed', async () => {
  const pages = createPageCache(() => 1, 10_000)
  let made = 0
  const read = async () => {
    made += 1
    return { ...page(`page ${made}`), until: 100 * made }
  }
  const ask = async (now: number) => (await pages.page(at('/a'), read, now)).body
  assert.deepEqual([await ask(1), await ask(99), await ask(100)], ['page 1', 'page 1', 'page 2'])
  assert.deepEqual([await ask(199), await ask(200)], ['page 2', 'page 3'])
})

test('a page whose read failed is read again', async () => {
  const pages = createPageCache(() => 1, 4_000)
  await assert.rejects(
    pages.page(at('/a'), () => Promise.reject(new Error('lost'))),
    /lost/,
  )
  assert.equal((await pages.page(at('/a'), async () => page('there'))).body, 'there')
})

/** Text that hardly compresses. */
const noise = (length: number) => randomBytes(length / 2).toString('hex')

test('a page is compressed once in each coding, and again after a change', async () => {
  let version = 1
  const pages = createPageCache(() => version, 100_000)
  const read = async () => page(`page ${version}, ${noise(2_000)}`)
  const codeTwice = async (coding: Coding) => {
    const [one, other] = await Promise.all([1, 2].map(async () => pages.encode(await ask(), coding)))
    assert.ok(one && one === other && one === (await pages.encode(await ask(), coding)))
    return one
  }
  const ask = () => pages.page(at('/a'), read)
  const [br, zstd] = [await codeTwice('br'), await codeTwice('zstd')]
  assert.notEqual(br, zstd)
  version = 2
  const second = await codeTwice('br')
  assert.match(String(brotliDecompressSync(Buffer.from(second.body, second.encoding))), /^page 2,/)
})

test('a page that changes during compression: later requests do not get its old bytes', async () => {
  let version = 1
  const pages = createPageCache(() => version, 100_000)
  const ask = () => pages.page(at('/a'), async () => page(`page ${version}, ${noise(2_000)}`))
  const early = pages.encode(await ask(), 'gzip')
  version = 2
  const late = await pages.encode(await ask(), 'gzip')
  assert.ok(late && late !== (await early))
  assert.match(String(gunzipSync(Buffer.from(late.body, late.encoding))), /^page 2,/)
})

test('compressed pages count towards the cache limit of their owner', async () => {
  const pages = createPageCache(() => 1, 4 * 13_000)
  const ask = (address: string) => pages.page(at(address), async () => page(noise(4_000)))
  const [a, b] = [await ask('/a'), await ask('/b')]
  const there = () => ['/a', '/b'].filter((address) => pages.get('all', address))
  assert.ok(await pages.encode(a, 'br'))
  assert.deepEqual(there(), ['/a', '/b'])
  // The first two pages take 9 kB, and each coding 2.5 kB.
  assert.ok(await pages.encode(b, 'br'))
  assert.deepEqual(there(), ['/b'])
  for (const coding of ['gzip', 'zstd'] as const) assert.ok(await pages.encode(b, coding))
  assert.deepEqual(there(), ['/b'], 'alone, the page fits in all codings')
  await pages.page(at('/a'), async () => page(noise(9_000)))
  await pages.encode(await pages.page(at('/a'), assert.fail), 'br')
  assert.deepEqual(there(), [], 'with its coding, the page is too large')
})

test('a caller that requests ever more pages evicts only its own oldest pages', async () => {
  const pages = createPageCache(() => 1, 4 * 10_000)
  const ask = (owner: string, address: string, bytes = 1_000) =>
    pages.page(at(address, owner), async () => page('a'.repeat(bytes)))
  const there = (addresses: string[]) => addresses.filter((address) => pages.get('all', address))
  const some = [1, 2, 3].map((number) => `/some/${number}`)
  for (const address of some) await ask('key:1', address)
  const many = Array.from({ length: 100 }, (_, number) => `/many/${number}`)
  for (const address of many) await ask('ip:192.0.2.1', address)
  assert.deepEqual(there(some), some)
  assert.deepEqual(there(many), many.slice(-6), 'the newest pages, in a quarter of the memory')
  await ask('ip:192.0.2.1', '/large', 10_000)
  assert.deepEqual(there(['/large', ...many]), many.slice(-6), 'a page above the share is not cached')
  for (let number = 0; number < 8; number += 1)
    for (const address of many) await ask(`ip:198.51.100.${number}`, `${address}?${number}`)
  const all = many.flatMap((address) => Array.from({ length: 8 }, (_, number) => `${address}?${number}`))
  assert.ok(
    there(all).length > 20 && there(all).length <= 26,
    'all pages together stay within the memory limit',
  )
})

/** Heap use after garbage collection. Waits a turn first, because the test runner releases promises late. */
async function heapBytes(): Promise<number> {
  for (let turn = 0; turn < 5; turn += 1) {
    collectGarbage()
    await new Promise(setImmediate)
  }
  return process.memoryUsage().heapUsed
}

test('the cache stays within its memory limit, however small the pages are', async () => {
  const maxBytes = 8 * 1_048_576
  const address = (id: number) => `http://pets.example/v1/pets/${id}`
  /** Fills the cache. @returns the number of pages: `count`, or one more than fits */
  async function fill(pages: PageCache, count: number): Promise<number> {
    let id = 0
    do {
      const headers = { etag: `"${id}-1"`, 'last-modified': `Sun, 22 Nov 2026 20:${id}:00 GMT` }
      const made = { ...page(`{"id":${id},"name":"${id % 2 ? 'Rex' : '🐕'}","categoryId":1}`), headers }
      // Four callers together may fill the whole cache.
      await pages.page(at(address(id), `key:${id % 4}`), async () => made)
      id += 1
    } while (id < count && pages.get('all', address(0)))
    return id
  }
  const [one, pages] = [createPageCache(() => 1, maxBytes), createPageCache(() => 1, maxBytes)]
  const beyond = await fill(one, 100_000)
  const before = await heapBytes()
  await fill(pages, beyond - 1)
  const taken = (await heapBytes()) - before

  assert.ok(pages.get('all', address(0)))
  assert.ok(taken > maxBytes / 2 && taken < maxBytes * 1.25, `${taken} bytes`)
})

test('the writer’s changes are visible in the same turn of the event loop', async (t) => {
  const url = scratchStore(t)
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
    const written = write(changes.insertCategory, { name: `Kind ${round}` }, 0)
    await turn()
    const before = version('pages')
    other.exec('rollback')
    // The version read at the start of a turn stays current in that turn, even when the writer commits.
    while (categories.get()?.count !== 8 + round);
    assert.equal(version('pages'), before)
    await written
    assert.notEqual(version('pages'), before)
  }
})

const JSON_HEADERS = { 'content-type': 'application/json' }

test('a change of pages, keys or counters invalidates only what depends on them', async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  const reader = openToRead(fileOf(app.databaseUrl))
  t.after(() => reader.close())
  /** The versions that the change outdates. */
  async function outdated(change: () => Promise<unknown>): Promise<string[]> {
    await turn()
    const before = { pages: reader.version('pages'), keys: reader.version('keys') }
    await change()
    await turn()
    return (['pages', 'keys'] as const).filter((of) => reader.version(of) > before[of])
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
  const before = reader.version('commits')
  const webhook = { url: 'https://hooks.example.org/' }
  assert.deepEqual(await outdated(() => store.write(changes.insertWebhook, webhook, 0)), [])
  assert.ok(reader.version('commits') > before)
  await store.close()
})
