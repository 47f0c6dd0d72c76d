import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import pg from 'pg'
import { fileOf } from '../../src/db/store-url.ts'
import { spawnCli } from '../../src/testing/process.ts'
import { scratchFolder } from '../../src/testing/start-app.ts'
import { randomOf, reportFigure, rounds } from '../lab/rounds.ts'
import { testOnEachStore } from '../lab/stores.ts'
import { FORGED, runService } from './secrets-life.ts'

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
async function rowsOf(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows: tables } = await client.query(
    `select tablename as name from pg_tables where schemaname = 'public'`,
  )
  const texts: string[] = []
  for (const { name } of tables) {
    const { rows } = await client.query(`select t::text as line from ${name} t`)
    texts.push(name, ...rows.map(({ line }) => line))
  }
  await client.end()
  return texts.join('\n')
}

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
