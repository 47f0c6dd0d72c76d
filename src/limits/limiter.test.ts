import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import Fastify from 'fastify'
import { ApiError } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import type { Admission, Gate } from '../http/face.ts'
import { gateHook } from '../http/gate.ts'
import { charge, type Limiter, type LimiterVerdict } from './limiter.ts'
import { evaluate, INITIAL_STATE } from './window.ts'

const ALLOWED: LimiterVerdict = {
  outcome: 'allowed',
  limit: 60,
  remaining: 7,
  resetAtSeconds: 1_800_000_060,
  retryAfterSeconds: 0,
}
const LIMITED: LimiterVerdict = { ...ALLOWED, outcome: 'limited', remaining: 0, retryAfterSeconds: 13 }
const BANNED: LimiterVerdict = { ...LIMITED, outcome: 'banned', retryAfterSeconds: 900 }
const HEADERS = {
  'x-ratelimit-limit': '60',
  'x-ratelimit-remaining': '7',
  'x-ratelimit-reset': '1800000060',
}

/** The admission that a verdict leads to. */
const admit = (verdict: LimiterVerdict) =>
  charge({ take: () => verdict } as unknown as Limiter, CALLER) as Admission

test('charge returns three headers with the limit, the remaining requests and the reset time', () => {
  assert.deepEqual(admit(ALLOWED), { headers: HEADERS, refusal: undefined })
})

test('charge refuses with 429, the error code and Retry-After', () => {
  for (const [verdict, code, seconds] of [
    [LIMITED, 'rate_limit_exceeded', '13'],
    [BANNED, 'api_key_banned', '900'],
  ] as const) {
    const { refusal } = admit(verdict)
    assert.ok(refusal instanceof ApiError)
    assert.deepEqual([refusal.status, refusal.code], [429, code])
    assert.deepEqual(refusal.headers, { 'retry-after': seconds })
  }
})

test('charge returns 503 with the cause if a verdict could not be stored', () => {
  const storeError = new Error('the disk is full')
  for (const verdict of [ALLOWED, LIMITED, BANNED]) {
    const { refusal } = admit({ ...verdict, storeError })
    assert.deepEqual([refusal?.code, refusal?.cause], ['service_unavailable', storeError])
  }
})

const LIMITS = { perMinute: 2, perDay: 1_000 }
const CALLER: Caller = { kind: 'key', id: 1, access: 'read', view: 'all', name: 'key:1', limits: LIMITS }
const NOW = 1_800_000_000_000

/** A limiter of two requests per minute, which returns verdicts or promises of verdicts. */
function twoAMinute(waits: boolean): Limiter {
  let state = INITIAL_STATE
  const nothing = async (): Promise<void> => undefined
  return {
    take({ limits, ban }) {
      const evaluated = evaluate(state, limits, ban, NOW)
      state = evaluated.state
      return waits ? Promise.resolve(evaluated.verdict) : evaluated.verdict
    },
    ready: nothing,
    sweep: nothing,
    close: nothing,
  }
}

/**
 * Starts a server.
 *
 * @returns a function that sends a request, and returns the status, the remaining requests and the body
 */
async function serve(t: TestContext, limiter: Limiter, unidentified?: unknown) {
  const app = Fastify({ forceCloseConnections: true })
  t.after(() => app.close())
  const gate: Gate = {
    identify: () => (unidentified ? Promise.reject(unidentified) : CALLER),
    visitor: () => CALLER,
    admit: (caller) => charge(limiter, caller),
    authorize: () => undefined,
  }
  app.addHook('onRequest', gateHook(gate))
  app.setErrorHandler((error: ApiError, _request, reply) => reply.code(error.status).send(error.code))
  app.get('/', async () => 'served')
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  return async () => {
    const answer = await fetch(address, { signal: AbortSignal.timeout(5_000) })
    return [answer.status, answer.headers.get('x-ratelimit-remaining'), await answer.text()]
  }
}

test('each request is charged, gets headers with the remaining requests, and is refused at the limit', async (t) => {
  for (const waits of [false, true]) {
    const ask = await serve(t, twoAMinute(waits))

    assert.deepEqual(await ask(), [200, '1', 'served'])
    assert.deepEqual(await ask(), [200, '0', 'served'])
    assert.deepEqual(await ask(), [429, '0', 'rate_limit_exceeded'])
  }
})

test('a request whose key cannot be looked up is charged, and gets 503 also beyond the limit', async (t) => {
  const ask = await serve(t, twoAMinute(false), new Error('the store is away'))

  assert.deepEqual(await ask(), [503, '1', 'service_unavailable'])
  assert.deepEqual(await ask(), [503, '0', 'service_unavailable'])
  assert.deepEqual(await ask(), [503, '0', 'service_unavailable'])
})
