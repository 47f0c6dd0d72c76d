import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { type FakeClock, fakeClock } from '../lab/clock.ts'
import { times } from '../lab/parallel.ts'
import type { Random } from '../lab/random.ts'
import { needs, randomOf, reached, rounds } from '../lab/rounds.ts'
import { makeKeys, onEach } from '../lab/stores.ts'
import { looker, type Seen, startServices } from './answers.ts'

const ROUNDS = rounds(200)
/** From here on the test also waits until a real minute has passed. */
const MANY_ROUNDS = 20
const LIMIT = 40
/** What a crash may cost: a twentieth. */
const LEASE = 2
const BAN_SECONDS = 900
const DAY_SECONDS = 86_400
const JUMPS = [1, 3_600, 400 * DAY_SECONDS]

onEach(
  'no jump of the clock gives a request back or locks anybody out',
  async (t, { stores, embedded, part }) => {
    const random = randomOf(part)
    const limits = { perMinute: LIMIT, perDay: 2 * LIMIT }
    const named = times(ROUNDS + 1, () => ({ plan: 'enterprise', limits }) as const)
    const [bannedKey = '', ...keys] = await makeKeys(stores.DATABASE_URL, named)
    // With servers of their own, the services do not agree on the time from the start.
    const clocks = (embedded ? [0] : [0, 2, -2]).map((ahead) => fakeClock(t, ahead))
    const services = (
      await Promise.all(
        clocks.map(({ settings }) =>
          startServices(t, 1, { ...stores, ...settings, BAN_AFTER_REFUSALS: '3' }),
        ),
      )
    ).flat()
    const look = looker(t, 4)
    const ask = (key: string): Promise<Seen> => look(random.pick(services).address, key)
    const checkBan = await ban(() => ask(bannedKey))

    let [jumps, kills] = [0, 0]
    for (const key of keys) {
      const opening = clocks.map(({ ahead }) => ahead)
      const first = await ask(key)
      let [next, served, lost] = [first, 1, 0]
      while (next.status === 200) {
        if (random.often(0.1)) {
          jump(random.pick(clocks), random)
          jumps += 1
          // Whoever asks first makes the service see what became of its clock.
          await checkBan()
          if (embedded && random.often(0.3)) {
            const signal = random.pick(['SIGKILL', 'SIGTERM'] as const)
            await services[0]?.end(signal)
            await services[0]?.start()
            kills += 1
            if (signal === 'SIGKILL') lost += LEASE
          }
        }
        next = await ask(key)
        // By the clock of the service that counts, or of the store, which nobody set.
        const set = embedded ? (clocks[0]?.ahead ?? 0) - (opening[0] ?? 0) : 0
        assertFollows(next, first, served, lost, set)
        if (next.status === 200) served += 1
      }
    }
    if (ROUNDS >= MANY_ROUNDS) {
      const { retryAfter } = await ask(keys.at(-1) ?? '')
      await pause(retryAfter * 1_000)
      assert.equal((await ask(keys.at(-1) ?? '')).status, 200)
    }
    reached(t, `${jumps} jumps, ${kills} restarts: nothing given back, nobody locked out`)
  },
  needs('faketime'),
)

function jump(clock: FakeClock, random: Random): void {
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
