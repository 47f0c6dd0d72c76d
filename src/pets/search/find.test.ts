import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { dialectOf } from '../../db/dialect.ts'
import { openForCommand } from '../../db/open-database.ts'
import { type Answer, assertError } from '../../testing/client.ts'
import { doJobs } from '../../testing/jobs.ts'
import { setNextPetId } from '../../testing/next-id.ts'
import { startApp, type TestApp, UNLIMITED } from '../../testing/start-app.ts'
import { mostCounted } from './facets.ts'
import { readCandidates } from './matching.ts'
import { token } from './tokens.ts'

const KEY = { ...UNLIMITED, access: 'admin' } as const

function idsIn({ status, text, body }: Answer): number[] {
  assert.equal(status, 200, text)
  return body.map(({ id }: { id: number }) => id)
}

test('GET /v1/pets accepts date-times of RFC 3339, with leap seconds; other dates get 400', async (t) => {
  const { get, post, clock } = await startApp(t, { key: KEY })
  clock.now = Date.UTC(2027, 0, 1)
  await post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'available' })
  for (const [time, isBefore] of [
    ['2026-12-31T23:59:60Z', true],
    ['2026-12-31t23:59:60.5z', true],
    ['2027-01-01T05:29:60%2B05:30', true],
    ['2026-12-31T18:29:60-05:30', true],
    ['2027-06-30T23:59:60Z', false],
    ['0000-01-01t00:00:00z', true],
  ] as const) {
    const [ids, others] = isBefore ? [[1], []] : [[], [1]]
    for (const name of ['updatedSince', 'publishedAfter'])
      assert.deepEqual(idsIn(await get(`/v1/pets?${name}=${time}`)), ids, `${name}=${time}`)
    assert.deepEqual(idsIn(await get(`/v1/pets?publishedBefore=${time}`)), others, time)
  }
  for (const time of ['2027-01-01', '2026-12-31T12:59:60Z', '2027-01-01T00:00:00Z[Europe/Paris]']) {
    const answer = await get(`/v1/pets?updatedSince=${time}`)
    assertError(answer, 400, 'invalid_parameter', time)
    assert.match(answer.text, /"This must be a date and time with an offset/)
  }
})

test('GET /v1/pets with an empty range of dates returns no animals, even for years outside the index', async (t) => {
  const { get, post } = await startApp(t, { key: KEY })
  for (const birthDate of ['1950-01-01', '2026-06-01'])
    await post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'available', birthDate })
  for (const [query, ids] of [
    ['bornAfter=9999-12-31', []],
    ['bornAfter=2199-12-31', []],
    ['bornBefore=1900-01-01', []],
    ['bornBefore=0000-01-01', []],
    ['bornBefore=1950-01-01', []],
    ['bornBefore=1950-01-02', [1]],
    ['bornAfter=1949-12-31&bornBefore=9999-12-31', [2, 1]],
    ['bornAfter=2026-06-01&bornBefore=2026-01-01', []],
    ['bornAfter=2026-05-31&bornBefore=2026-06-02', [2]],
    ['publishedAfter=9999-12-31T23:59:59-23:59', []],
    ['publishedBefore=0000-01-01T00:00:00%2B23:59', []],
    ['updatedSince=9999-12-31T23:59:59-23:59', []],
    ['updatedSince=0000-01-01T00:00:00%2B23:59', [2, 1]],
  ] as const)
    for (const sort of ['-id', '-publishedAt'])
      assert.deepEqual(idsIn(await get(`/v1/pets?${query}&sort=${sort}`)), ids, query)
})

test('searches for a rare value return the same animals after PostgreSQL has analyzed the index', async (t) => {
  const app = await startApp(t, { key: KEY })
  for (let number = 1; number <= 40; number += 1)
    await app.post('/v1/pets', {
      name: `Rex ${number % 3}`,
      categoryId: 1,
      status: number % 2 === 0 ? 'available' : 'pending',
      breed: { primary: number % 13 === 6 ? 'Barbet' : 'Beagle' },
      tags: number === 32 ? ['shy'] : ['calm'],
      place: { city: `City ${number % 5}`, region: 'CO', country: 'US', latitude: 39, longitude: -105 },
    })
  const queries = {
    'breed=barbet': [32, 19, 6],
    'breed=barbet&status=pending': [19],
    'breed=barbet&q=rex+bar': [32, 19, 6],
    'breed=barbet&q=rex+1': [19, 6],
    'breed=barbet&sort=name': [6, 19, 32],
    'breed=barbet&status=available&sort=publishedAt': [6, 32],
    'breed=barbet&near=39,-105&q=bar&sort=distance': [6, 19, 32],
    'tag=shy': [32],
    'tag=shy&breed=beagle': [],
    'q=barbet&city=city+4': [19],
  }
  const { db } = app.service.context
  if (dialectOf(db).engine === 'postgres') {
    // PostgreSQL then lists only ten tokens as common.
    await sql`alter table pet_search alter column tokens set statistics 1`.execute(db)
    await sql`analyze pet_search`.execute(db)
  }
  // The service reads what PostgreSQL has found once a minute.
  await app.stop()
  const again = await startApp(t, { key: KEY, databaseUrl: app.databaseUrl })

  for (const [query, ids] of Object.entries(queries))
    assert.deepEqual(idsIn(await again.get(`/v1/pets?${query}`)), ids, query)
})

test('GET /v1/pets with more than 8 words in q gets 400; with no words in q it returns no animals', async (t) => {
  const { get, post } = await startApp(t, { key: KEY })
  await post('/v1/pets', { name: 'a b c d e f g h i', categoryId: 1, status: 'available' })
  await post('/v1/pets', { name: 'おとなしい犬を探しています', categoryId: 1, status: 'available' })
  const ask = (q: string) => get(`/v1/pets?q=${encodeURIComponent(q)}`)
  for (const q of ['!!!', '-', '🐕']) {
    for (const sort of ['-id', 'id', 'name', 'age'])
      assert.deepEqual(idsIn(await get(`/v1/pets?sort=${sort}&q=${encodeURIComponent(q)}`)), [], q)
    const counted = await get(`/v1/pets/facets?facet=status&q=${encodeURIComponent(q)}`)
    assert.equal(counted.body.matches, 0)
  }
  for (const q of ['a-b-c-d-e-f-g-h', 'a b! - c d / e f g,h', 'おとなしい犬を探しています'])
    assert.equal(idsIn(await ask(q)).length, 1, q)
  for (const q of [
    'a-b-c-d-e-f-g-h-i',
    [...'abcdefghijklmnopqrstuvwxyz0123456789'].join('-'),
    '雪a花b月c星d犬',
  ]) {
    const answer = await ask(q)
    assertError(answer, 400, 'invalid_parameter', q)
    assert.equal(answer.body.details[0].parameter, 'q')
  }
})

test('GET /v1/pets finds text without spaces by single characters and pairs, up to 2,000 words', async (t) => {
  const { get, post, patch } = await startApp(t, { key: KEY })
  const letters = (first: number) =>
    Array.from({ length: 10_000 }, (_, at) => String.fromCodePoint(0x4e00 + first + at)).join('')
  for (const description of [
    '柴犬の公園',
    '犬小屋',
    letters(0),
    'かきくけこ だ',
    'ジャーマン・シェパード',
    'ぎ',
  ])
    await post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'available', description })
  const check = async (rows: [q: string, ids: number[]][]): Promise<void> => {
    for (const [q, ids] of rows)
      assert.deepEqual(idsIn(await get(`/v1/pets?q=${encodeURIComponent(q)}`)), ids, q)
  }
  await check([
    ['犬', [2, 1]],
    ['園', [1]],
    ['柴犬', [1]],
    ['犬公', []],
    [letters(0).slice(0, 2), [3]],
    [letters(0).slice(-2), []],
    ['が', []],
    ['き', [4]],
    ['だ', [4]],
    ['ジャーマン・シェパード・ドッグ', []],
    ['ｼｪﾊﾟｰﾄﾞ', [5]],
  ])
  await patch('/v1/pets/3', { description: letters(10_000) })
  await check([
    [letters(0).slice(0, 2), []],
    [letters(10_000).slice(0, 2), [3]],
  ])
})

test('a facet with more than 100 values returns the most frequent values, in order', async (t) => {
  const { get, post } = await startApp(t, { key: KEY })
  const tagged = (tags: string[]) => post('/v1/pets', { name: 'Rex', categoryId: 1, tags })
  for (let from = 100; from < 240; from += 10)
    await tagged(Array.from({ length: 10 }, (_, index) => `t${from + index}`))
  await tagged(['T239', 'Zoë'])
  await tagged(['zoe', 't150'])
  const { facets } = (await get('/v1/pets/facets?facet=tag')).body
  const twice = ['t150', 'T239', 'zoe'].map((value) => ({ value, count: 2 }))
  const once = Array.from({ length: 98 }, (_, index) => `t${100 + index}`).filter((value) => value !== 't150')
  assert.deepEqual(facets.tag, [...twice, ...once.map((value) => ({ value, count: 1 }))])
})

test('mostCounted yields to the event loop while it counts 500,000 values', async () => {
  const counts = new Map(
    Array.from({ length: 500_000 }, (_, index) => [`${index}`, { count: index % 7, written: '' }]),
  )
  let turns = 0
  let isDone = false
  const tick = (): void => {
    turns += 1
    if (!isDone) setImmediate(tick)
  }
  setImmediate(tick)
  const most = await mostCounted(counts, 3)
  isDone = true
  assert.deepEqual(
    most.map(([value]) => value),
    ['1000', '100001', '100008'],
  )
  assert.ok(turns > 1, `${turns} turns`)
})

test('the last word of q matches as a prefix, unless punctuation ends it', async (t) => {
  const { get, post } = await startApp(t, { key: KEY })
  await post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'available', description: 'many words' })
  for (const q of ['wor many wor', 'many wor ', 'many wor'])
    assert.deepEqual(idsIn(await get(`/v1/pets?q=${encodeURIComponent(q)}`)), [1], q)
  for (const q of ['wor many', 'many wo', 'wor many wo', 'many wor.'])
    assert.deepEqual(idsIn(await get(`/v1/pets?q=${encodeURIComponent(q)}`)), [], q)
})

test('sort=age sorts by birth date within an age group; animals without a birth date come last in it', async (t) => {
  const { get, post } = await startApp(t, { key: KEY, now: Date.UTC(2026, 10, 27) })
  for (const age of [
    { birthDate: '2016-05-01' },
    { age: 'adult' },
    { birthDate: '2022-01-01' },
    { birthDate: '2022-06-01' },
    {},
    { birthDate: '2026-11-01' },
    { age: 'adult' },
  ])
    await post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'available', ...age })
  const found: number[] = []
  for (let path: string | undefined = '/v1/pets?sort=age&limit=2'; path; ) {
    const page: Awaited<ReturnType<typeof get>> = await get(path)
    found.push(...idsIn(page))
    path = /<http:\/\/[^/]+(\/[^>]*)>; rel="next"/.exec(String(page.headers.link))?.[1]
  }
  assert.deepEqual(found, [6, 4, 3, 7, 2, 1, 5])
})

const [SOLD, AVAILABLE] = [3_000, 5_200]

/** Adds animals. Those that were published first are sold. */
async function addManyAnimals({ databaseUrl, service }: TestApp): Promise<void> {
  const rows = Array.from({ length: SOLD + AVAILABLE }, (_, index) => ({
    ...{ name: 'Rex', category_id: 1, status: index < SOLD ? 'sold' : 'available' },
    ...{ created_at: 0, updated_at: 0, version: 1 },
    // Groups of three animals were published at the same time.
    published_at: 1_000 + Math.floor(index / 3),
  }))
  const { db, close } = await openForCommand(databaseUrl)
  for (let from = 0; from < rows.length; from += 400) {
    const part = rows.slice(from, from + 400)
    await db.insertInto('pet').values(part).execute()
  }
  await close()
  await doJobs(service.context)
}

test('GET /v1/pets with more matches than are sorted in memory: finds each animal once, and does not block other requests', async (t) => {
  const app = await startApp(t, { key: KEY })
  await addManyAnimals(app)
  const expected = Array.from({ length: AVAILABLE }, (_, index) => SOLD + index + 1)
  for (const [sort, ids] of [
    ['publishedAt', expected],
    ['-publishedAt', expected.toReversed()],
  ] as const) {
    const found: number[] = []
    let next = `/v1/pets?status=available&sort=${sort}&limit=100&fields=id`
    while (next) {
      const answer = await app.get(next)
      found.push(...idsIn(answer))
      next = /<[^>]*(\/v1\/[^>]*)>; rel="next"/.exec(String(answer.headers.link))?.[1] ?? ''
    }
    assert.deepEqual(found, ids, sort)
  }
  const { db } = app.service.context
  if (dialectOf(db).engine !== 'sqlite') return
  let turns = 0
  const stop = new AbortController()
  const count = async () => {
    for (; !stop.signal.aborted; turns += 1) await new Promise(setImmediate)
  }
  const counting = count()
  const tokenQuery = { clauses: [{ tokens: [token('status', 'available')] }] }
  const rows = await readCandidates(db, { tokenQuery, key: 'published', direction: 'asc', limit: 10 })
  stop.abort()
  await counting
  assert.equal(rows[0]?.id, SOLD + 1)
  // The last turn is the one that ends the counting.
  assert.ok(turns > 1, `${turns} turns of the event loop`)
})

test('GET /v1/pets with four filters finds animals whose ids are far apart, in every order', async (t) => {
  const { get, post, databaseUrl } = await startApp(t, { key: KEY })
  const members = { categoryId: 1, status: 'available', sex: 'male', size: 'small' }
  const ids: number[] = []
  for (const [index, name] of ['Cid', 'Ada', 'Dot', 'Bo'].entries()) {
    ids.push((await post('/v1/pets', { ...members, name })).body.id)
    await setNextPetId(databaseUrl, (index + 1) * 600_000)
  }
  const [cid, ada, dot, bo] = ids
  const filters = 'categoryId=1&status=available&sex=male&size=small'
  for (const [sort, expected] of [
    ['id', [cid, ada, dot, bo]],
    ['-id', [bo, dot, ada, cid]],
    ['name', [ada, bo, cid, dot]],
    ['-publishedAt', [bo, dot, ada, cid]],
  ] as const) {
    assert.deepEqual(idsIn(await get(`/v1/pets?${filters}&sort=${sort}`)), expected, sort)
    const page = await get(`/v1/pets?${filters}&sort=${sort}&limit=2`)
    assert.deepEqual(idsIn(page), expected.slice(0, 2), sort)
    const [, next = ''] = /<http:\/\/[^/]+([^>]*)>; rel="next"/.exec(String(page.headers.link)) ?? []
    assert.deepEqual(idsIn(await get(next)), expected.slice(2), sort)
  }
  assert.equal((await get(`/v1/pets/facets?${filters}&facet=sex`)).body.matches, ids.length)
})
