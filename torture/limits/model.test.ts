import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { readConfig } from '../../src/config.ts'
import { openToWrite } from '../../src/db/open-sqlite.ts'
import { servedFile } from '../../src/db/served-file.ts'
import { fileWriter, writerThread } from '../../src/db/writer.ts'
import type { Account, Limiter, Ruling } from '../../src/limits/limiter.ts'
import { memoryLimiter } from '../../src/limits/memory.ts'
import { redisLimiter } from '../../src/limits/redis/limiter.ts'
import { judge, type State, UNKNOWN } from '../../src/limits/window.ts'
import { anyBan, anyLimits, anyPauses, reference } from '../../src/testing/limit-reference.ts'
import { NEEDS_REDIS, startRedis } from '../../src/testing/redis.ts'
import { scratchFolder } from '../../src/testing/start-app.ts'
import { randomOf, reached, rounds, seed } from '../lab/rounds.ts'
import { mostExcused, PATIENCE_MS } from './excuses.ts'

const THOUSANDS = rounds(100)
/** Steps of a sequence, on average. */
const SEQUENCE = 225
const { ban: RULE } = readConfig({})

interface Judge {
  clock: { now: number }
  take(caller: Account): Ruling | Promise<Ruling>
  sweep?(): Promise<void>
  /** Whether any of them has been without Redis since this was last asked; absent where there is none. */
  wasLost?(): boolean
}

const THREE = 'three processes on Redis'

const JUDGES: Record<string, (t: TestContext) => Judge | Promise<Judge>> = {
  'the rule itself': () => {
    const [clock, states] = [{ now: 0 }, new Map<string, State>()]
    return {
      clock,
      take({ name, limits, ban }) {
        const { verdict, state } = judge(states.get(name) ?? UNKNOWN, limits, ban, clock.now)
        states.clear()
        states.set(name, state)
        return verdict
      },
    }
  },
  'one process on SQLite': async (t) => {
    const [clock, file] = [{ now: 0 }, join(scratchFolder(t), 'test.db')]
    const { db } = await openToWrite(file)
    const writer = fileWriter(
      writerThread(new URL('../../src/writer-thread.ts', import.meta.url)),
      servedFile(file),
    )
    t.after(async () => {
      await writer.close()
      await db.destroy()
    })
    const limiter = await memoryLimiter({ db, write: writer.write, clock: () => clock.now, ban: RULE })
    return { clock, take: limiter.take, sweep: limiter.sweep }
  },
  [THREE]: async (t) => {
    const [clock, random] = [{ now: 0 }, randomOf()]
    const redis = await startRedis(t)
    const now = () => clock.now
    const options = { server: `redis://127.0.0.1:${redis.port}`, clock: now, storeClock: now, ban: RULE }
    const lost = new Set<number>()
    let anyLost = false
    const open = (place: number): Promise<Limiter> => {
      const onChange = (cause: Error | undefined): void => {
        if (cause) lost.add(place)
        else lost.delete(place)
        anyLost ||= lost.size > 0
      }
      return redisLimiter({ ...options, onChange })
    }
    const wasLost = (): boolean => {
      const was = anyLost
      anyLost = lost.size > 0
      return was
    }
    const limiters = await Promise.all([1, 2, 3].map(open))
    t.after(() => Promise.all(limiters.map((limiter) => limiter.close())))
    return { clock, take: (caller) => random.pick(limiters).take(caller), wasLost }
  },
}

for (const [name, open] of Object.entries(JUDGES)) {
  const { skip } = name === THREE ? NEEDS_REDIS : { skip: false }
  test(`every verdict is that of the reference: ${name}`, { skip }, async (t) => {
    const { clock, take, sweep, wasLost } = await open(t)
    const random = randomOf(1)
    let [callers, steps, excused] = [0, 0, 0]
    const property = fc.asyncProperty(anyLimits, anyBan, anyPauses, async (limits, anyRule, pauses) => {
      // Redis itself forgets refusals by real time, of which a second may pass here.
      const ban = { ...anyRule, ...(wasLost && { windowSeconds: 60 }) }
      const expected = reference(limits, ban)
      const caller = { name: `key:${++callers}`, limits, ban }
      clock.now = Math.max(clock.now, 1_800_000_000_000)
      let hung = false
      for (const pause of pauses) {
        clock.now += pause
        if (sweep && random.often(0.01)) await sweep()
        const began = performance.now()
        const ruling = await take(caller)
        if (wasLost?.() || ruling.lost || performance.now() - began > PATIENCE_MS) hung = true
        const wanted = expected(clock.now)
        try {
          assert.equal(ruling.lost, undefined)
          assertSame(ruling, wanted, clock.now)
        } catch (error) {
          // On a machine so busy that Redis seems lost, some are refused without it, and count for no ban.
          const served = ruling.outcome === 'allowed' && ruling.lost === undefined
          const tooMany = served && wanted.outcome !== 'allowed'
          if (!wasLost || !hung || tooMany) throw error
          excused += 1
          return
        }
        steps += 1
      }
    })
    await fc.assert(property, { seed, numRuns: Math.ceil((THOUSANDS * 1_000) / SEQUENCE) })
    const most = mostExcused(callers)
    assert.ok(excused <= most, `${excused} of ${callers} sequences given up, more than ${most}`)
    const figure = `${steps} steps of ${callers} lives, 0 differences`
    reached(t, wasLost ? `${figure}; ${excused} given up of at most ${most}` : figure)
  })
}

function assertSame(ruling: Ruling, wanted: ReturnType<ReturnType<typeof reference>>, now: number): void {
  const { outcome, remaining, resetAtSeconds, retryAfterSeconds } = ruling
  assert.deepEqual([outcome, remaining], [wanted.outcome, wanted.remaining])
  if (outcome !== 'limited') assert.equal(resetAtSeconds, Math.ceil(wanted.until / 1_000))
  if (outcome !== 'allowed')
    assert.equal(retryAfterSeconds, Math.max(1, Math.ceil((wanted.until - now) / 1_000)))
}
