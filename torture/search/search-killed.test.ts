import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { sql } from 'kysely'
import { changes } from '../../src/changes.ts'
import { openForCommand } from '../../src/db/open-database.ts'
import { checkSearch, readAll } from '../../src/testing/search-checks.ts'
import { animal, search } from '../../src/testing/search-generators.ts'
import { UNLIMITED } from '../../src/testing/start-app.ts'
import { forEachConcurrently, LOST_RETRY_MS, repeat, retryUnavailable } from '../lab/parallel.ts'
import { randomOf, reportFigure, rounds, seed } from '../lab/rounds.ts'
import { newService, type Service } from '../lab/service.ts'
import { assertIntact, type StoreContext, testOnEachStore, withStore } from '../lab/stores.ts'

const ROUNDS = rounds(200)
const CLIENTS = 8
const MAX_LIFE_MS = 1_000
const SEARCH_EVERY_MS = 5
const SEARCHES = 24
/** Enough animals that a search updates the index after all of them have changed. */
const ANIMALS = 1_200
const TOUCH_EVERY_MS = 50
/** Large pages, because src/pets/search/find.slow.test.ts tests paging. */
const LIMIT = 100

type Body = Record<string, unknown>

/** Animals without an organization, because the store has no organization. */
function bodies(count: number, from: number): Body[] {
  return fc.sample(animal, { numRuns: count, seed: from }).map(({ organizationId: _, ...body }: Body) => body)
}

/** Creates, changes and removes animals until the service ends. */
function startClients(service: Service, round: number) {
  const random = randomOf(round)
  const sent = bodies(500, seed + round)
  let next = 0
  const change = async (): Promise<void> => {
    next += 1
    const body = sent[next % sent.length] as Body
    const { status: _, ...after } = body
    const path = `/v1/pets/${random.integer(1, ANIMALS)}`
    const what = random.integer(0, 9)
    if (what < 2) await service.ask('/v1/pets', { body })
    else if (what < 8) await service.ask(path, { method: 'PATCH', body: after })
    else await service.ask(path, { method: 'DELETE' })
  }
  const again = (work: () => Promise<unknown>) => () => work().catch(() => pause(LOST_RETRY_MS))
  const changeLoop = repeat(CLIENTS, again(change), 1)
  const searchLoop = repeat(
    1,
    again(() => service.ask('/v1/pets?q=rex')),
    SEARCH_EVERY_MS,
  )
  return async (): Promise<void> => {
    await Promise.all([changeLoop.stop(), searchLoop.stop()])
  }
}

/** Marks all animals as changed all the time, so each search has to update the index. */
async function startTouching(databaseUrl: string): Promise<() => Promise<void>> {
  const { db, close } = await openForCommand(databaseUrl)
  const touch = () => sql`update pet set updated_at = updated_at`.execute(db).catch(() => undefined)
  const repetition = repeat(1, touch, TOUCH_EVERY_MS)
  return async () => {
    await repetition.stop()
    await close()
  }
}

/** Updates the search index. */
const index = (databaseUrl: string): Promise<void> =>
  withStore(databaseUrl, async ({ write }) => {
    while (await write(changes.indexAnimals));
  })

/** @returns how many searches found something */
async function checkAll(service: Service, round: number): Promise<number> {
  const get = (path: string) => retryUnavailable(() => service.ask(path))
  const seen = await readAll(get)
  let found = 0
  await forEachConcurrently(
    fc.sample(search, { numRuns: SEARCHES, seed: seed + round }),
    CLIENTS,
    async (query) => {
      if (await checkSearch(get, { ...query, limit: LIMIT }, seen, [])) found += 1
    },
  )
  return found
}

/**
 * Asserts that every 503 in the log is a timeout of a busy PostgreSQL.
 *
 * @returns the number of 503
 */
function countRefusals(log: string): number {
  const reasons = [...log.matchAll(/"reason":"(.*?)".*"msg":"service_unavailable"/g)].map(
    ([, reason]) => reason,
  )
  for (const reason of reasons) assert.match(String(reason), /timeout/)
  return reasons.length
}

async function killRepeatedly(t: TestContext, { stores, part }: StoreContext): Promise<void> {
  const random = randomOf(100 + part)
  const settings = { ...stores, LOG_LEVEL: 'error' }
  const service = await newService(t, { settings, key: { access: 'admin', ...UNLIMITED } })
  await service.start()
  await forEachConcurrently(bodies(ANIMALS, seed), CLIENTS, (body) => service.ask('/v1/pets', { body }))
  await service.end('SIGKILL')
  let [found, refused] = [0, 0]
  for (let round = 0; round < ROUNDS; round += 1) {
    const stopTouching = await startTouching(stores.DATABASE_URL)
    await service.start()
    const stop = startClients(service, round * 2 + part)
    await pause(random.integer(100, MAX_LIFE_MS))
    await service.end('SIGKILL')
    await stop()
    await stopTouching()
    await service.start()
    found += await checkAll(service, round)
    await index(stores.DATABASE_URL)
    found += await checkAll(service, round)
    const { stderr } = await service.end('SIGKILL')
    refused += countRefusals(stderr)
  }
  assertIntact(stores.DATABASE_URL)
  // Searches that find nothing prove little.
  assert.ok(found > ROUNDS, `${found} searches found something`)
  const counts = `${found} with results, ${refused} answers with 503`
  reportFigure(t, `0 of ${ROUNDS * SEARCHES * 2} searches differ after ${ROUNDS} kills, ${counts}`)
}

testOnEachStore('kill -9 between changes: a search finds what a scan of all animals finds', killRepeatedly)
