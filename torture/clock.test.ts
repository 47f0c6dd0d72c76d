import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../src/testing/port.ts'
import { type FakeClock, fakeClock } from './clock-fake.ts'
import { connections, type Figures, figuresOf, makeKeys, type Server, serveOne } from './exact-services.ts'
import { needs, randomOf, reached, rounds } from './given.ts'
import type { Random } from './random.ts'
import { STORES } from './stores.ts'

const ROUNDS = rounds(200)
/** From here on the test also waits until a real minute has passed. */
const MANY_ROUNDS = 20
const LIMIT = 40
/** What a crash may cost: a twentieth. */
const LEASE = 2
const BAN_SECONDS = 900
const DAY_SECONDS = 86_400
const JUMPS = [1, 3_600, 400 * DAY_SECONDS]

interface Node {
  server: Server
  readonly clock: FakeClock
  readonly settings: Record<string, string>
}

type Seen = Figures & { status: number }

for (const [part, stores] of STORES.entries()) {
  const skip = needs('faketime').skip || stores.skip
  const title = `no jump of the clock gives a request back or locks anybody out, on ${stores.name}`
  test(title, { skip }, async (t) => {
    const random = randomOf(part)
    const opened = await stores.open(t)
    const limits = { perMinute: LIMIT, perDay: 2 * LIMIT }
    const named = Array.from({ length: ROUNDS + 1 }, () => ({ plan: 'enterprise', limits }) as const)
    const [bannedKey = '', ...keys] = await makeKeys(opened.DATABASE_URL, named)
    // With servers of their own, the nodes do not agree on the time from the start.
    const nodes = await startNodes(t, part === 0 ? [0] : [0, 2, -2], opened)
    const { get } = connections(t, 4)
    const ask = async (key: string): Promise<Seen> => {
      const answer = await get(random.pick(nodes).server.address, '/v1/pets?limit=1', key)
      return { status: answer.status, ...figuresOf(answer) }
    }
    const checkBan = await ban(() => ask(bannedKey))

    let [jumps, kills] = [0, 0]
    for (const key of keys) {
      const opening = nodes.map(({ clock }) => clock.ahead)
      const seen = [await ask(key)]
      let [served, lost] = [1, 0]
      while (seen.at(-1)?.status === 200) {
        if (random.often(0.1)) {
          jump(random.pick(nodes), random)
          jumps += 1
          // Whoever asks first makes the service see what became of its clock.
          await checkBan()
          if (part === 0 && random.often(0.3)) {
            const signal = random.pick(['SIGKILL', 'SIGTERM'] as const)
            await restart(t, nodes[0] as Node, signal)
            kills += 1
            if (signal === 'SIGKILL') lost += LEASE
          }
        }
        const next = await ask(key)
        // By the clock of the node that counts, or of the store, which nobody set.
        const set = part === 0 ? (nodes[0] as Node).clock.ahead - (opening[0] ?? 0) : 0
        assertFollows(next, seen[0] as Seen, served, lost, set)
        if (next.status === 200) served += 1
        seen.push(next)
      }
    }
    if (ROUNDS >= MANY_ROUNDS) await assertReopens(() => ask(keys.at(-1) ?? ''))
    reached(t, `${jumps} jumps, ${kills} restarts: nothing given back, nobody locked out`)
  })
}

async function startNodes(t: TestContext, ahead: number[], opened: Record<string, string>): Promise<Node[]> {
  return Promise.all(
    ahead.map(async (seconds) => {
      const clock = fakeClock(t, seconds)
      const port = String(await freePort())
      const settings = { ...opened, ...clock.settings, PORT: port, BAN_AFTER_REFUSALS: '3' }
      return { server: await serveOne(t, settings), clock, settings }
    }),
  )
}

async function restart(t: TestContext, node: Node, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  node.server.child.kill(signal)
  await node.server.exited
  node.server = await serveOne(t, node.settings)
}

function jump({ clock }: Node, random: Random): void {
  const seconds = random.pick(JUMPS)
  const back = clock.ahead > 0 || (clock.ahead === 0 && random.often(0.5))
  clock.set(clock.ahead + (back ? -seconds : seconds))
}

/** @returns a check that the ban of the key goes on as it was told */
async function ban(ask: () => Promise<Seen>): Promise<() => Promise<void>> {
  let seen = await ask()
  while (seen.retryAfter !== BAN_SECONDS) seen = await ask()
  const began = performance.now()
  return async () => {
    const { status, retryAfter } = await ask()
    const passed = (performance.now() - began) / 1_000
    assert.equal(status, 429)
    assert.ok(Math.abs(BAN_SECONDS - passed - retryAfter) < 2, `banned for ${retryAfter} s after ${passed} s`)
  }
}

function assertFollows(next: Seen, first: Seen, served: number, lost: number, set: number): void {
  const about = JSON.stringify({ next, first, served, lost, set })
  assert.ok(Math.abs(next.reset - first.reset - set) <= 1, about)
  if (next.status === 200) {
    assert.ok(next.remaining <= LIMIT - served - 1 && next.remaining >= LIMIT - served - 1 - lost, about)
  } else {
    assert.equal(next.status, 429, about)
    assert.ok(served <= LIMIT && served >= LIMIT - lost, about)
    assert.ok(next.retryAfter >= 1 && next.retryAfter <= 60, about)
  }
}

async function assertReopens(ask: () => Promise<Seen>): Promise<void> {
  const { retryAfter } = await ask()
  await pause(retryAfter * 1_000)
  assert.equal((await ask()).status, 200)
}
