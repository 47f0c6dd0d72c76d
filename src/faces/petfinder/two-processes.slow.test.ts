import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scratchDatabase } from '../../testing/postgres.ts'
import { NEEDS_REDIS, startRedis } from '../../testing/redis.ts'
import { startApp, UNLIMITED } from '../../testing/start-app.ts'
import { startV2 } from '../../testing/v2.ts'

// The reading process sees a commit of the other one before it knows that something has changed.
test('GET /v2/animals while another process changes animals: clients miss none', NEEDS_REDIS, async (t) => {
  const [databaseUrl, redis] = [await scratchDatabase(t), await startRedis(t)]
  const settings = { REDIS_URL: `redis://127.0.0.1:${redis.port}` }
  const { addReader } = await startV2(t, { settings, databaseUrl, key: UNLIMITED }, UNLIMITED)
  const other = await startApp(t, { settings, databaseUrl, key: { ...UNLIMITED, access: 'admin' } })
  let added = 0
  const add = async (): Promise<number> => {
    other.clock.now += 1_000
    added += 1
    const place = { latitude: 39 + ((added * 37) % 100) / 100, longitude: -105 }
    const pet = { name: `Rex ${added}`, categoryId: 1, status: 'available', place }
    return (await other.post('/v1/pets', pet)).body.id
  }
  const listed: number[] = []
  while (listed.length < 30) listed.push(await add())
  const left = new Set<number>()
  const readers = await Promise.all([addReader(), addReader(), addReader()])
  let changes = 0
  const change = async (): Promise<void> => {
    changes += 1
    if (changes % 3 === 0) listed.push(await add())
    if (changes % 2 === 0 || listed.length < 20) return
    const [gone = 0] = listed.splice((changes * 7) % listed.length, 1)
    left.add(gone)
    assert.equal((await other.patch(`/v1/pets/${gone}`, { status: 'sold' })).status, 200)
  }

  for (const sort of [
    'recent',
    '-recent',
    'distance',
    '-distance',
    'recent',
    '-recent',
    'distance',
    '-distance',
  ]) {
    // A cached page of another process may be 250 ms old.
    for (const read of readers)
      while (
        (await read(`/animals?sort=${sort}&location=39,-105`)).body.pagination.total_count !== listed.length
      );
    const before = [...listed]
    const all = await Promise.all(
      readers.map(async (read) => {
        const seen: number[] = []
        for (let page = 1; ; page += 1) {
          const answer = await read(`/animals?location=39,-105&sort=${sort}&limit=5&page=${page}`)
          assert.equal(answer.status, 200, answer.text)
          seen.push(...answer.body.animals.map(({ id }: { id: number }) => id))
          if (!answer.body.pagination._links?.next) return seen
          await change()
        }
      }),
    )
    for (const seen of all)
      assert.deepEqual(
        before.filter((id) => !left.has(id) && !seen.includes(id)),
        [],
        sort,
      )
  }
})
