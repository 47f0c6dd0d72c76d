import assert from 'node:assert/strict'
import { generateKey, hashKey } from '../../src/keys/key-format.ts'
import { assertError } from '../../src/testing/client.ts'
import { each, times } from '../lab/parallel.ts'
import { randomOf, reached, rounds } from '../lab/rounds.ts'
import { ANYBODY, startService } from '../lab/service.ts'
import { onEach, withStore } from '../lab/stores.ts'
import { exchange, readAnswers } from '../lab/wire.ts'
import { makeVariant } from './bearer-variants.ts'

/** On each store. */
const VARIANTS = rounds(5_000)
const AT_ONCE = 16
/** Of requests that never get as far as a key. */
const NOT_HTTP = ['bad_request', 'headers_too_large']

/** Keys that open nothing: revoked, expired, unknown, and of the other environment. */
async function makeUseless(databaseUrl: string): Promise<string[]> {
  const [revoked = '', expired = '', renewed = ''] = times(3, () => generateKey('production'))
  const plan = { name: 'useless', plan: 'pro', access: 'admin' } as const
  await withStore(databaseUrl, async ({ write }) => {
    await write('revokeKey', await write('insertKey', plan, hashKey(revoked), 0), 1)
    const rotated = await write('insertKey', plan, hashKey(expired), 0)
    await write('rotateKey', rotated, hashKey(renewed), 0, 1)
  })
  return [revoked, expired, generateKey('production'), generateKey('staging')]
}

const TITLE = `${VARIANTS} Authorization headers: the key in its one form is accepted, all else is a 401`
onEach(TITLE, async (t, { stores, part }) => {
  const { port, key: valid } = await startService(t, { settings: { ...stores, ...ANYBODY } })
  const useless = await makeUseless(stores.DATABASE_URL)
  const random = randomOf(part)
  const met: Record<string, number> = {}
  await each(Array(VARIANTS).keys(), AT_ONCE, async () => {
    const { about, lines, query, accepted } = makeVariant(random, { valid, useless })
    const head = [`GET /v1/pets${query} HTTP/1.1`, 'Host: a', ...lines]
    const came = await exchange(port, `${head.join('\r\n')}\r\n\r\n`, {
      mayReset: (came) => came.length > 0,
    })
    const [answer, ...others] = readAnswers(came)
    assert.ok(answer && others.length === 0, about)
    const code = answer.status === 200 ? '200' : answer.body.code
    met[code] = (met[code] ?? 0) + 1
    if (accepted && lines.join().length < 16_000) assert.equal(answer.status, 200, about)
    else if (NOT_HTTP.includes(code)) assertError(answer, code === 'bad_request' ? 400 : 431, code, about)
    else {
      assertError(answer, 401, code, about)
      assert.match(String(answer.headers['www-authenticate']), /^Bearer realm="adoptable"/, about)
    }
  })
  const counts = Object.entries(met).map((pair) => pair.join(' × '))
  reached(t, `${VARIANTS} headers: ${counts.join(', ')}`)
})
