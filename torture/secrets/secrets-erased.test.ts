import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { doJobs, untilScrubbed } from '../../src/testing/jobs.ts'
import { startApp, type TestApp, UNLIMITED } from '../../src/testing/start-app.ts'
import { storedBytes } from '../../src/testing/stored-bytes.ts'
import type { Random } from '../lab/random.ts'
import { randomOf, reportFigure, rounds } from '../lab/rounds.ts'
import { testOnEachStore } from '../lab/stores.ts'

/** Number of adopters on each store. Each adopter takes several requests. */
const ADOPTERS = Math.max(60, Math.min(rounds(2_000), 2_000))
const DAY_MS = 86_400_000
const DECISIONS = ['approved', 'approved', 'completed', 'cancelled']

const markOf = (number: number): string => `erased${number}x`

/** An adopter with texts of random length, up to several database pages. */
function adopterOf(random: Random, number: number) {
  const mark = markOf(number)
  const filling = random.pick(['', ' ', 'ö', '🏡']).repeat(random.integer(0, random.pick([10, 300, 1_900])))
  return { name: `${mark} Adopter`, email: `${mark}@example.org`, message: `${mark} ${filling} ${mark}` }
}

/** Sends a request once or twice, with or without an Idempotency-Key. */
async function ask(app: TestApp, random: Random, method: string, path: string, body: unknown) {
  const headers = {
    'content-type': 'application/json',
    ...(random.chance(0.7) && { 'idempotency-key': String(random.integer(0, 1e9)) }),
  }
  const answer = await app.request(path, { method, headers, body })
  if (headers['idempotency-key'] && random.chance(0.3)) {
    assert.equal((await app.request(path, { method, headers, body })).text, answer.text)
  }
  return answer
}

testOnEachStore(`${ADOPTERS} adopters: no byte of the erased ones is stored or logged`, async (t, on) => {
  const { DATABASE_URL: databaseUrl, ...stores } = on.stores
  const random = randomOf(on.part)
  const app = await startApp(t, {
    databaseUrl,
    settings: { ...stores, ADOPTER_DATA_DAYS: '1', LOG_LEVEL: 'trace' },
    key: { ...UNLIMITED, access: 'admin' },
  })
  const { db } = app.service.context
  // Without compression, so adopters can be found as bytes.
  if (!on.embedded)
    await sql`alter table adoption_order alter column adopter set storage external`.execute(db)
  for (let number = 1; number <= ADOPTERS; number += 1) {
    const pet = await app.post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'available' })
    const order = { petId: pet.body.id, adopter: adopterOf(random, number) }
    assert.equal((await ask(app, random, 'POST', '/v1/store/orders', order)).status, 201)
    for (let decision = random.integer(0, 3); decision > 0; decision -= 1) {
      const path = `/v1/store/orders/${random.integer(1, number)}`
      await ask(app, random, 'PATCH', path, { status: random.pick(DECISIONS) })
    }
    app.clock.now += random.integer(0, DAY_MS / 20)
    if (random.chance(0.02)) await doJobs(app.service.context)
  }
  app.clock.now += 2 * DAY_MS
  await untilScrubbed(app)
  const rows = await db.selectFrom('adoption_order').select(['id', 'status']).orderBy('id').execute()
  await app.stop()

  const open = rows.filter(({ status }) => ['placed', 'approved'].includes(status)).map(({ id }) => id)
  const stored = await storedBytes(databaseUrl)
  const left = new Set([...stored.matchAll(/erased(\d+)x/g)].map(([, number]) => Number(number)))
  const sorted = [...left].sort((a, b) => a - b)
  assert.deepEqual(sorted, open, 'stored adopters other than those of open orders')
  assert.doesNotMatch(app.log.join(''), /erased\d+x/)
  reportFigure(t, `${ADOPTERS - open.length} of ${ADOPTERS} erased, ${stored.length} bytes searched: 0 left`)
})
