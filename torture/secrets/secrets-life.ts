import type { TestContext } from 'node:test'
import { changes } from '../../src/db/change.ts'
import { generateKey, hashKey } from '../../src/keys/key-format.ts'
import { UNLIMITED } from '../../src/testing/start-app.ts'
import { list } from '../lab/list.ts'
import { each, times } from '../lab/parallel.ts'
import type { Random } from '../lab/random.ts'
import { ANYBODY, startService } from '../lab/service.ts'
import { type Stores, withStore } from '../lab/stores.ts'
import { exchange } from '../lab/wire.ts'

/** Stands in a line of the log only when somebody wrote that line for us. */
export const FORGED = 'forged'

/** What would begin a new line, colour a terminal, or end a JSON string. */
const INJECTED = list('\r\n¦\n¦\r¦\x1b[31m¦\x1b]0;a\x07¦\x9b31m¦\x85¦"},¦%0d%0a¦%1b[31m¦\0¦\x7f')
const LINE = `{"level":30,"${FORGED}":true,"msg":"${FORGED}"}`
const NAMES = list('X-Request-Id¦User-Agent¦Referer¦Cookie¦X-Api-Key¦If-Match¦Host¦A')

export interface Life {
  /** Every key that was made, in every state. */
  keys: string[]
  /** Their SHA-256, which the store does hold. */
  hashes: string[]
  /** All that the service said on stderr, and how many requests it was sent. */
  log: string
  requests: number
  /** What it printed once on purpose. */
  firstKey: string | undefined
}

/** Makes keys beside the service, and gives every third away again: revoked, or rotated into another. */
function makeKeys(databaseUrl: string, count: number): Promise<{ made: string[]; useful: string[] }> {
  return withStore(databaseUrl, async ({ write }) => {
    const made: string[] = []
    const useful: string[] = []
    for (let number = 0; number < count; number += 1) {
      const key = generateKey('production')
      const plan = { name: 'a', ...UNLIMITED, access: 'admin' } as const
      const id = await write(changes.insertKey, plan, hashKey(key), 0)
      made.push(key)
      if (number % 6 === 4) await write(changes.revokeKey, id, 1)
      else useful.push(key)
      if (number % 6 !== 5) continue
      const next = generateKey('production')
      await write(changes.rotateKey, id, hashKey(next), Date.now(), 86_400_000)
      made.push(next)
      useful.push(next)
    }
    return { made, useful }
  })
}

/** A request with a key where it belongs, and where it does not; now and then with bytes that hurt a log. */
function makeRequest(random: Random, key: string, number: number): string {
  const [before, after] = [random.pick(INJECTED), random.pick(['', '\r\n', '\n'])]
  const odd = random.often(0.5) ? before + LINE + after : key
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

/** A busy life of a service that logs all it can, with several requests for each key. */
export async function live(
  t: TestContext,
  stores: Stores,
  { random, keyCount, whileServing }: Options,
): Promise<Life> {
  const service = await startService(t, {
    settings: { ...stores, ...ANYBODY, LOG_LEVEL: 'trace' },
    key: false,
  })
  const firstKey = /adopt_live_\w+/.exec(service.process.output.stdout)?.[0]
  const { made, useful } = await makeKeys(stores.DATABASE_URL, keyCount)
  const requests = times(keyCount * 4, (number) =>
    makeRequest(random, useful[number % useful.length] ?? '', number),
  )
  await each(requests, 16, (request) => exchange(service.port, request))
  await whileServing()
  const { stderr } = await service.end('SIGTERM')
  const all = firstKey ? [...made, firstKey] : made
  return { keys: all, hashes: all.map(hashKey), log: stderr, requests: requests.length, firstKey }
}
