import type { TestContext } from 'node:test'
import { openForCommand } from '../src/db/database.ts'
import { generateKey, hashKey } from '../src/keys/key-format.ts'
import * as keys from '../src/keys/store.ts'
import { spawnCli } from '../src/testing/process.ts'
import { UNLIMITED } from '../src/testing/start-app.ts'
import type { Random } from './random.ts'
import { exchange } from './raw-fuzz-exchange.ts'

/** Stands in a line of the log only when somebody wrote that line for us. */
export const FORGED = 'forged'

/** What would begin a new line, colour a terminal, or end a JSON string. */
const INJECTED = [
  '\r\n',
  '\n',
  '\r',
  '\x1b[31m',
  '\x1b]0;a\x07',
  '\x9b31m',
  '\x85',
  '"},',
  '%0d%0a',
  '%1b[31m',
  '\0',
  '\x7f',
]
const LINE = `{"level":30,"${FORGED}":true,"msg":"${FORGED}"}`

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
async function makeKeys(databaseUrl: string, count: number): Promise<{ made: string[]; useful: string[] }> {
  const store = await openForCommand(databaseUrl)
  const made: string[] = []
  const useful: string[] = []
  for (let number = 0; number < count; number += 1) {
    const key = generateKey('production')
    const id = await store.write(
      keys.insertKey,
      { name: 'a', ...UNLIMITED, access: 'admin' },
      hashKey(key),
      0,
    )
    made.push(key)
    if (number % 6 === 4) await store.write(keys.revokeKey, id, 1)
    else useful.push(key)
    if (number % 6 !== 5) continue
    const next = generateKey('production')
    await store.write(keys.rotateKey, id, hashKey(next), Date.now(), 86_400_000)
    made.push(next)
    useful.push(next)
  }
  await store.close()
  return { made, useful }
}

/** A request with a key where it belongs, and where it does not; now and then with bytes that hurt a log. */
function makeRequest(random: Random, key: string, number: number): Buffer {
  const [before, after] = [random.pick(INJECTED), random.pick(['', '\r\n', '\n'])]
  const odd = random.often(0.5) ? before + LINE + after : key
  const line = random.pick([
    'GET /v1/pets',
    'GET /v1/pets/1',
    `GET /v1/pets?cursor=${key}&api_key=${key}`,
    `GET /v1/${odd.replaceAll(' ', '')}`,
    `GET /${encodeURIComponent(odd)}`,
    'POST /v1/pets',
    'PATCH /v1/pets/1',
    'POST /v1/store/orders',
    `DELETE /v1/pets/${key}`,
  ])
  const name = random.pick([
    'X-Request-Id',
    'User-Agent',
    'Referer',
    'Cookie',
    'X-Api-Key',
    'If-Match',
    'Host',
    'A',
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
  const head = `${line} HTTP/1.1\r\nHost: a\r\nAuthorization: ${credential}\r\n${name}: ${odd}\r\n${idempotency}`
  const content = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body, 'latin1')}\r\n\r\n${body}`
  return Buffer.from(head + content, 'latin1')
}

/** A busy life of a service that logs all it can, with several requests for each key. */
export async function live(
  t: TestContext,
  settings: { DATABASE_URL: string; [name: string]: string },
  { random, keyCount, whileServing }: { random: Random; keyCount: number; whileServing: () => Promise<void> },
): Promise<Life> {
  const limits = { ANONYMOUS_PER_MINUTE: '100000000', ANONYMOUS_PER_DAY: '100000000' }
  const { child, serving, output, exited } = spawnCli(t, ['serve'], {
    ...settings,
    ...limits,
    PORT: '0',
    LOG_LEVEL: 'trace',
  })
  const port = Number(new URL(await serving).port)
  const firstKey = /adopt_live_\w+/.exec(output.stdout)?.[0]
  const { made, useful } = await makeKeys(settings.DATABASE_URL, keyCount)
  const requests = Array.from({ length: keyCount * 4 }, (_, number) =>
    makeRequest(random, useful[number % useful.length] ?? '', number),
  )
  const left = requests.values()
  const client = async (): Promise<void> => {
    for (const request of left) await exchange(port, request)
  }
  await Promise.all(Array.from({ length: 16 }, client))
  await whileServing()
  child.kill('SIGTERM')
  const { stderr } = await exited
  const all = firstKey ? [...made, firstKey] : made
  return { keys: all, hashes: all.map(hashKey), log: stderr, requests: requests.length, firstKey }
}
