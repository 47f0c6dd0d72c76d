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
import { each, insist, LOST_RETRY_MS, repeat } from '../lab/parallel.ts'
import { randomOf, reached, rounds, seed } from '../lab/rounds.ts'
import { newService, type Service } from '../lab/service.ts'
import { assertSound, type On, onEach } from '../lab/stores.ts'

const ROUNDS = rounds(200)
const CLIENTS = 8
const LONGEST_LIFE_MS = 1_000
const SEARCH_EVERY_MS = 5
const QUESTIONS = 24
/** So many that a search brings the index up to date when all of them have changed. */
const ANIMALS = 1_200
const TOUCH_EVERY_MS = 50
/** Few pages: the walk of pages is what src/pets/search/find.slow.test.ts is for. */
const LIMIT = 100

type Body = Record<string, unknown>

/** No organization is there, and a status changes in one direction alone. */
function bodies(count: number, from: number): Body[] {
  return fc.sample(animal, { numRuns: count, seed: from }).map(({ organizationId: _, ...body }: Body) => body)
}

/** Creates, changes and removes animals, as many as come, until the service is gone. */
function startClients(service: Service, round: number) {
  const random = randomOf(round)
  const sent = bodies(500, seed + round)
  let next = 0
  const change = async (): Promise<void> => {
    next += 1
    const body = sent[next % sent.length] as Body
    const { status: _, ...after } = body
    const path = `/v1/pets/${random.whole(1, ANIMALS)}`
    const what = random.whole(0, 9)
    if (what < 2) await service.ask('/v1/pets', { body })
    else if (what < 8) await service.ask(path, { method: 'PATCH', body: after })
    else await service.ask(path, { method: 'DELETE' })
  }
  const again = (work: () => Promise<unknown>) => () => work().catch(() => pause(LOST_RETRY_MS))
  const working = repeat(CLIENTS, again(change), 1)
  const searching = repeat(
    1,
    again(() => service.ask('/v1/pets?q=rex')),
    SEARCH_EVERY_MS,
  )
  return async (): Promise<void> => {
    await Promise.all([working.stop(), searching.stop()])
  }
}

/** Beside the service, has all animals taken in anew all the time: each search then finds that it is due. */
async function startTouching(databaseUrl: string): Promise<() => Promise<void>> {
  const { db, close } = await openForCommand(databaseUrl)
  const touch = () => sql`update pet set updated_at = updated_at`.execute(db).catch(() => undefined)
  const touching = repeat(1, touch, TOUCH_EVERY_MS)
  return async () => {
    await touching.stop()
    await close()
  }
}

/** Brings the index up to date. */
async function index(databaseUrl: string): Promise<void> {
  const { write, close } = await openForCommand(databaseUrl, changes)
  try {
    while (await write(changes.indexAnimals));
  } finally {
    await close()
  }
}

/** @returns how many questions found something */
async function checkAll(service: Service, round: number): Promise<number> {
  const get = (path: string) => insist(() => service.ask(path))
  const seen = await readAll(get)
  let found = 0
  await each(fc.sample(search, { numRuns: QUESTIONS, seed: seed + round }), CLIENTS, async (question) => {
    if (await checkSearch(get, { ...question, limit: LIMIT }, seen, [])) found += 1
  })
  return found
}

/** @returns how many answers were a 503: for no other reason than a PostgreSQL that is too busy to answer in time */
function refusalsIn(log: string): number {
  const reasons = [...log.matchAll(/"reason":"(.*?)".*"msg":"service_unavailable"/g)].map(
    ([, reason]) => reason,
  )
  for (const reason of reasons) assert.match(String(reason), /timeout/)
  return reasons.length
}

async function killAgainAndAgain(t: TestContext, { stores, part }: On): Promise<void> {
  const random = randomOf(100 + part)
  const settings = { ...stores, LOG_LEVEL: 'error' }
  const service = await newService(t, { settings, key: { access: 'admin', ...UNLIMITED } })
  await service.start()
  await each(bodies(ANIMALS, seed), CLIENTS, (body) => service.ask('/v1/pets', { body }))
  await service.end('SIGKILL')
  let [found, refused] = [0, 0]
  for (let round = 0; round < ROUNDS; round += 1) {
    const stopTouching = await startTouching(stores.DATABASE_URL)
    await service.start()
    const stop = startClients(service, round * 2 + part)
    await pause(random.whole(100, LONGEST_LIFE_MS))
    await service.end('SIGKILL')
    await stop()
    await stopTouching()
    await service.start()
    found += await checkAll(service, round)
    await index(stores.DATABASE_URL)
    found += await checkAll(service, round)
    const { stderr } = await service.end('SIGKILL')
    refused += refusalsIn(stderr)
  }
  assertSound(stores.DATABASE_URL)
  // Questions that find nothing would prove little.
  assert.ok(found > ROUNDS, `${found} questions found something`)
  const met = `${found} with results, ${refused} answers with 503`
  reached(t, `0 of ${ROUNDS * QUESTIONS * 2} searches differ after ${ROUNDS} kills, ${met}`)
}

onEach('however often it is killed, a search finds what looking at each animal finds', killAgainAndAgain)
