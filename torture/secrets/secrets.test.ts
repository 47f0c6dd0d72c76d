import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { Redis } from 'ioredis'
import { sql } from 'kysely'
import { changes } from '../../src/db/change.ts'
import { fileOf } from '../../src/db/store-url.ts'
import { generateKey, hashKey } from '../../src/keys/key-format.ts'
import { spawnCli } from '../../src/testing/process.ts'
import { scratchFolder, UNLIMITED } from '../../src/testing/start-app.ts'
import { forEachConcurrently, times } from '../lab/parallel.ts'
import { list, type Random } from '../lab/random.ts'
import { randomOf, reportFigure, rounds } from '../lab/rounds.ts'
import { NO_ANONYMOUS_LIMITS, startService } from '../lab/service.ts'
import { type Stores, testOnEachStore, withStore } from '../lab/stores.ts'
import { exchange } from '../lab/wire.ts'

/** Appears as a member of a log line only if a client forged the line. */
const FORGED = 'forged'

/** Bytes that start a new line, control a terminal, or end a JSON string. */
const INJECTED = list('\r\n¦\n¦\r¦\x1b[31m¦\x1b]0;a\x07¦\x9b31m¦\x85¦"},¦%0d%0a¦%1b[31m¦\0¦\x7f')
const LINE = `{"level":30,"${FORGED}":true,"msg":"${FORGED}"}`
const NAMES = list('X-Request-Id¦User-Agent¦Referer¦Cookie¦X-Api-Key¦If-Match¦Host¦A')

interface ServiceRun {
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
async function runService(
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

/** Number of keys on each store. */
const KEYS = rounds(2_000)
const RANDOM_PART = 'adopt_live_'.length
const MIN_LEAK_LENGTH = 12

/** Keys whose first 12 random characters are in the text. */
function findLeaks(text: string, keys: string[]): string[] {
  const parts = new Map(keys.map((key) => [key.slice(RANDOM_PART, RANDOM_PART + MIN_LEAK_LENGTH), key]))
  const found = new Set<string>()
  for (const [run] of text.matchAll(/[0-9A-Za-z]{12,}/g)) {
    for (let position = 0; position + MIN_LEAK_LENGTH <= run.length; position += 1) {
      const key = parts.get(run.slice(position, position + MIN_LEAK_LENGTH))
      if (key) found.add(key)
    }
  }
  return [...found]
}

/** Every row of every table, as text. */
const rowsOf = (url: string): Promise<string> =>
  withStore(url, async ({ db }) => {
    const texts: string[] = []
    for (const { name } of await db.introspection.getTables()) {
      const { rows } = await sql<{ line: string }>`select t::text as line from ${sql.table(name)} t`.execute(
        db,
      )
      texts.push(name, ...rows.map(({ line }) => line))
    }
    return texts.join('\n')
  })

/** Every key and value in Redis, and its list of clients. */
async function contentsOf(url: string): Promise<string> {
  const client = new Redis(url)
  const texts = [String(await client.call('CLIENT', 'LIST'))]
  for (const name of await client.keys('*')) {
    texts.push(name, (await client.dumpBuffer(name))?.toString('latin1') ?? '')
    const type = await client.type(name)
    if (type === 'hash') texts.push(JSON.stringify(await client.hgetall(name)))
    if (type === 'string') texts.push(String(await client.get(name)))
    if (type === 'zset') texts.push(String(await client.zrange(name, '0', '-1')))
  }
  client.disconnect()
  return texts.join('\n')
}

function assertOwnLines(log: string, minRequests: number): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for control characters
  assert.doesNotMatch(log, /[\0-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]/)
  const lines = log.split('\n').filter(Boolean)
  for (const line of lines) {
    const entry = JSON.parse(line)
    assert.equal(typeof entry.msg, 'string', line)
    assert.equal(entry[FORGED], undefined, line)
  }
  const answered = lines.filter((line) => JSON.parse(line).msg === 'request')
  assert.ok(answered.length > minRequests, `${answered.length} requests in the log`)
}

const TITLE = `${KEYS} keys in use: no key is in the store, its files, a backup or the log`
testOnEachStore(TITLE, async (t, { stores, embedded, part }) => {
  const { DATABASE_URL, REDIS_URL = '' } = stores
  const texts: string[] = []
  const read = (file: string): void => void texts.push(readFileSync(file, 'latin1'))
  const random = randomOf(part)
  const { keys, hashes, log, requests, firstKey } = await runService(t, stores, {
    random,
    keyCount: KEYS,
    async whileServing() {
      if (!embedded) return void texts.push(await contentsOf(REDIS_URL), await rowsOf(DATABASE_URL))
      const backup = join(scratchFolder(t), 'backup.db')
      const { code, stderr } = await spawnCli(t, ['backup', backup], stores).exited
      assert.equal(code, 0, stderr)
      for (const end of ['', '-wal', '-shm']) read(fileOf(DATABASE_URL) + end)
      read(backup)
    },
  })
  if (embedded) read(fileOf(DATABASE_URL))
  const stored = texts.join('\n')

  assert.deepEqual(findLeaks(stored, keys), [], 'keys in the store')
  assert.deepEqual(findLeaks(log, keys), [], 'keys in the log')
  assertOwnLines(log, requests / 4)
  // Control: the hashes are in the searched bytes, and a planted key is found.
  const absent = hashes.filter((hash) => !stored.includes(hash))
  assert.deepEqual(absent, [])
  assert.deepEqual(findLeaks(`${stored} ${keys[0]?.slice(RANDOM_PART, -20)} ${log}`, keys), [keys[0]])
  const megabytes = ((stored.length + log.length) / 1e6).toFixed(1)
  assert.ok(firstKey)
  reportFigure(
    t,
    `${keys.length} keys, ${requests} requests, ${megabytes} MB searched: 0 found, 0 forged lines`,
  )
})
