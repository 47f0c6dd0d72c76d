import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, assertError } from '../testing/client.ts'
import { startApp, type TestApp, UNLIMITED } from '../testing/start-app.ts'

/** Adds animals with all categories and statuses in turn, so every filter finds some. */
async function addPets({ post }: TestApp, count: number): Promise<void> {
  const statuses = ['available', 'pending', 'sold', undefined]
  const bodies = Array.from({ length: count }, (_, index) => ({
    name: `Pet ${index}`,
    categoryId: (index % 3) + 1,
    status: statuses[index % 4],
  }))
  for (const answer of await Promise.all(bodies.map((body) => post('/v1/pets', body)))) {
    assert.equal(answer.status, 201)
  }
}

const idsOf = ({ body }: Answer): number[] => body.map(({ id }: { id: number }) => id)

/** @returns the path of a link in the Link header, without the host */
function linkOf({ headers }: Answer, rel: string): string | undefined {
  return new RegExp(`<http://pets\\.example([^>]*)>; rel="${rel}"`).exec(String(headers.link))?.[1]
}

/** Follows next links and returns all ids. `between` runs after each page. */
async function readIds(app: TestApp, first: string, between = async () => {}): Promise<number[]> {
  const ids: number[] = []
  for (let path: string | undefined = first; path !== undefined; ) {
    const answer: Answer = await app.get(path)
    assert.equal(answer.status, 200, answer.text)
    ids.push(...idsOf(answer))
    path = linkOf(answer, 'next')
    await between()
  }
  return ids
}

test('following next links of GET /v1/pets returns every animal once, in both orders and with each filter', async (t) => {
  const app = await startApp(t, { key: UNLIMITED })
  await addPets(app, 60)
  const all = Array.from({ length: 60 }, (_, index) => index + 1)

  for (const limit of [1, 7, 20, 60, 100]) {
    assert.deepEqual(await readIds(app, `/v1/pets?limit=${limit}`), all.toReversed())
    assert.deepEqual(await readIds(app, `/v1/pets?sort=id&limit=${limit}`), all)
  }
  const byStatus = idsOf(await app.get('/v1/pets?status=pending&limit=100&sort=id'))
  assert.equal(byStatus.length, 15)
  assert.deepEqual(await readIds(app, '/v1/pets?status=pending&limit=4&sort=id'), byStatus)
  const byCategory = idsOf(await app.get('/v1/pets?categoryId=2&limit=100'))
  assert.equal(byCategory.length, 20)
  assert.deepEqual(await readIds(app, '/v1/pets?categoryId=2&limit=3'), byCategory)
  const both = await readIds(app, '/v1/pets?categoryId=2&status=sold&limit=2')
  assert.ok(both.length > 0 && both.every((id) => byCategory.includes(id)))
  assert.deepEqual(await readIds(app, '/v1/pets?id=7&id=50&id=9&id=999&limit=2'), [50, 9, 7])
  assert.deepEqual(await readIds(app, '/v1/pets?categoryId=77'), [])
})

test('Link of GET /v1/pets always has first, and has next only when there is another page', async (t) => {
  const app = await startApp(t, { key: UNLIMITED })
  await addPets(app, 4)

  assert.equal(linkOf(await app.get('/v1/pets?limit=4'), 'next'), undefined)
  const page = await app.get('/v1/pets?limit=3&status=available')
  assert.equal(linkOf(page, 'first'), '/v1/pets?limit=3&status=available&sort=-id')
  const next = linkOf(await app.get('/v1/pets?limit=3'), 'next') ?? ''
  assert.match(next, /&cursor=[A-Za-z0-9_-]+$/)
  const last = await app.get(next)
  assert.deepEqual([idsOf(last).length, linkOf(last, 'next')], [1, undefined])
  assert.equal(linkOf(last, 'first'), '/v1/pets?limit=3&sort=-id')
})

test('paging while animals are added returns each existing animal exactly once', async (t) => {
  const app = await startApp(t, { key: UNLIMITED })
  await addPets(app, 50)
  const existing = Array.from({ length: 50 }, (_, index) => index + 1)

  const down = await readIds(app, '/v1/pets?limit=7', () => addPets(app, 3))
  assert.deepEqual(down, existing.toReversed())

  let more = 5
  const up = await readIds(app, '/v1/pets?limit=9&sort=id', async () => {
    if (more-- > 0) await addPets(app, 2)
  })
  assert.deepEqual(
    up,
    Array.from({ length: up.length }, (_, index) => index + 1),
  )
  assert.equal(
    up.length,
    (await app.get('/v1/pets?limit=1')).body[0].id,
    'animals added in between are returned too',
  )
})

test('a cursor is valid with another limit and after a restart; with other filters or damaged it gets 400 invalid_cursor', async (t) => {
  const app = await startApp(t, { key: UNLIMITED })
  await addPets(app, 20)
  const next = linkOf(await app.get('/v1/pets?limit=2&status=sold'), 'next') ?? ''
  const cursor = new URLSearchParams(next.split('?')[1]).get('cursor')
  const rest = idsOf(await app.get(`/v1/pets?status=sold&limit=100&cursor=${cursor}`))
  assert.equal(rest.length, 3)

  for (const other of [
    'status=available',
    'status=sold&sort=id',
    'status=sold&categoryId=1',
    'status=sold&id=1',
    '',
  ]) {
    assertError(await app.get(`/v1/pets?${other}&cursor=${cursor}`), 400, 'invalid_cursor', other)
  }
  const damaged = [
    '',
    'x',
    `${cursor}A`,
    // A changed position.
    `${cursor}0`,
    `${cursor?.startsWith('B') ? 'C' : 'B'}${cursor?.slice(1)}`,
    String(cursor).toLowerCase(),
    '1',
    '%00',
  ]
  for (const broken of damaged) {
    assertError(await app.get(`/v1/pets?status=sold&cursor=${broken}`), 400, 'invalid_cursor', broken)
  }
  await app.stop()
  const again = await startApp(t, { databaseUrl: app.databaseUrl, key: UNLIMITED })
  assert.deepEqual(idsOf(await again.get(`/v1/pets?status=sold&limit=100&cursor=${cursor}`)), rest)
})

test('GET /v1/pets with an invalid sort, id or categoryId: 400 that names the parameter', async (t) => {
  const { get } = await startApp(t, { key: UNLIMITED })
  const tooMany = Array.from({ length: 101 }, (_, index) => `id=${index + 1}`).join('&')
  for (const [query, parameter] of [
    ['sort=color', 'sort'],
    ['sort=id&sort=-id', 'sort'],
    ['categoryId=x', 'categoryId'],
    ['categoryId=1&categoryId=x', 'categoryId'],
    ['categoryId=9223372036854775808', 'categoryId'],
    ['id=1&id=x', 'id'],
    ['id=', 'id'],
    [tooMany, 'id'],
  ] as const) {
    const answer = await get(`/v1/pets?${query}`)
    assertError(answer, 400, 'invalid_parameter', query)
    assert.equal(answer.body.details[0].parameter, parameter, answer.text)
  }
  assert.deepEqual((await get('/v1/pets?id=9007199254740993&categoryId=9223372036854775807')).body, [])
})

test('the successor-version link of GET /v1/pets/{petId} has the origin that the client used', async (t) => {
  const { get, post } = await startApp(t, { settings: { BASE_URL: '', TRUST_PROXY: 'loopback' } })
  await post('/v1/pets', { name: 'Rex', categoryId: 1 })
  const forwarded = { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-host': 'pets.shelter.example' }

  for (const path of ['/v1/pets/1', '/v1/pets/2']) {
    const { headers } = await get(path, forwarded)
    assert.equal(headers.link, '<http://pets.shelter.example/v1/pets>; rel="successor-version"', path)
  }
})

test('Link ignores an invalid X-Forwarded-Host or X-Forwarded-Proto of a trusted proxy', async (t) => {
  const { get } = await startApp(t, { settings: { BASE_URL: '', TRUST_PROXY: 'loopback' } })
  for (const [host, protocol] of [
    ['a>;b', 'https'],
    ['pets.example,', 'https'],
    ['z\xf6o.example', 'https'],
    ['a/b', 'https'],
    ['pets.example', 'javascript'],
    ['pets.example', 'https://a/'],
    ['pets.example', '\xff'],
  ]) {
    const { headers } = await get('/v1/pets', {
      'x-forwarded-for': '192.0.2.1',
      'x-forwarded-host': host,
      'x-forwarded-proto': protocol,
    })
    assert.match(String(headers.link), /^<http:\/\/127\.0\.0\.1:0\/v1\/pets\?/, `${protocol}://${host}`)
  }
})

test('Link is absolute, with the origin of BASE_URL or a trusted proxy, never of the Host header alone', async (t) => {
  const forwarded = {
    'x-forwarded-for': '192.0.2.1',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'pets.shelter.example',
  }
  const linkWith = async (settings: Record<string, string>) => {
    const { get } = await startApp(t, { settings })
    return String((await get('/v1/pets', { ...forwarded, host: 'evil.example' })).headers.link)
  }
  assert.match(await linkWith({}), /^<http:\/\/pets\.example\/v1\/pets\?/)
  assert.match(await linkWith({ BASE_URL: '' }), /^<http:\/\/127\.0\.0\.1:0\/v1\/pets\?/)
  assert.match(
    await linkWith({ BASE_URL: '', TRUST_PROXY: '192.0.2.9' }),
    /^<http:\/\/127\.0\.0\.1:0\/v1\/pets\?/,
  )
  assert.match(
    await linkWith({ BASE_URL: '', TRUST_PROXY: 'loopback' }),
    /^<https:\/\/pets\.shelter\.example\/v1\/pets\?/,
  )
})
