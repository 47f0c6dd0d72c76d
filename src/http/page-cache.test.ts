import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openForCommand } from '../db/database.ts'
import { fileOf, type Kept, openToRead } from '../db/open-sqlite.ts'
import { insertKey, revokeKey, rotateKey } from '../keys/store.ts'
import { startApp, UNLIMITED } from '../testing/start-app.ts'
import { pageCache } from './page-cache.ts'

/** The next turn of the event loop. */
const turn = () => new Promise(setImmediate)

const page = (body: string) => ({ operation: 'a', route: '/a', body, headers: { etag: '' } })

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
    const [one, other] = await Promise.all([pages.page('/a', read), pages.page('/a', read)])
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
  const early = pages.page('/a', () => reading.promise)
  version = 2
  assert.equal((await pages.page('/a', async () => page('new'))).body, 'new')
  reading.resolve(page('old'))
  assert.equal((await early).body, 'old')
  assert.equal(pages.get('/a')?.body, 'new')
})

test('a page that cannot be made is asked for anew', async () => {
  const pages = pageCache(() => 1, 1_000)
  await assert.rejects(
    pages.page('/a', () => Promise.reject(new Error('lost'))),
    /lost/,
  )
  assert.equal((await pages.page('/a', async () => page('there'))).body, 'there')
})

const KEPT: Kept[] = ['pages', 'keys']
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

  const store = await openForCommand(app.databaseUrl)
  const key = { name: 'b', plan: 'free', access: 'read' } as const
  assert.deepEqual(await outdated(() => store.write(insertKey, key, 'a'.repeat(64), 0)), ['keys'])
  assert.deepEqual(await outdated(() => store.write(rotateKey, 2, 'b'.repeat(64), 0, 0)), ['keys'])
  assert.deepEqual(await outdated(() => store.write(revokeKey, 2, 0)), ['keys'])
  await store.close()
})
