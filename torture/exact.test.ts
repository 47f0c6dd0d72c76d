import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { NewKey } from '../src/keys/store.ts'
import { PLANS } from '../src/plans.ts'
import { makeKey, startApp } from '../src/testing/start-app.ts'
import { countExcuses, isHung, mostExcused, untilPrompt } from './exact-excuses.ts'
import { connections, figuresOf, makeKeys, type Server, serveMany, type Timed } from './exact-services.ts'
import { randomOf, reached, rounds } from './given.ts'
import type { Random } from './random.ts'
import { STORES } from './stores.ts'

/** Each is the first window of a key of its own, so that many pass in one real minute. */
const WINDOWS = rounds(1_000)
/** More than 100 would ban the key: the others are for those that ask again. */
const MOST_REFUSED = 60
const MOST_IN_VAIN = 20
/** Nobody is asked again to give back what he just did not; src/limits/redis-ask.ts. */
const VAIN_MS = 250
/** Well inside of the window. */
const MOST_ASKING_MS = 20_000

for (const [part, stores] of STORES.entries()) {
  const { skip, name } = stores
  const [processes, most] = part === 0 ? [1, 1] : [4, 16]
  test(`every window serves exactly its limit: ${processes} × 64 connections on ${name}`, { skip }, (t) =>
    countWindows(t, { part, processes, perServer: 64, windows: WINDOWS }),
  )
  if (most === processes) continue
  const tooFew = WINDOWS <= 100 && 'sixteen processes take longer to start than so few windows last'
  test(
    `every window serves exactly its limit: ${most} × 32 connections on ${name}`,
    {
      skip: skip || tooFew,
    },
    (t) => countWindows(t, { part: part + 10, processes: most, perServer: 32, windows: WINDOWS / 10 }),
  )
}

interface Load {
  part: number
  processes: number
  perServer: number
  windows: number
}

async function countWindows(t: TestContext, { part, processes, perServer, windows }: Load): Promise<void> {
  const random = randomOf(part)
  const stores = STORES[part % 10]
  assert.ok(stores)
  const settings = await stores.open(t)
  const wanted = Array.from({ length: Math.ceil(windows) + mostExcused(windows) }, () => anyKey(random))
  const servers = await serveMany(t, processes, settings)
  const keys = await makeKeys(settings.DATABASE_URL, wanted)
  const connected = connections(t, perServer)
  // In one process nothing explains a request too few.
  const excuses = settings.REDIS_URL === undefined ? undefined : countExcuses(windows, servers)
  let [exact, served, refused, unjudged] = [0, 0, 0, 0]
  for (const [place, wantedKey] of wanted.entries()) {
    if (exact >= windows) break
    const limit = limitOf(wantedKey)
    const sent = Math.max(1, limit + random.whole(-20, MOST_REFUSED))
    // Sometimes one process has it all, as when a client keeps one connection.
    const used = random.often(0.2) ? [random.pick(servers)] : servers
    const to = Array.from({ length: sent }, () => random.pick(used).address)
    const ask = (address: string): Promise<Timed> => connected.get(address, '/v1/pets?limit=1', keys[place])
    if (excuses) await untilPrompt(connected, servers)
    const began = Date.now()
    const answers = await Promise.all(to.map(ask))
    const count = (status: number): number => answers.filter((answer) => answer.status === status).length
    const about = `${sent} sent to a limit of ${limit}: ${JSON.stringify([200, 429, 503].map(count))}`
    served += count(200)
    refused += count(429)
    assert.ok(count(200) <= limit, about)
    unjudged += count(503)
    assert.equal(count(200) + count(429) + (excuses ? count(503) : 0), sent, about)
    if (count(200) === Math.min(sent, limit)) exact += 1
    else {
      assert.ok(excuses, about)
      served += await askOn(limit - count(200), servers, ask)
      await excuses.add({ difference: new Error(about), hung: answers.some(isHung), began })
    }
  }
  const figure = `${exact} windows full at once, ${served} served, ${refused} refused: never one over, none short`
  reached(t, excuses ? `${figure}; ${unjudged} answered 503; ${excuses.figure()}` : figure)
}

/**
 * What was refused early is there as soon as nobody hangs any more: none of it is lost, and there is no more.
 *
 * @param left of the limit
 */
async function askOn(
  left: number,
  servers: Server[],
  ask: (address: string) => Promise<Timed>,
): Promise<number> {
  let [served, inVain] = [0, 0]
  const began = performance.now()
  while (served < left && inVain < MOST_IN_VAIN && performance.now() - began < MOST_ASKING_MS) {
    await pause(VAIN_MS)
    // Each of them may have to say first that it did not serve what Redis has charged.
    for (const { address } of servers) {
      let { status } = await ask(address)
      for (; status === 200; { status } = await ask(address)) served += 1
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

for (const [part, stores] of STORES.entries()) {
  const { skip } = stores
  test(`each request around an edge counts in exactly one window, on ${stores.name}`, { skip }, async (t) => {
    const random = randomOf(part + 20)
    const { DATABASE_URL: databaseUrl, ...settings } = await stores.open(t)
    const apps = [await startApp(t, { databaseUrl, settings })]
    if (part > 0) apps.push(await startApp(t, { databaseUrl, settings }))
    // Their clock, which is that of the store too, is moved while requests are under way.
    const pass = (milliseconds: number): void => {
      for (const { clock } of apps) clock.now += milliseconds
    }
    const limit = random.whole(BURST / 8, BURST / 2)
    const limits = { perMinute: limit, perDay: 1e9 }
    const key = await makeKey(databaseUrl, { plan: 'enterprise', limits })
    const { get } = connections(t, BURST)
    const ask = () => get(`http://127.0.0.1:${random.pick(apps).port}`, '/v1/pets?limit=1', key)

    const excuses = part === 0 ? undefined : countExcuses(WINDOWS, [])
    let [edges, split] = [0, 0]
    while (edges < WINDOWS) {
      pass(MINUTE_MS)
      const first = await ask()
      pass(MINUTE_MS - EDGE_MS)
      const asked: Promise<Timed>[] = []
      for (let millisecond = 0; millisecond < 2 * EDGE_MS; millisecond += 1) {
        while (asked.length < (BURST * (millisecond + 1)) / (2 * EDGE_MS)) asked.push(ask())
        await pause(random.whole(0, 3))
        pass(1)
      }
      const answers = [first, ...(await Promise.all(asked))]
      assertNeverOver(answers, limit)
      try {
        split += assertCountedOnce(answers, limit)
        edges += 1
      } catch (difference) {
        if (!excuses) throw difference
        await excuses.add({ difference, hung: answers.some(isHung), began: Date.now() })
      }
    }
    const figure = `${edges} edges, ${split} with requests on both sides: each counted in one window`
    reached(t, excuses ? `${figure}; ${excuses.figure()}` : figure)
  })
}

/** Whatever has failed: what was served lies in the two windows, in none of them more than its limit. */
function assertNeverOver(answers: Timed[], limit: number): void {
  const served = answers.filter(({ status }) => status === 200)
  const windows = Map.groupBy(served, (answer) => figuresOf(answer).reset)
  assert.ok(windows.size <= 2, `windows end at ${[...windows.keys()]}`)
  for (const [reset, { length }] of windows) assert.ok(length <= limit, `${length} until ${reset}`)
}

/** @returns 1 when the requests came to lie in two windows, else 0 */
function assertCountedOnce(answers: Timed[], limit: number): number {
  const windows = Map.groupBy(answers, (answer) => figuresOf(answer).reset)
  assert.ok(windows.size <= 2, `windows end at ${[...windows.keys()]}`)
  assert.ok(!answers.some(({ status }) => status === 503), 'not judged')
  for (const [reset, members] of windows) {
    const served = members.filter(({ status }) => status === 200)
    const left = served.map((answer) => figuresOf(answer).remaining).sort((one, two) => two - one)
    // As many fewer each time: none of them counted twice, none not at all, and none in the other window.
    assert.deepEqual(
      left,
      left.map((_, place) => limit - 1 - place),
      `window until ${reset}`,
    )
    const full = served.length === members.length || served.length === limit
    assert.ok(full, `${served.length} of ${members.length} served of ${limit}`)
  }
  return windows.size - 1
}
