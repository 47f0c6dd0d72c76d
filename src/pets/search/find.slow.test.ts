import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkSearch, compareSearches, readAll } from '../../testing/search-checks.ts'
import { startApp, UNLIMITED } from '../../testing/start-app.ts'

const seed = Number(process.env.SEARCH_SEED ?? Date.now() % 1e6)
const [ANIMALS, SEARCHES] = [120, 150]
const KEY = { ...UNLIMITED, access: 'admin' } as const

test(`random searches return the same animals, in the same order, as the reference search (seed ${seed})`, async (t) => {
  const app = await startApp(t, { key: KEY })
  const hits = await compareSearches([app], { seed, animals: ANIMALS, searches: SEARCHES })
  // Searches that find nothing would prove little.
  assert.ok(hits > SEARCHES / 4, `${hits} of ${SEARCHES} searches found something`)
})

test('a prefix that matches more words than a page may read finds animals on the first page, in every order', async (t) => {
  const { get, post, patch } = await startApp(t, { key: KEY })
  const [animals, words] = [420, 500]
  // The newest animals do not match, and they are more than a search may test for one page.
  const fits = (index: number): boolean => index < 132
  for (let index = 0; index < animals; index += 1) {
    const others = Array.from({ length: words }, (_, word) =>
      fits(index) ? `aaa${index * words + word}` : `bbb${word}`,
    )
    await post('/v1/pets', {
      name: index % 40 === 0 ? 'Aaaron' : 'Rex',
      ...{ categoryId: 1, status: fits(index) ? 'available' : 'pending', sex: index % 8 ? 'male' : 'female' },
      place: { latitude: 52, longitude: index % 2 },
      description: others.join(' '),
    })
  }
  assert.equal((await get('/v1/pets?q=rex+aaa&status=available&limit=1')).body.length, 1)
  // One animal no longer matches, and another one matches now.
  await patch('/v1/pets/131', { description: 'zzz' })
  await patch(`/v1/pets/${animals}`, { description: 'aaa9' })
  const seen = await readAll(get)
  const near = { near: ['52,0'], point: { latitude: 52, longitude: 0 } }
  const q = ['aaa']
  for (const filters of [
    ...['-id', 'id', 'name', 'age', '-publishedAt'].map((sort) => ({ q, sort: [sort] })),
    ...[
      { q, ...near, sort: ['distance'] },
      { q, sex: ['male'] },
      { q, publishedAfter: ['2026-01-01T00:00:00Z'] },
    ],
    ...[{ q: ['rex aaa'] }, { q: ['bbb'] }, { q: ['aaa7'] }],
  ])
    assert.ok(await checkSearch(get, { filters, limit: 50 }, seen, []), JSON.stringify(filters))
})
