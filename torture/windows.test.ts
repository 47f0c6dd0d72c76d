import assert from 'node:assert/strict'
import http from 'node:http'
import { test } from 'node:test'
import { send } from '../src/testing/client.ts'
import { NEEDS_REDIS, startRedis } from '../src/testing/redis.ts'
import { makeKey, startApp } from '../src/testing/start-app.ts'
import { reached, rounds } from './given.ts'

const WINDOWS = rounds(100)
const LIMIT = 1_000
/** Refused in each window: as many as do not yet ban. */
const TOO_MANY = 90
const MINUTE_MS = 60_000

test(`two services with 64 connections each on one key: exactly ${LIMIT} in each of ${WINDOWS} windows`, {
  ...NEEDS_REDIS,
}, async (t) => {
  const redis = await startRedis(t)
  const settings = { REDIS_URL: `redis://127.0.0.1:${redis.port}` }
  const first = await startApp(t, { settings })
  const second = await startApp(t, { settings, databaseUrl: first.databaseUrl })
  const limits = { perMinute: LIMIT, perDay: 1e9 }
  const key = await makeKey(first.databaseUrl, { plan: 'enterprise', limits })
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 })
  t.after(() => agent.destroy())
  const get = (port: number) =>
    send(agent, `http://127.0.0.1:${port}/v1/pets`, { headers: { authorization: `Bearer ${key}` } })

  for (let window = 0; window < WINDOWS; window += 1) {
    const ports = Array.from({ length: LIMIT + TOO_MANY }, (_, place) => [first.port, second.port][place % 2])
    const answers = await Promise.all(ports.map((port) => get(port ?? 0)))
    assert.equal(answers.filter(({ status }) => status === 200).length, LIMIT, `window ${window}`)
    assert.equal(answers.filter(({ status }) => status === 429).length, TOO_MANY, `window ${window}`)
    first.clock.now += MINUTE_MS
    second.clock.now += MINUTE_MS
  }
  reached(t, `${LIMIT} in each of ${WINDOWS} windows`)
})
