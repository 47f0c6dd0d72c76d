import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { generateKey } from '../../src/keys/key-format.ts'
import type { Answer } from '../../src/testing/client.ts'
import { UNLIMITED } from '../../src/testing/start-app.ts'
import { forEachConcurrently } from '../lab/parallel.ts'
import { busyMsOf, NEEDS_PROC } from '../lab/proc.ts'
import type { Random } from '../lab/random.ts'
import { randomOf, reportFigure, rounds } from '../lab/rounds.ts'
import { createClient, measure, PROBED, startService } from '../lab/service.ts'
import { makeKeys, testOnEachStore } from '../lab/stores.ts'
import { connection } from '../lab/wire.ts'
import { figuresOf } from './answers.ts'

/** The number of junk requests of each kind, in thousands. */
const THOUSANDS = rounds(100)
const ANONYMOUS_LIMIT = 300
const VICTIM_LIMIT = 500
/** Limits for the growth of memory in MB, and for the processor time of a junk request in ms. */
const MAX_MEMORY = 64
const MAX_MS = 1
const WARMUP_THOUSANDS = 20
const MAX_LOG = 1_000_000
const CONNECTIONS = 4
/** Simultaneous requests on each connection. */
const BATCH = 16
/** The attacker uses all addresses of this /64. */
const ATTACKER = '2001:db8:1:2::1'
const UNKNOWN_KEYS = 'unknown keys'

testOnEachStore(
  'a flood of keys, addresses or paths: no count of another caller changes',
  async (t, { stores, embedded, part }) => {
    const random = randomOf(part)
    const anonymous = String(ANONYMOUS_LIMIT)
    const settings = {
      ...{ ...stores, ...PROBED, LOG_LEVEL: 'warn', DATABASE_CONNECTIONS: '3', TRUST_PROXY: 'loopback' },
      // Both limits are the same, so the headers show the daily one. A flood lasts longer than a minute.
      ...{ ANONYMOUS_PER_MINUTE: anonymous, ANONYMOUS_PER_DAY: anonymous },
    }
    const service = await startService(t, { settings, key: false })
    const limits = { perMinute: VICTIM_LIMIT, perDay: VICTIM_LIMIT }
    const victims = [{ plan: 'enterprise', limits } as const, UNLIMITED]
    const [victim = '', valid = ''] = await makeKeys(stores.DATABASE_URL, victims)
    const from = (address: string, key = '') => {
      const ask = createClient(t, service.address, key, 8)
      return () => ask('/v1/pets', { headers: { 'x-forwarded-for': address } })
    }
    const assertKeyCount = follow(VICTIM_LIMIT, from(ATTACKER, victim))
    const assertAddressCount = follow(ANONYMOUS_LIMIT, from('192.0.2.1'))
    const sendAsOther = from(ATTACKER, valid)
    const kinds = kindsOf(random, valid)
    // Warms up compiled code and pools before memory is measured.
    for (const headOf of Object.values(kinds)) {
      const statuses = await flood(service.port, Math.min(THOUSANDS, WARMUP_THOUSANDS) * 1_000, headOf)
      assert.equal(statuses.get(200), undefined)
    }
    await assertKeyCount()
    await assertAddressCount()
    const { pid } = service.process.child
    const measureMb = async (): Promise<number> => (await measure(service.process)).retainedBytes / 1_048_576
    const baseMb = await measureMb()

    const costs: string[] = []
    for (const [kind, headOf] of Object.entries(kinds)) {
      const busyMs = busyMsOf(pid)
      const statuses = await flood(service.port, THOUSANDS * 1_000, headOf)
      const each = (busyMsOf(pid) - busyMs) / (THOUSANDS * 1_000)
      const grown = (await measureMb()) - baseMb
      const about = `${kind}: ${each.toFixed(3)} ms each, ${grown.toFixed(1)} MB`
      costs.push(about)
      assert.ok(each < MAX_MS && grown < MAX_MEMORY, about)
      assert.ok((statuses.get(429) ?? 0) >= (kind === UNKNOWN_KEYS ? THOUSANDS * 1_000 * 0.8 : 0), about)
      await assertKeyCount()
      await assertAddressCount()
      assert.equal((await sendAsOther()).status, 200)
    }
    // With Redis the log has the cause of each 503, and a busy machine may seem to have lost Redis.
    const { length } = service.process.output.stderr
    if (embedded) assert.ok(length < MAX_LOG, 'the log grows with each request')
    reportFigure(t, `${THOUSANDS},000 ${costs.join('; ')}`)
  },
  NEEDS_PROC,
)

/** Sends requests as fast as they are answered. @returns the number of answers by status */
async function flood(port: number, count: number, headOf: () => string): Promise<Map<number, number>> {
  const statuses = new Map<number, number>()
  await forEachConcurrently(Array(CONNECTIONS).keys(), CONNECTIONS, async () => {
    const { ask, close } = connection(port)
    for (let left = count / CONNECTIONS; left > 0; left -= BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, left) }, () => {
        return { bytes: Buffer.from(`${headOf()}Host: pets.example\r\n\r\n`), method: 'GET' }
      })
      const answers = await ask(batch)
      assert.equal(answers.length, batch.length, 'the connection was closed')
      for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    close()
  })
  return statuses
}

/** @returns a function that asserts the caller's count with a few more requests */
function follow(limit: number, ask: () => Promise<Answer>): () => Promise<void> {
  let left = limit
  return async () => {
    for (let sent = 0; sent < 30; sent += 1) {
      const answer = await ask()
      if (answer.status !== 503) left -= 1
      const { remaining } = figuresOf(answer)
      assert.ok(remaining <= left, `${remaining} remaining after ${limit - left} of ${limit} were served`)
      if (remaining === left) return
      // A busy process may think that Redis is lost, and then shows only its part of the limit.
      await pause(100)
    }
    assert.fail('another caller used requests of this caller')
  }
}

/** For each kind of request, makes the first lines, without the Host header. */
function kindsOf(random: Random, valid: string): Record<string, () => string> {
  const hex = () => random.integer(0, 65_535).toString(16)
  const list = 'GET /v1/pets HTTP/1.1\r\n'
  const key = (): string => (random.chance(0.5) ? generateKey('production') : `adopt_live_${hex()}`)
  return {
    [UNKNOWN_KEYS]: () =>
      `${list}X-Forwarded-For: 2001:db8:1:2:${hex()}:${hex()}:${hex()}:${hex()}\r\nAuthorization: Bearer ${key()}\r\n`,
    addresses: () => `${list}X-Forwarded-For: 2001:${hex()}:${hex()}:${hex()}::1\r\n`,
    paths: () => `GET /v1/${hex()}/${hex()}${hex()} HTTP/1.1\r\nAuthorization: Bearer ${valid}\r\n`,
  }
}
