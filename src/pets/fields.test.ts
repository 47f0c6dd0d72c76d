import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeKey, startApp, UNLIMITED } from '../testing/start-app.ts'

const NOW = Date.UTC(2026, 10, 23, 12)
const AT = '2026-11-23T12:00:00.000Z'
const LATER = '2026-11-24T12:00:00.000Z'
const REX = { name: 'Rex', categoryId: 1, sex: 'male', staff: { kennel: 'B2' } }

test('fields selects members, for one animal and for lists, on every page', async (t) => {
  const { post, get, databaseUrl } = await startApp(t, { key: UNLIMITED, now: NOW })
  for (const name of ['Rex', 'Tom', 'Mia']) await post('/v1/pets', { ...REX, name })

  const first = await get('/v1/pets?limit=2&fields=name,id')
  assert.equal(first.text, '[{"id":3,"name":"Mia"},{"id":2,"name":"Tom"}]')
  const next = new URL(/<([^>]*)>; rel="next"/.exec(String(first.headers.link))?.[1] ?? '')
  assert.equal((await get(next.pathname + next.search)).text, '[{"id":1,"name":"Rex"}]')
  assert.equal((await get('/v1/pets/1?fields=sex,status')).text, '{"sex":"male"}')
  assert.deepEqual((await get('/v1/pets?id=1&fields=*')).body, [{ id: 1, ...REX }])
  assert.equal((await get('/v1/pets?id=1&fields=staff')).text, '[{"staff":{"kennel":"B2"}}]')

  const reader = { authorization: `Bearer ${await makeKey(databaseUrl, { ...UNLIMITED, access: 'read' })}` }
  for (const path of ['/v1/pets?limit=1&fields=staff', '/v1/pets?id=3&fields=staff'])
    assert.equal((await get(path, reader)).text, '[{}]')
  assert.equal((await get('/v1/pets/1?fields=*,createdAt', reader)).text.includes('kennel'), false)
})

test('an unknown name in fields gets 400', async (t) => {
  const { post, get } = await startApp(t, { key: UNLIMITED })
  await post('/v1/pets', REX)
  for (const path of ['/v1/pets', '/v1/pets?id=1', '/v1/pets/1']) {
    for (const fields of ['colour', 'id,', 'staff.kennel', '__proto__', '']) {
      const { status, body } = await get(`${path}${path.includes('?') ? '&' : '?'}fields=${fields}`)
      assert.equal(status, 400, `${path} ${fields}`)
      assert.equal(body.details[0].parameter, 'fields')
    }
  }
})

test('createdAt, publishedAt, statusChangedAt and updatedAt are set by the service and only returned with fields', async (t) => {
  const { post, patch, get, clock } = await startApp(t, { key: UNLIMITED, now: NOW })
  await post('/v1/pets', REX)
  const fields = 'publishedAt,statusChangedAt,createdAt,updatedAt'
  const times = async () => (await get(`/v1/pets/1?fields=${fields}`)).body
  assert.deepEqual(await times(), { createdAt: AT, updatedAt: AT })

  await patch('/v1/pets/1', { status: 'available', publishedAt: 'never' })
  assert.deepEqual(await times(), {
    ...{ publishedAt: AT, statusChangedAt: AT, createdAt: AT, updatedAt: AT },
  })
  clock.now += 86_400_000
  await patch('/v1/pets/1', { name: 'Max' })
  assert.deepEqual(await times(), {
    ...{ publishedAt: AT, statusChangedAt: AT, createdAt: AT, updatedAt: LATER },
  })
  await post('/v1/store/orders', { petId: 1, adopter: { name: 'A', email: 'a@example.org' } })
  const moved = { publishedAt: AT, statusChangedAt: LATER, createdAt: AT, updatedAt: LATER }
  assert.deepEqual(await times(), moved)
  clock.now += 86_400_000
  await patch('/v1/store/orders/1', { status: 'cancelled' })
  assert.equal((await times()).publishedAt, AT)
  assert.equal('publishedAt' in (await get('/v1/pets/1')).body, false)
})
