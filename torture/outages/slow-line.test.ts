import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { readConfig } from '../../src/config.ts'
import type { Limiter } from '../../src/limits/limiter.ts'
import { redisLimiter } from '../../src/limits/redis/limiter.ts'
import { cleanup } from '../../src/testing/cleanup.ts'
import { NEEDS_REDIS, startRedis } from '../../src/testing/redis.ts'
import { randomOf, reached, rounds } from '../lab/rounds.ts'

const ROUNDS = rounds(50)
const LIMIT = 40
/** Beyond 120 ms the line counts as lost; up to there a request may run out of its time with the line there. */
const DELAY_MS = [100, 112] as const
/** Of the process: longer than it may have looked at the others. */
const HANG_MS = 1_300
/** The slow process is asked first, then the other one for what is left. */
const FIRST_MS = 135
const ALL_MS = 600

test('two processes, one of them far away and hanging, never serve more than the limit', {
  skip: NEEDS_REDIS.skip,
}, async (t) => {
  const random = randomOf()
  const redis = await startRedis(t)
  const near = await openLimiter(t, redis.port)
  let [most, lost] = [0, 0]
  for (let round = 0; round < ROUNDS; round += 1) {
    // As one that was started anew.
    await redis.client.script('FLUSH')
    const far = await openLimiter(t, await slowLine(t, redis.port, random.whole(...DELAY_MS)))
    await pause(1_500)
    const served = await serve(near, far, `key:${round}`)
    await far.close()
    assert.ok(served.allowed <= LIMIT, `round ${round}: ${served.allowed} of ${LIMIT}`)
    most = Math.max(most, served.allowed)
    lost += served.lost
  }
  reached(t, `${ROUNDS} rounds, at most ${most} of ${LIMIT} served, ${lost} without a verdict in time`)
})

async function serve(near: Limiter, far: Limiter, name: string): Promise<{ allowed: number; lost: number }> {
  const caller = { name, limits: { perMinute: LIMIT, perDay: 1e6 } }
  let [allowed, lost] = [0, 0]
  const ask = async (limiter: Limiter): Promise<void> => {
    const ruling = await limiter.take(caller)
    if (ruling.lost) lost += 1
    else if (ruling.outcome === 'allowed') allowed += 1
  }
  await ask(far)
  hang(HANG_MS)
  const began = performance.now()
  const asked: Promise<void>[] = []
  while (performance.now() - began < ALL_MS) {
    asked.push(...(performance.now() - began < FIRST_MS ? [ask(far)] : [ask(near), ask(near)]))
    await pause(2)
  }
  await Promise.all(asked)
  for (let more = 0; more < 1.5 * LIMIT; more += 1) await ask(near)
  return { allowed, lost }
}

async function openLimiter(t: TestContext, port: number): Promise<Limiter> {
  const limiter = await redisLimiter({
    server: { host: '127.0.0.1', port },
    clock: () => performance.timeOrigin + performance.now(),
    ban: readConfig({}).ban,
  })
  cleanup(t).defer(() => limiter.close())
  return limiter
}

async function slowLine(t: TestContext, target: number, delayMs: number): Promise<number> {
  const worker = new Worker(new URL('../lab/slow-line.ts', import.meta.url), {
    workerData: { target, delayMs },
  })
  cleanup(t).defer(async () => void (await worker.terminate()))
  const [port] = await once(worker, 'message')
  return port
}

function hang(milliseconds: number): void {
  const until = performance.now() + milliseconds
  while (performance.now() < until) {}
}
