import assert from 'node:assert/strict'
import { openRedisModel } from './redis-model.ts'
import { type AnsweredRequest, type History, runLimiter } from './run-limiter.ts'
import type { Simulate } from './seeds.ts'

const MINUTE_MS = 60_000
const ANSWER_MS = 250

/** Simulates limiters and a Redis with the faults of a seed. */
export async function openLimiter(options: { abandoned: boolean }): Promise<Simulate> {
  const model = await openRedisModel()
  return async (seed) => {
    const history = await runLimiter(model, seed, options)
    try {
      check(history)
    } catch (error) {
      throw new Error([(error as Error).message, ...history.faults].join('\n'), { cause: error })
    }
    const { taken, faults } = history
    return {
      requests: taken.length,
      allowed: taken.filter(isAllowed).length,
      lost: taken.filter(({ lost }) => lost).length,
      faults: faults.length,
      excused: Number(history.strangers),
      slowest: Math.max(...taken.map(tookMs)),
    }
  }
}

function check(history: History): void {
  const { taken, fresh, isShareReserved, faults, negative } = history
  // docs/decisions/0012-shared-counters.md
  if (!history.strangers) checkLimits(history)
  for (const one of taken) checkAnswer(one)
  assert.equal(negative, '', 'a negative figure')
  assert.ok(isShareReserved ? fresh <= 20 : fresh === 20, `exact again after the recovery: ${fresh} of 20`)
  if (faults.length === 0)
    assert.equal(taken.filter(({ lost }) => lost).length, 0, 'lost answers without a fault')
}

function checkLimits({ limits, taken, minutes, charged, killed, restarted }: History): void {
  for (const [caller, { used, promised }] of charged) {
    const allowed = taken.filter((one) => one.caller === caller && isAllowed(one))
    assert.ok(allowed.length <= limits.perDay, `${allowed.length} of ${limits.perDay} a day`)
    assert.ok(used + promised >= allowed.length, `charged ${used} and ${promised}, allowed ${allowed.length}`)
    if (!killed && !restarted) assert.equal(used, allowed.length, 'charges differ from allowed requests')
    const own = [...minutes.values()].filter((minute) => minute.caller === caller)
    checkMinutes(own, allowed, limits.perMinute)
  }
}

function checkMinutes(minutes: { start: number }[], allowed: AnsweredRequest[], limit: number): void {
  for (const { start } of minutes) {
    const inside = allowed.filter(
      ({ sentAt, answeredAt }) => sentAt >= start && answeredAt < start + MINUTE_MS,
    )
    assert.ok(inside.length <= limit, `${inside.length} of ${limit} from ${start}`)
  }
  const [first, last] = [allowed[0]?.sentAt ?? 0, allowed.at(-1)?.answeredAt ?? 0]
  // An earlier minute may have begun with a request whose answer was lost. If it ended between these
  // requests, they are in two minutes.
  const ends = minutes.some(({ start }) => start < first && start + MINUTE_MS <= last)
  if (last - first < MINUTE_MS && !ends)
    assert.ok(allowed.length <= limit, `${allowed.length} of ${limit} in less than a minute`)
}

function checkAnswer(one: AnsweredRequest): void {
  const { outcome, lost, limit, remaining, resetAtSeconds, retryAfterSeconds } = one
  const about = JSON.stringify(one)
  assert.ok(tookMs(one) <= ANSWER_MS, `a late answer: ${about}`)
  assert.ok(Number.isInteger(remaining) && remaining >= 0 && remaining < limit, `remaining: ${about}`)
  assert.ok(Number.isInteger(resetAtSeconds), `resetAtSeconds: ${about}`)
  if (outcome !== 'allowed' || lost) assert.ok(retryAfterSeconds >= 1 || lost, `retry after: ${about}`)
}

function isAllowed({ outcome, lost }: AnsweredRequest): boolean {
  return outcome === 'allowed' && !lost
}

function tookMs({ sentAt, answeredAt }: AnsweredRequest): number {
  return answeredAt - sentAt
}
