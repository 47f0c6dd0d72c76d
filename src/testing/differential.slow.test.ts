import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startEngines } from '../../torture/contract/engines.ts'
import { compareStreams } from '../../torture/contract/stream.ts'
import { openForCommand } from '../db/open-database.ts'

// The short version of torture/contract/differential.test.ts, which sends 100,000 requests.
const REQUESTS = 1_000
/** Responses that the streams must include, so a poor stream is noticed. */
const EXPECTED = [
  ...['200', '201', '204', '304', '400 validation_failed', '400 invalid_parameter', '401 invalid_api_key'],
  ...['403 insufficient_access', '404 pet_not_found', '405 method_not_allowed', '409 pet_not_available'],
  ...['412 precondition_failed', '429 rate_limit_exceeded', '429 api_key_banned'],
]
/** If a stream lacks one of these responses, the next streams are searched for it. */
const MAX_STREAMS = 4
const seed = Number(process.env.DIFFERENTIAL_SEED ?? Date.now() % 1e6)

test(`${REQUESTS} random requests of seed ${seed}: both engines answer with the same bytes`, async (t) => {
  let missing = EXPECTED
  for (let stream = 0; missing.length > 0 && stream < MAX_STREAMS; stream += 1) {
    await t.test(`stream of seed ${seed + stream}`, async (t) => {
      const kinds = await compareStreams(t, { seed: seed + stream, requests: REQUESTS })
      missing = missing.filter((kind) => !kinds[kind])
    })
  }
  assert.deepEqual(missing, [], 'responses that did not occur')
})

test('a name changed in one store only makes the comparisons of responses and of rows fail', async (t) => {
  const { keys, sqlite, compare, compareRows } = await startEngines(t, Date.UTC(2026, 11, 1))
  const request = (line: string, body = ''): Parameters<typeof compare>[0] => ({
    bytes: Buffer.from(
      `${line} HTTP/1.1\r\nHost: a\r\nX-Request-Id: a\r\nAuthorization: Bearer ${keys.writer}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    ),
    method: '',
  })
  const { status } = await compare(request('POST /v1/pets', '{"name":"Rex","categoryId":1}'))
  assert.equal(status, 201)
  await compare(request('GET /v1/pets'))
  await compareRows()

  const store = await openForCommand(sqlite.databaseUrl)
  await store.db.updateTable('pet').set({ name: 'Max' }).execute()
  await store.close()

  await assert.rejects(compare(request('GET /v1/pets')), /answered differently.*Max.*PostgreSQL:.*Rex/s)
  await assert.rejects(compareRows(), /the rows in PostgreSQL are not those in SQLite/)
})
