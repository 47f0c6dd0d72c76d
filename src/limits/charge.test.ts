import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import Fastify from 'fastify'
import { ApiError } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import type { Admission, Gate } from '../http/face.ts'
import { admitCaller } from '../http/gate.ts'
import { charge } from './charge.ts'
import type { Limiter, Ruling } from './limiter.ts'
import { judge, UNKNOWN } from './window.ts'

const ALLOWED: Ruling = {
  outcome: 'allowed',
  limit: 60,
  remaining: 7,
  resetAtSeconds: 1_800_000_060,
  retryAfterSeconds: 0,
}
const LIMITED: Ruling = { ...ALLOWED, outcome: 'limited', remaining: 0, retryAfterSeconds: 13 }
const BANNED: Ruling = { ...LIMITED, outcome: 'banned', retryAfterSeconds: 900 }
const HEADERS = {
  'x-ratelimit-limit': '60',
  'x-ratelimit-remaining': '7',
  'x-ratelimit-reset': '1800000060',
}

/** What a caller hears of a ruling. */
const told = (ruling: Ruling) => charge({ take: () => ruling } as unknown as Limiter, CALLER) as Admission

test('three headers tell how many requests the window has, how many are left, and until when', () => {
  assert.deepEqual(told(ALLOWED), { headers: HEADERS, refusal: undefined })
})

test('a refusal says whether the limit is used up or the key is banned, and when to come again', () => {
  for (const [ruling, code, seconds] of [
    [LIMITED, 'rate_limit_exceeded', '13'],
    [BANNED, 'api_key_banned', '900'],
  ] as const) {
    const { refusal } = told(ruling)
    assert.ok(refusal instanceof ApiError)
    assert.deepEqual([refusal.status, refusal.code], [429, code])
    assert.deepEqual(refusal.headers, { 'retry-after': seconds })
  }
})

test('a verdict that could not be kept refuses as unavailable, whatever it was, and names its cause', () => {
  const lost = new Error('the disk is full')
  for (const ruling of [ALLOWED, LIMITED, BANNED]) {
    const { refusal } = told({ ...ruling, lost })
    assert.deepEqual([refusal?.code, refusal?.cause], ['service_unavailable', lost])
  }
})

const LIMITS = { perMinute: 2, perDay: 1_000 }
const CALLER: Caller = { kind: 'key', id: 1, access: 'read', view: 'all', name: 'key:1', limits: LIMITS }
const NOW = 1_800_000_000_000

/** Two requests a minute by the rule itself, with a verdict at once or one that has to be waited for. */
function twoAMinute(waits: boolean): Limiter {
  let state = UNKNOWN
  const nothing = async (): Promise<void> => undefined
  return {
    take({ limits, ban }) {
      const judged = judge(state, limits, ban, NOW)
      state = judged.state
      return waits ? Promise.resolve(judged.verdict) : judged.verdict
    },
    ready: nothing,
    sweep: nothing,
    close: nothing,
  }
}

/** A server of which each answer says what was left, and how it was refused. */
async function serve(t: TestContext, limiter: Limiter, unidentified?: unknown) {
  const app = Fastify({ forceCloseConnections: true })
  t.after(() => app.close())
  app.addHook('onRequest', async (request) => {
    request.caller = CALLER
    request.unidentified = unidentified
  })
  app.addHook('onRequest', admitCaller({ admit: (caller: Caller) => charge(limiter, caller) } as Gate))
  app.setErrorHandler((error: ApiError, _request, reply) => reply.code(error.status).send(error.code))
  app.get('/', async () => 'served')
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  return async () => {
    const answer = await fetch(address, { signal: AbortSignal.timeout(5_000) })
    return [answer.status, answer.headers.get('x-ratelimit-remaining'), await answer.text()]
  }
}

test('each request is charged, told what is left, and refused when nothing is', async (t) => {
  for (const waits of [false, true]) {
    const ask = await serve(t, twoAMinute(waits))

    assert.deepEqual(await ask(), [200, '1', 'served'])
    assert.deepEqual(await ask(), [200, '0', 'served'])
    assert.deepEqual(await ask(), [429, '0', 'rate_limit_exceeded'])
  }
})

test('a request of which nobody can tell whose it is is charged, and left to who says so', async (t) => {
  const ask = await serve(t, twoAMinute(false), new Error('the store is away'))

  assert.deepEqual(
    [await ask(), await ask()],
    [
      [200, '1', 'served'],
      [200, '0', 'served'],
    ],
  )
  assert.deepEqual(await ask(), [200, '0', 'served'])
})
