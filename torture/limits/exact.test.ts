import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { NewKey } from '../../src/keys/store.ts'
import { PLANS } from '../../src/plans.ts'
import { makeKey, startApp } from '../../src/testing/start-app.ts'
import { times } from '../lab/parallel.ts'
import type { Random } from '../lab/random.ts'
import { randomOf, reached, rounds } from '../lab/rounds.ts'
import type { Service } from '../lab/service.ts'
import { makeKeys, type On, onEach, SERVERS } from '../lab/stores.ts'
import { looker, type Seen, startServices } from './answers.ts'
import { countExcuses, mostExcused, untilPrompt } from './excuses.ts'

/** Each is the first window of a key of its own, so that many pass in one real minute. */
const WINDOWS = rounds(1_000)
/** More than 100 would ban the key: the others are for those that ask again. */
const MAX_REFUSED = 60
const MAX_IN_VAIN = 20
/** Nobody is asked again to give back what he just did not. */
const VAIN_MS = 250
/** Well inside of the window. */
const MAX_ASKING_MS = 20_000

onEach('every window serves exactly its limit, of 64 connections to each process', (t, on) =>
  countWindows(t, on, { processes: on.embedded ? 1 : 4, perService: 64, windows: WINDOWS }),
)

const TOO_FEW = WINDOWS <= 100 && 'sixteen processes take longer to start than so few windows last'
test(`every window serves exactly its limit: 16 × 32 connections on ${SERVERS.name}`, {
  skip: SERVERS.skip || TOO_FEW,
}, async (t) => {
  const on = { stores: await SERVERS.open(t), embedded: false, part: 11 }
  await countWindows(t, on, { processes: 16, perService: 32, windows: WINDOWS / 10 })
})

interface Load {
  processes: number
  perService: number
  windows: number
}

async function countWindows(t: TestContext, on: On, { processes, perService, windows }: Load): Promise<void> {
  const random = randomOf(on.part)
  const wanted = times(Math.ceil(windows) + mostExcused(windows), () => anyKey(random))
  const services = await startServices(t, processes, on.stores)
  const keys = await makeKeys(on.stores.DATABASE_URL, wanted)
  const look = looker(t, perService)
  const excuses = countExcuses(windows, services, on.embedded)
  let [exact, served, refused, unjudged] = [0, 0, 0, 0]
  for (const [place, wantedKey] of wanted.entries()) {
    if (exact >= windows) break
    const limit = limitOf(wantedKey)
    const sent = Math.max(1, limit + random.whole(-20, MAX_REFUSED))
    // Sometimes one process has it all, as when a client keeps one connection.
    const used = random.often(0.2) ? [random.pick(services)] : services
    const ask = ({ address }: Service): Promise<Seen> => look(address, keys[place])
    if (!on.embedded) await untilPrompt(look, services)
    const seen = await Promise.all(times(sent, () => ask(random.pick(used))))
    const count = (status: number): number => seen.filter((one) => one.status === status).length
    const about = `${sent} sent to a limit of ${limit}: ${JSON.stringify([200, 429, 503].map(count))}`
    served += count(200)
    refused += count(429)
    assert.ok(count(200) <= limit, about)
    unjudged += count(503)
    assert.equal(count(200) + count(429) + (on.embedded ? 0 : count(503)), sent, about)
    if (count(200) === Math.min(sent, limit)) exact += 1
    else {
      // In one process nothing explains a request too few.
      assert.ok(!on.embedded, about)
      served += await askOn(limit - count(200), services, ask)
      await excuses.add({ difference: new Error(about), seen })
    }
  }
  const figure = `${exact} windows full at once, ${served} served, ${refused} refused: never one over, none short`
  reached(t, `${figure}; ${unjudged} answered 503${excuses.figure}`)
}

/**
 * What was refused early is there as soon as nobody hangs any more: none of it is lost, and there is no more.
 *
 * @param left of the limit
 */
async function askOn(left: number, services: Service[], ask: (service: Service) => Promise<Seen>) {
  let [served, inVain] = [0, 0]
  const began = performance.now()
  while (served < left && inVain < MAX_IN_VAIN && performance.now() - began < MAX_ASKING_MS) {
    await pause(VAIN_MS)
    // Each of them may have to say first that it did not serve what Redis has charged.
    for (const service of services) {
      let { status } = await ask(service)
      for (; status === 200; { status } = await ask(service)) served += 1
      if (status === 429) inVain += 1
    }
  }
  assert.equal(served, left, 'of what was refused early so much came back')
  return served
}

/** Of each plan; an enterprise key often with a day that is shorter than its minute. */
function anyKey(random: Random): Partial<NewKey> {
  const plan = random.weighed([
    [12, 'free'],
    [3, 'pro'],
    [1, 'business'],
    [4, 'enterprise'],
  ] as const)
  if (plan !== 'enterprise') return { plan }
  return { plan, limits: { perMinute: random.whole(1, 150), perDay: random.whole(1, 150) } }
}

function limitOf({ plan = 'free', limits }: Partial<NewKey>): number {
  const figures = PLANS[plan]
  const { perMinute, perDay } = figures === 'custom' ? (limits ?? PLANS.free) : figures
  return Math.min(perMinute, perDay)
}

const MINUTE_MS = 60_000
const EDGE_MS = 5
const BURST = 64

/** Services whose clock, which is that of the store too, is moved while requests are under way. */
async function startClocked(t: TestContext, on: On, limit: number) {
  const { DATABASE_URL: databaseUrl, ...settings } = on.stores
  const apps = [await startApp(t, { databaseUrl, settings })]
  if (!on.embedded) apps.push(await startApp(t, { databaseUrl, settings }))
  const limits = { perMinute: limit, perDay: 1e9 }
  const key = await makeKey(databaseUrl, { plan: 'enterprise', limits })
  const look = looker(t, BURST)
  return {
    ask: (number: number) => look(`http://127.0.0.1:${apps[number % apps.length]?.port}`, key),
    pass(milliseconds: number): void {
      for (const { clock } of apps) clock.now += milliseconds
    },
  }
}

onEach('each request around an edge counts in exactly one window', async (t, on) => {
  const random = randomOf(on.part + 20)
  const limit = random.whole(BURST / 8, BURST / 2)
  const { ask, pass } = await startClocked(t, on, limit)
  const excuses = countExcuses(WINDOWS, [], on.embedded)
  const any = () => ask(random.whole(0, 1))
  let [edges, split] = [0, 0]
  while (edges < WINDOWS) {
    pass(MINUTE_MS)
    const first = await any()
    pass(MINUTE_MS - EDGE_MS)
    const asked: Promise<Seen>[] = []
    for (let millisecond = 0; millisecond < 2 * EDGE_MS; millisecond += 1) {
      while (asked.length < (BURST * (millisecond + 1)) / (2 * EDGE_MS)) asked.push(any())
      await pause(random.whole(0, 3))
      pass(1)
    }
    const seen = [first, ...(await Promise.all(asked))]
    assertNeverOver(seen, limit)
    try {
      split += assertCountedOnce(seen, limit)
      edges += 1
    } catch (difference) {
      await excuses.add({ difference, seen })
    }
  }
  const figure = `${edges} edges, ${split} with requests on both sides: each counted in one window`
  reached(t, figure + excuses.figure)
})

/** Whatever has failed: what was served lies in the two windows, in none of them more than its limit. */
function assertNeverOver(seen: Seen[], limit: number): void {
  const served = seen.filter(({ status }) => status === 200)
  const windows = Map.groupBy(served, ({ reset }) => reset)
  assert.ok(windows.size <= 2, `windows end at ${[...windows.keys()]}`)
  for (const [reset, { length }] of windows) assert.ok(length <= limit, `${length} until ${reset}`)
}

/** @returns 1 when the requests came to lie in two windows, else 0 */
function assertCountedOnce(seen: Seen[], limit: number): number {
  const windows = Map.groupBy(seen, ({ reset }) => reset)
  assert.ok(windows.size <= 2, `windows end at ${[...windows.keys()]}`)
  assert.ok(!seen.some(({ status }) => status === 503), 'not judged')
  for (const [reset, members] of windows) {
    const served = members.filter(({ status }) => status === 200)
    const left = served.map(({ remaining }) => remaining).sort((one, two) => two - one)
    // As many fewer each time: none of them counted twice, none not at all, and none in the other window.
    const expected = left.map((_, place) => limit - 1 - place)
    assert.deepEqual(left, expected, `window until ${reset}`)
    const full = served.length === members.length || served.length === limit
    assert.ok(full, `${served.length} of ${members.length} served of ${limit}`)
  }
  return windows.size - 1
}

/** Of a key that many use, minute after minute; the second figure is refused in each, and does not yet ban. */
const [LIMIT, TOO_MANY] = [1_000, 90]
const AFTER_EACH_OTHER = Math.max(1, Math.ceil(WINDOWS / 10))

test(`two services with 64 connections each on one key: exactly ${LIMIT} in each window after another`, {
  skip: SERVERS.skip,
}, async (t) => {
  const on = { stores: await SERVERS.open(t), embedded: false, part: 0 }
  const { ask, pass } = await startClocked(t, on, LIMIT)
  for (let window = 0; window < AFTER_EACH_OTHER; window += 1) {
    const seen = await Promise.all(times(LIMIT + TOO_MANY, ask))
    const counts = [200, 429].map((status) => seen.filter((one) => one.status === status).length)
    assert.deepEqual(counts, [LIMIT, TOO_MANY], `window ${window}`)
    pass(MINUTE_MS)
  }
  reached(t, `${LIMIT} in each of ${AFTER_EACH_OTHER} windows`)
})
