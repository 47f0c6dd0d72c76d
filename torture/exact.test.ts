import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { NewKey } from '../src/keys/store.ts'
import { PLANS } from '../src/plans.ts'
import type { Answer } from '../src/testing/client.ts'
import { makeKey, startApp } from '../src/testing/start-app.ts'
import { connections, figuresOf, makeKeys, type Server, serveMany } from './exact-services.ts'
import { randomOf, reached, rounds } from './given.ts'
import type { Random } from './random.ts'
import { STORES } from './stores.ts'

/** Each is the first window of a key of its own, so that many pass in one real minute. */
const WINDOWS = rounds(1_000)
/** One more would ban the key. */
const MOST_REFUSED = 100
/** A process that hangs for so long holds promises that others would need; decision 12. */
const HANGING_MS = 150
/** After that, and where Redis seemed lost, which the log tells, some may be refused too early for so long. */
const AFTERMATH_MS = 10_000

for (const [part, stores] of STORES.entries()) {
  const { skip } = stores
  const [processes, most] = part === 0 ? [1, 1] : [4, 16]
  test(
    `every window serves exactly its limit: ${processes} × 64 connections on ${stores.name}`,
    { skip },
    (t) => countWindows(t, { part, processes, perServer: 64, windows: WINDOWS }),
  )
  // Sixteen processes take longer to start than a short run lasts.
  if (most > processes && WINDOWS > 100) {
    test(`every window serves exactly its limit: ${most} × 32 connections on ${stores.name}`, { skip }, (t) =>
      countWindows(t, { part: part + 10, processes: most, perServer: 32, windows: WINDOWS / 10 }),
    )
  }
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
  const wanted = Array.from({ length: windows }, () => anyKey(random))
  const servers = await serveMany(t, processes, settings)
  const keys = await makeKeys(settings.DATABASE_URL, wanted)
  const { get } = connections(t, perServer)

  const turns = wanted.map((key, place) => {
    const limit = limitOf(key)
    const sent = Math.max(1, limit + random.whole(-20, MOST_REFUSED))
    // Sometimes one process has it all, as when a client keeps one connection.
    const used = random.often(0.2) ? [random.pick(servers)] : servers
    return { key: keys[place], limit, to: Array.from({ length: sent }, () => random.pick(used).address) }
  })
  let [served, refused, short, hungAt] = [0, 0, 0, Number.NEGATIVE_INFINITY]
  for (const { key, limit, to } of turns) {
    const began = performance.now()
    const answers = await Promise.all(to.map((address) => get(address, '/v1/pets?limit=1', key)))
    const count = (status: number): number => answers.filter((answer) => answer.status === status).length
    const about = `${to.length} sent to a limit of ${limit}: ${JSON.stringify([200, 429, 503].map(count))}`
    served += count(200)
    refused += count(429)
    if (performance.now() - began > HANGING_MS) hungAt = performance.now()
    assert.ok(count(200) <= limit, about)
    if (count(200) === Math.min(to.length, limit)) continue
    assert.ok(performance.now() - hungAt < AFTERMATH_MS || seemedLost(servers), about)
    short += 1
  }
  reached(t, `${windows} windows, ${served} served, ${refused} refused: never one over, ${short} short`)
}

function seemedLost(servers: Server[]): boolean {
  return servers.some(({ output }) => {
    const [, time] = /"time":(\d+)(?!.*"time")/s.exec(output.stderr) ?? []
    return Date.now() - Number(time) < AFTERMATH_MS
  })
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

    let [split, alone, hungAt] = [0, 0, Number.NEGATIVE_INFINITY]
    for (let edge = 0; edge < WINDOWS; edge += 1) {
      pass(MINUTE_MS)
      const answers = [await ask()]
      pass(MINUTE_MS - EDGE_MS)
      const began = performance.now()
      const asked: Promise<Answer>[] = []
      for (let millisecond = 0; millisecond < 2 * EDGE_MS; millisecond += 1) {
        while (asked.length < (BURST * (millisecond + 1)) / (2 * EDGE_MS)) asked.push(ask())
        await new Promise((resolve) => setTimeout(resolve, random.whole(0, 3)))
        pass(1)
      }
      answers.push(...(await Promise.all(asked)))
      if (part > 0 && performance.now() - began > HANGING_MS) hungAt = performance.now()
      const hangs = performance.now() - hungAt < AFTERMATH_MS
      if (hangs && answers.some(({ status }) => status === 503)) alone += 1
      else split += assertCountedOnce(answers, limit, hangs)
    }
    const figure = `${WINDOWS} edges, ${split} with requests on both sides: each counted in one window`
    reached(t, alone > 0 ? `${figure}; ${alone} while Redis seemed lost` : figure)
  })
}

/** @returns 1 when the requests came to lie in two windows, else 0 */
function assertCountedOnce(answers: Answer[], limit: number, mayRefuseEarly: boolean): number {
  const windows = Map.groupBy(answers, (answer) => figuresOf(answer).reset)
  assert.ok(windows.size <= 2, `windows end at ${[...windows.keys()]}`)
  for (const [reset, members] of windows) {
    const served = members.filter(({ status }) => status === 200)
    const left = served.map((answer) => figuresOf(answer).remaining).sort((one, two) => two - one)
    // As many fewer each time: none of them counted twice, none not at all, and none in the other window.
    assert.deepEqual(
      left,
      left.map((_, place) => limit - 1 - place),
      `window until ${reset}`,
    )
    if (served.length < members.length && !mayRefuseEarly)
      assert.equal(served.length, limit, 'refused before the limit')
  }
  return windows.size - 1
}
