import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Answer, assertError } from '../../src/testing/client.ts'
import { makeKey, startApp, UNLIMITED } from '../../src/testing/start-app.ts'
import { assertNothingLost, type Ledger, startCreators } from '../lab/creators.ts'
import { needsMounts, smallDisk } from '../lab/disks.ts'
import type { Random } from '../lab/random.ts'
import { randomOf, reportFigure, rounds } from '../lab/rounds.ts'
import { assertIntact } from '../lab/stores.ts'

const ROUNDS = rounds(100)
/** A log with free pages may accept some creates on a full disk, but never this many. */
const MAX_CREATES = 5_000
/** The disk is replaced after this many rounds, because the animals of each round stay on it. */
const ROUNDS_PER_DISK = 10
const RECOVERY_MS = 1_000
const MINUTE_MS = 60_000
const NEEDS = needsMounts()

/** Fills and frees the small disk of a service repeatedly while clients create animals. */
async function fillRepeatedly(t: TestContext, times: number, random: Random) {
  const disk = smallDisk(t, '8m')
  const databaseUrl = `sqlite:${join(disk.folder, 'adoptable.db')}`
  const app = await startApp(t, { databaseUrl, key: UNLIMITED })
  const target = { address: `http://127.0.0.1:${app.port}`, key: app.key }
  // Requests that cannot be counted are refused. The reader stays within the requests charged in advance.
  const reader = { authorization: `Bearer ${await makeKey(databaseUrl, UNLIMITED)}` }
  const ledger: Ledger = new Map()
  const figures = { refused: 0, reads: 0, slowestMs: 0 }

  const create = async (name: string, idempotencyKey: string): Promise<Answer> => {
    const answer = await app.post('/v1/pets', { name, categoryId: 1 }, { 'idempotency-key': idempotencyKey })
    if (answer.status === 201) ledger.set(name, String(answer.body.id))
    return answer
  }
  /** Creates until one is refused. @returns a function that repeats the refused request */
  async function createUntilFull(prefix: string): Promise<() => Promise<Answer>> {
    for (let count = 0; count < MAX_CREATES; count += 1) {
      const idempotencyKey = randomUUID()
      const again = () => create(`${prefix}-${count}`, idempotencyKey)
      const answer = await again()
      if (answer.status === 201) continue
      assertRefused(answer)
      return again
    }
    throw new Error('the disk is not full')
  }
  function assertRefused(answer: Answer): void {
    assertError(answer, 503, 'service_unavailable', 'POST /v1/pets on a full disk')
    assert.equal(answer.headers['retry-after'], '1')
    figures.refused += 1
  }
  async function readSome(): Promise<void> {
    for (const path of ['/v1/pets', '/v1/pets/1', '/v1/categories', '/v1/inventory', '/readyz']) {
      const answer = await app.get(path, reader)
      assert.equal(answer.status, 200, `${path}: ${answer.text}`)
      figures.reads += 1
    }
  }
  async function fillAndFree(prefix: string): Promise<void> {
    disk.fill()
    const again = await createUntilFull(prefix)
    await readSome()
    assertRefused(await again())
    await readSome()
    disk.free()
    const since = performance.now()
    while ((await again()).status !== 201) assert.ok(performance.now() - since < RECOVERY_MS)
    figures.slowestMs = Math.max(figures.slowestMs, performance.now() - since)
  }

  await create('first', randomUUID())
  for (let time = 0; time < times; time += 1) {
    await readSome()
    // Other clients create at the same time and repeat refused requests.
    const others = startCreators(t, target, { clients: 2, pauseMs: 50, prefix: `other-${time}` })
    if (random.chance(0.5)) await pause(random.integer(0, 100))
    try {
      await fillAndFree(`own-${time}`)
    } finally {
      disk.free()
      for (const [name, id] of await others.stop()) ledger.set(name, id)
    }
    assertIntact(databaseUrl)
    // Starts new rate-limit windows while the disk has space, because their first requests write to the disk.
    app.clock.now += MINUTE_MS
  }
  await assertNothingLost(target, ledger)
  await app.stop()
  return figures
}

const TITLE = 'a full disk: changes get 503, reads work, and with free space changes work within a second'
test(TITLE, NEEDS, async (t) => {
  const random = randomOf()
  let [refused, reads, slowest] = [0, 0, 0]
  for (let times = 0; times < ROUNDS; times += ROUNDS_PER_DISK) {
    const figures = await fillRepeatedly(t, Math.min(ROUNDS_PER_DISK, ROUNDS - times), random)
    refused += figures.refused
    reads += figures.reads
    slowest = Math.max(slowest, figures.slowestMs)
  }
  const back = `back within ${Math.ceil(slowest)} ms`
  reportFigure(
    t,
    `${ROUNDS} times full: ${refused} times 503, ${reads} reads served, ${back}, 0 lost, 0 twice`,
  )
})
