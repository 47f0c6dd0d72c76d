import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { makeKey, startApp, UNLIMITED } from '../testing/start-app.ts'

const SECRET = 'Nobody else may read this.'
const EXACT = 52.090_833
const REX = {
  name: 'Rex',
  categoryId: 1,
  place: { city: 'Utrecht', latitude: EXACT, longitude: -5.126 },
  staff: { notes: SECRET },
}
const PUBLIC = {
  ...{ id: 1, name: 'Rex', categoryId: 1 },
  place: { city: 'Utrecht', latitude: 52.09, longitude: -5.13 },
}

async function startTwo(t: TestContext) {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'write' } })
  const reader = {
    authorization: `Bearer ${await makeKey(app.databaseUrl, { ...UNLIMITED, access: 'read' })}`,
  }
  await app.post('/v1/pets', REX)
  return { ...app, asReader: (path: string, headers = {}) => app.get(path, { ...reader, ...headers }) }
}

test('read keys never see staff-only members or exact coordinates', async (t) => {
  const { get, patch, asReader } = await startTwo(t)
  await patch('/v1/pets/1', { staff: { notes: `${SECRET}!` } })
  await patch('/v1/pets/1', { place: { latitude: EXACT + 0.001 }, staff: { notes: null } })
  await patch('/v1/pets/1', { place: { latitude: EXACT }, name: 'Max' })
  const max = { ...PUBLIC, name: 'Max' }

  for (const path of ['/v1/pets/1', '/v1/pets', '/v1/pets?id=1', '/v1/pets?sort=id']) {
    // Each request twice, so the second response comes from the cache, after an admin's request.
    for (const _ of [1, 2]) {
      assert.match((await get(path)).text, /52\.090833/)
      const { text, headers } = await asReader(path)
      assert.deepEqual([JSON.parse(text)].flat(), [max])
      // A random ETag may contain these letters.
      const { etag: _etag, ...others } = headers
      assert.doesNotMatch(JSON.stringify(others), /all/)
    }
  }
  const seen = await asReader('/v1/pets/1/history')
  assert.deepEqual(
    seen.body.map(({ changes }: { changes: object }) => changes),
    [{ name: { from: 'Rex', to: 'Max' } }],
  )
  const all = (await get('/v1/pets/1/history')).text
  assert.match(all, new RegExp(SECRET))
  assert.match(all, /52\.091833/)
})

test('the ETag is the same for every caller only if the animal has no private members', async (t) => {
  const { get, post, asReader } = await startTwo(t)
  await post('/v1/pets', { name: 'Tom', categoryId: 2 })
  assert.equal((await get('/v1/pets/2')).headers.etag, (await asReader('/v1/pets/2')).headers.etag)

  const [all, open] = [await get('/v1/pets/1'), await asReader('/v1/pets/1')]
  assert.notEqual(all.headers.etag, open.headers.etag)
  assert.equal((await asReader('/v1/pets/1', { 'if-none-match': all.headers.etag })).status, 200)
  assert.equal((await asReader('/v1/pets/1', { 'if-none-match': open.headers.etag })).status, 304)
})

test('GET history with a read key finds public changes older than 101 private changes', async (t) => {
  const { patch, asReader } = await startTwo(t)
  await patch('/v1/pets/1', { status: 'available' })
  for (let note = 1; note <= 101; note += 1) await patch('/v1/pets/1', { staff: { notes: `${note}` } })

  const { body } = await asReader('/v1/pets/1/history')
  assert.deepEqual(
    body.map(({ changes }: { changes: object }) => changes),
    [{ status: { to: 'available' } }],
  )
})
