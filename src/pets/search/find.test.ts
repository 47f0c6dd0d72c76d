import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, assertError } from '../../testing/client.ts'
import { startApp, UNLIMITED } from '../../testing/start-app.ts'
import { mostCounted } from './facets.ts'

const KEY = { ...UNLIMITED, access: 'admin' } as const

function idsIn({ status, text, body }: Answer): number[] {
  assert.equal(status, 200, text)
  return body.map(({ id }: { id: number }) => id)
}

test('GET /v1/pets takes each moment of a date-time, leap seconds too, and refuses what is none', async (t) => {
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
    assert.match(answer.text, /"This must be a time with its offset/)
  }
})

test('GET /v1/pets with a range of days that has none finds nobody, also at the ends of all years', async (t) => {
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

test('GET /v1/pets counts the words of q as it looks for them, and finds nobody by none', async (t) => {
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

test('GET /v1/pets finds text without spaces by each letter and each two in a row, up to 2,000 words', async (t) => {
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

test('of more values than a facet shows those that most have are shown, in order', async (t) => {
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

test('others get their turn while the most of very many values are picked', async () => {
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

test('the last word of q may be the beginning of one, wherever else it stands unless a sign ends it', async (t) => {
  const { get, post } = await startApp(t, { key: KEY })
  await post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'available', description: 'many words' })
  for (const q of ['wor many wor', 'many wor ', 'many wor'])
    assert.deepEqual(idsIn(await get(`/v1/pets?q=${encodeURIComponent(q)}`)), [1], q)
  for (const q of ['wor many', 'many wo', 'wor many wo', 'many wor.'])
    assert.deepEqual(idsIn(await get(`/v1/pets?q=${encodeURIComponent(q)}`)), [], q)
})

test('sort=age sorts by birth date within an age group, and those of unknown date behind these', async (t) => {
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
