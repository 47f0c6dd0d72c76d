import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { UNLIMITED } from '../../testing/start-app.ts'
import { startV2 } from '../../testing/v2.ts'

// Pages of GET /v2/animals while animals are added and leave.

type ReadPath = Awaited<ReturnType<typeof startV2>>['read']

async function startPages(t: TestContext) {
  const app = await startV2(t, { key: UNLIMITED }, UNLIMITED)
  let added = 0
  const add = async (): Promise<number> => {
    app.clock.now += 1_000
    added += 1
    // New animals are the newest, and somewhere in the middle of the list by distance.
    const place = { latitude: 39 + ((added * 37) % 100) / 100, longitude: -105 }
    const pet = { name: `Rex ${added}`, categoryId: 1, status: 'available', place }
    const { status, body, text } = await app.post('/v1/pets', pet)
    assert.equal(status, 201, text)
    return body.id
  }
  const addAll = async (count: number): Promise<number[]> => {
    const ids: number[] = []
    while (ids.length < count) ids.push(await add())
    return ids
  }
  const leave = async (id: number): Promise<void> => {
    assert.equal((await app.patch(`/v1/pets/${id}`, { status: 'sold' })).status, 200)
  }
  return { ...app, add, addAll, leave }
}

async function readPage(read: ReadPath, query: string, page: number) {
  const answer = await read(`/animals?${query}&page=${page}`)
  assert.equal(answer.status, 200, answer.text)
  const ids: number[] = answer.body.animals.map(({ id }: { id: number }) => id)
  return { ids, ...answer.body.pagination }
}

/** Reads page after page while there is a link to the next one. @param between runs after each page */
async function readAll(
  read: ReadPath,
  query: string,
  between = async (_seen: number[]) => {},
): Promise<number[]> {
  const seen: number[] = []
  for (let page = 1; ; page += 1) {
    const { ids, _links } = await readPage(read, query, page)
    seen.push(...ids)
    if (!_links?.next) return seen
    await between(seen)
  }
}

const ORDERS = [
  'sort=recent',
  'sort=-recent',
  ...['', '-'].map((sign) => `location=39,-105&sort=${sign}distance`),
]
const sorted = (ids: number[]): number[] => ids.toSorted((one, other) => one - other)

test('GET /v2/animals after an animal was added between two pages: the pages of every client have each animal once', async (t) => {
  const { add, addAll, read, addReader } = await startPages(t)
  const other = await addReader()
  const all = await addAll(39)
  for (const order of ORDERS) {
    await readPage(read, order, 1)
    all.push(await add())
    const second = await readPage(read, order, 2)
    const first = await readPage(read, order, 1)
    const rest = []
    for (let page = 3; page <= second.total_pages; page += 1)
      rest.push(...(await readPage(read, order, page)).ids)
    assert.deepEqual(sorted([...first.ids, ...second.ids, ...rest]), all, order)
    for (const one of [other, read, await addReader()])
      assert.deepEqual(sorted(await readAll(one, order)), all, order)
  }
})

test('GET /v2/animals read page by page while animals leave the list: the client misses no other animal', async (t) => {
  const { addAll, leave, read, addReader } = await startPages(t)
  const other = await addReader()
  let all = await addAll(61)
  for (const order of ORDERS) {
    const gone: number[] = []
    // After each page, an animal that the client has read is adopted, and another client reads everything.
    const seen = await readAll(read, `${order}&limit=6`, async (ids) => {
      const first = ids.find((id) => !gone.includes(id)) as number
      gone.push(first)
      await leave(first)
      await readPage(other, `${order}&limit=6`, 2)
    })
    assert.deepEqual(sorted(seen), all, order)
    all = all.filter((id) => !gone.includes(id))
    assert.deepEqual(sorted(await readAll(other, `${order}&limit=6`)), all, order)
  }
})

test('GET /v2/animals read by several clients during random changes: each reads all animals that stay', async (t) => {
  const { add, addAll, leave, addReader } = await startPages(t)
  const readers = await Promise.all([addReader(), addReader(), addReader()])
  let seed = 7
  const random = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  const listed = new Set(await addAll(30))
  const left = new Set<number>()
  for (let round = 0; round < 8; round += 1) {
    const order = `${ORDERS[round % 4]}&limit=${3 + random(5)}`
    const before = [...listed]
    const seen = await Promise.all(
      readers.map((read) =>
        readAll(read, order, async () => {
          if (random(3) === 0) listed.add(await add())
          const gone = [...listed][random(listed.size)] as number
          if (random(2) === 0 || listed.size < 20) return
          listed.delete(gone)
          left.add(gone)
          await leave(gone)
        }),
      ),
    )
    for (const ids of seen)
      assert.deepEqual(
        before.filter((id) => !left.has(id) && !ids.includes(id)),
        [],
        order,
      )
    for (const read of readers)
      assert.deepEqual(sorted(await readAll(read, order)), sorted([...listed]), order)
  }
})

test('GET /v2/animals?sort=random has one order for each client, which changes after an hour', async (t) => {
  const { add, addAll, read, addReader, askToken, clock } = await startPages(t)
  const all = await addAll(45)
  const other = await addReader()
  const random = (one: ReadPath, limit = 7) => readAll(one, `sort=random&limit=${limit}`)
  const first = await random(read)
  assert.deepEqual(sorted(first), all, 'every animal once')
  const others = await random(other)
  assert.deepEqual(sorted(others), all)
  assert.notDeepEqual(others, first)
  clock.now += 3_500_000
  assert.deepEqual(await random(read), first)
  all.push(await add())
  assert.deepEqual(sorted(await random(read)), all)
  assert.deepEqual(
    (await random(read)).slice(0, 7),
    first.slice(0, 7),
    'a new animal does not move the others',
  )
  clock.now += 100_000
  const authorization = `Bearer ${(await askToken()).body.access_token}`
  const later = await random((path) => read(path, { authorization }))
  assert.notDeepEqual(later.slice(0, 7), first.slice(0, 7))
})
