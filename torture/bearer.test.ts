import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openForCommand } from '../src/db/database.ts'
import { generateKey, hashKey } from '../src/keys/key-format.ts'
import * as keys from '../src/keys/store.ts'
import { assertError, readAnswers } from '../src/testing/client.ts'
import { spawnCli } from '../src/testing/process.ts'
import { makeKey, UNLIMITED } from '../src/testing/start-app.ts'
import { type Keys, makeVariant } from './bearer-variants.ts'
import { randomOf, reached, rounds } from './given.ts'
import { exchange } from './raw-fuzz-exchange.ts'
import { STORES } from './stores.ts'

/** On each store. */
const VARIANTS = rounds(5_000)
const AT_ONCE = 16
/** Of requests that never get as far as a key. */
const NOT_HTTP = ['bad_request', 'headers_too_large']

async function makeKeys(databaseUrl: string): Promise<Keys> {
  const valid = await makeKey(databaseUrl, UNLIMITED)
  const [revoked, expired, renewed] = Array.from({ length: 3 }, () => generateKey('production')) as [
    string,
    string,
    string,
  ]
  const store = await openForCommand(databaseUrl)
  const plan = { name: 'useless', plan: 'pro', access: 'admin' } as const
  await store.write(keys.revokeKey, await store.write(keys.insertKey, plan, hashKey(revoked), 0), 1)
  const rotated = await store.write(keys.insertKey, plan, hashKey(expired), 0)
  await store.write(keys.rotateKey, rotated, hashKey(renewed), 0, 1)
  await store.close()
  return { valid, useless: [revoked, expired, generateKey('production'), generateKey('staging')] }
}

for (const [part, stores] of STORES.entries()) {
  test(`${VARIANTS} Authorization headers: the key in its one form is accepted, all else is a 401, on ${stores.name}`, {
    skip: stores.skip,
  }, async (t) => {
    const settings = await stores.open(t)
    const all = await makeKeys(settings.DATABASE_URL)
    const limits = { ANONYMOUS_PER_MINUTE: '100000000', ANONYMOUS_PER_DAY: '100000000' }
    const { serving } = spawnCli(t, ['serve'], { ...settings, ...limits, PORT: '0', LOG_LEVEL: 'silent' })
    const port = Number(new URL(await serving).port)
    const random = randomOf(part)
    const met: Record<string, number> = {}
    let sent = 0
    const client = async (): Promise<void> => {
      while (sent < VARIANTS) {
        sent += 1
        const { about, lines, query, accepted } = makeVariant(random, all)
        const head = [`GET /v1/pets${query} HTTP/1.1`, 'Host: a', ...lines]
        const bytes = Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1')
        const [answer, ...others] = readAnswers(String(await exchange(port, bytes)))
        assert.ok(answer && others.length === 0, about)
        const code = answer.status === 200 ? '200' : answer.body.code
        met[code] = (met[code] ?? 0) + 1
        if (accepted && lines.join().length < 16_000) assert.equal(answer.status, 200, about)
        else if (NOT_HTTP.includes(code)) assertError(answer, code === 'bad_request' ? 400 : 431, code, about)
        else {
          assertError(answer, 401, code, about)
          assert.match(String(answer.headers['www-authenticate']), /^Bearer realm="adoptable"/, about)
        }
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, client))
    reached(
      t,
      `${sent} headers: ${Object.entries(met)
        .map((pair) => pair.join(' × '))
        .join(', ')}`,
    )
  })
}
