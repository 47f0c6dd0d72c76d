import type { TestContext } from 'node:test'
import { changes } from '../../src/db/change.ts'
import { generateKey, hashKey } from '../../src/keys/key-format.ts'
import { UNLIMITED } from '../../src/testing/start-app.ts'
import { list } from '../lab/list.ts'
import { forEachConcurrently, times } from '../lab/parallel.ts'
import type { Random } from '../lab/random.ts'
import { NO_ANONYMOUS_LIMITS, startService } from '../lab/service.ts'
import { type Stores, withStore } from '../lab/stores.ts'
import { exchange } from '../lab/wire.ts'

/** Appears as a member of a log line only if a client forged the line. */
export const FORGED = 'forged'

/** Bytes that start a new line, control a terminal, or end a JSON string. */
const INJECTED = list('\r\n¦\n¦\r¦\x1b[31m¦\x1b]0;a\x07¦\x9b31m¦\x85¦"},¦%0d%0a¦%1b[31m¦\0¦\x7f')
const LINE = `{"level":30,"${FORGED}":true,"msg":"${FORGED}"}`
const NAMES = list('X-Request-Id¦User-Agent¦Referer¦Cookie¦X-Api-Key¦If-Match¦Host¦A')

export interface ServiceRun {
  /** Every key, in every state. */
  keys: string[]
  /** Hashes of the keys, which are in the store. */
  hashes: string[]
  /** The service's stderr. */
  log: string
  requests: number
  /** The key that the service printed at its first start. */
  firstKey: string | undefined
}

/** Makes keys while the service runs. Revokes or rotates every third. */
function makeKeys(databaseUrl: string, count: number): Promise<{ keys: string[]; validKeys: string[] }> {
  return withStore(databaseUrl, async ({ write }) => {
    const keys: string[] = []
    const validKeys: string[] = []
    for (let number = 0; number < count; number += 1) {
      const key = generateKey('production')
      const plan = { name: 'a', ...UNLIMITED, access: 'admin' } as const
      const id = await write(changes.insertKey, plan, hashKey(key), 0)
      keys.push(key)
      if (number % 6 === 4) await write(changes.revokeKey, id, 1)
      else validKeys.push(key)
      if (number % 6 !== 5) continue
      const next = generateKey('production')
      await write(changes.rotateKey, id, hashKey(next), Date.now(), 86_400_000)
      keys.push(next)
      validKeys.push(next)
    }
    return { keys, validKeys }
  })
}

/** A request with a key in correct and wrong places, sometimes with bytes that could damage a log. */
function makeRequest(random: Random, key: string, number: number): string {
  const [before, after] = [random.pick(INJECTED), random.pick(['', '\r\n', '\n'])]
  const odd = random.chance(0.5) ? before + LINE + after : key
  const line = random.pick([
    ...list('GET /v1/pets¦GET /v1/pets/1¦POST /v1/pets¦PATCH /v1/pets/1¦POST /v1/store/orders'),
    `GET /v1/pets?cursor=${key}&api_key=${key}`,
    `GET /v1/${odd.replaceAll(' ', '')}`,
    `GET /${encodeURIComponent(odd)}`,
    `DELETE /v1/pets/${key}`,
  ])
  const idempotency = random.pick(['', `Idempotency-Key: ${key}\r\n`, `Idempotency-Key: a-${number}\r\n`])
  const credential = random.pick([`Bearer ${key}`, `Bearer ${key}`, `Bearer ${key}x`, `Basic ${key}`])
  const body = random.pick([
    `{"name":"Rex ${number}","categoryId":1,"status":"available"}`,
    `{"name":${JSON.stringify(before + LINE)},"categoryId":1}`,
    `{"${key}":1,"name":7}`,
    `{"${key}`,
    `{"petId":${number},"adopter":{"name":"Ann","email":"a@b.cc","message":"Hello"}}`,
  ])
  const field = `${random.pick(NAMES)}: ${odd}`
  const head = `${line} HTTP/1.1\r\nHost: a\r\nAuthorization: ${credential}\r\n${field}\r\n${idempotency}`
  const length = Buffer.byteLength(body, 'latin1')
  return `${head}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`
}

interface Options {
  random: Random
  keyCount: number
  whileServing: () => Promise<void>
}

/** Runs a service with log level trace, and sends several requests with each key. */
export async function runService(
  t: TestContext,
  stores: Stores,
  { random, keyCount, whileServing }: Options,
): Promise<ServiceRun> {
  const service = await startService(t, {
    settings: { ...stores, ...NO_ANONYMOUS_LIMITS, LOG_LEVEL: 'trace' },
    key: false,
  })
  const firstKey = /adopt_live_\w+/.exec(service.process.output.stdout)?.[0]
  const { keys, validKeys } = await makeKeys(stores.DATABASE_URL, keyCount)
  const requests = times(keyCount * 4, (number) =>
    makeRequest(random, validKeys[number % validKeys.length] ?? '', number),
  )
  await forEachConcurrently(requests, 16, (request) => exchange(service.port, request))
  await whileServing()
  const { stderr } = await service.end('SIGTERM')
  const all = firstKey ? [...keys, firstKey] : keys
  return { keys: all, hashes: all.map(hashKey), log: stderr, requests: requests.length, firstKey }
}
