import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { assertError } from '../../src/testing/client.ts'
import { scratchDatabase } from '../../src/testing/postgres.ts'
import { startProxy } from '../../src/testing/proxy.ts'
import { startApp, type TestApp, UNLIMITED } from '../../src/testing/start-app.ts'
import { times } from '../lab/parallel.ts'
import { OPERATIONS, type Operation } from '../lab/requests/description.ts'
import { reportFigure } from '../lab/rounds.ts'
import { NO_ANONYMOUS_LIMITS } from '../lab/service.ts'
import { makeKeys } from '../lab/stores.ts'
import { exchange, readAnswers } from '../lab/wire.ts'
import { figuresOf } from '../limits/answers.ts'

const BODY = JSON.stringify({
  name: 'a',
  status: 'available',
  petId: 1,
  categoryId: 1,
  adopter: { name: 'a', email: 'a@example.org' },
  applicant: { name: 'a', email: 'a@example.org' },
  url: 'https://a.example/',
})
/** Required parameters, which let a request reach the store. */
const QUERIES: Record<string, string> = {
  listPetFacets: '?facet=status',
  recoverDeliveries: '?since=2026-12-01T00:00:00Z',
}

/** Requests that each operation must reject. */
function faultsOf(operation: Operation, keys: Record<string, string>): Fault[] {
  const { method, requestBody, 'x-access': needs } = operation
  const path = pathOf(operation)
  const head = (start: string, key: string | undefined, ...fields: string[]): string =>
    `${[`${start} HTTP/1.1`, 'Host: pets.example', 'Connection: close', ...fields].join('\r\n')}\r\n${
      key ? `Authorization: Bearer ${key}\r\n` : ''
    }\r\n`
  const line = `${method} ${path}`
  const { valid, spent, banned, reading } = keys
  const json = 'Content-Type: application/json'
  const faults: Fault[] = [
    [401, 'missing_api_key', head(line, undefined)],
    [401, 'invalid_api_key', head(line, `adopt_live_${'0'.repeat(36)}`)],
    [429, 'rate_limit_exceeded', head(line, spent)],
    [429, 'api_key_banned', head(line, banned)],
    [404, 'route_not_found', head(`${method} ${path}/nowhere/at/all`, valid)],
    [400, 'bad_request', head(`${method} ${path}/%zz`, valid)],
    [414, 'uri_too_long', head(`${line}?${'a'.repeat(9_000)}`, valid)],
    ...['PUT', 'OPTIONS', 'TRACE', 'PROPFIND'].map((other): Fault => {
      return [405, 'method_not_allowed', head(`${other} ${path}`, valid)]
    }),
  ]
  if (needs !== 'read') faults.push([403, 'insufficient_access', head(line, reading)])
  if (requestBody)
    faults.push([
      415,
      'unsupported_media_type',
      `${head(line, valid, 'Content-Type: text/plain', 'Content-Length: 2')}{}`,
    ])
  if (requestBody && !takesPhoto(path))
    faults.push(
      [408, 'request_timeout', `${head(line, valid, json, 'Content-Length: 20')}{`],
      [413, 'payload_too_large', head(line, valid, json, 'Content-Length: 1073741824')],
      [400, 'invalid_json', `${head(line, valid, json, 'Content-Length: 1')}{`],
    )
  if (method === 'GET')
    faults.push(
      [401, 'HEAD', head(`HEAD ${path}`, undefined)],
      [429, 'HEAD', head(`HEAD ${path}`, spent)],
      [404, 'HEAD', head(`HEAD ${path}/nowhere`, valid)],
    )
  return faults
}

const takesPhoto = (path: string): boolean => path.endsWith('/photos')

type Fault = [status: number, code: string, bytes: string]

const pathOf = ({ path }: Operation): string => `/v1${path.replace(/\{\w+\}/g, '1')}`

async function assertRefused(app: TestApp, [status, code, bytes]: Fault): Promise<void> {
  const about = `${bytes.slice(0, 100)} … ${status} ${code}`
  const received = await exchange(app.port, bytes, { staysOpen: true })
  const [answer, ...others] = readAnswers(received, [bytes.split(' ', 1)[0] ?? ''])
  assert.ok(answer, about)
  assert.equal(others.length, 0, about)
  if (code !== 'HEAD') return assertError(answer, status, code, about)
  assert.deepEqual([answer.status, answer.text], [status, ''], about)
  const { limit, remaining, reset } = figuresOf(answer)
  assert.ok(Number.isInteger(limit + remaining + reset), about)
}

test('every error of every operation: the headers and the Error body', async (t) => {
  const app = await startApp(t, {
    key: { ...UNLIMITED, access: 'admin' },
    settings: {
      ...NO_ANONYMOUS_LIMITS,
      BAN_AFTER_REFUSALS: '200',
      REQUEST_TIMEOUT_SECONDS: '1',
    },
  })
  const onePerMinute = { plan: 'enterprise', limits: { perMinute: 1, perDay: 1 } } as const
  const unlimited = { ...UNLIMITED, access: 'read' } as const
  const [spent = '', banned = '', reading = ''] = await makeKeys(app.databaseUrl, [
    onePerMinute,
    onePerMinute,
    unlimited,
  ])
  const sendWith = (key: string) => app.get('/v1/pets', { authorization: `Bearer ${key}` })
  await sendWith(spent)
  await Promise.all(times(202, () => sendWith(banned)))
  const keys = { valid: app.key, spent, banned, reading }
  const faults = OPERATIONS.flatMap((operation) => faultsOf(operation, keys))
  const slow = faults.filter(([status]) => status === 408)
  const quick = faults.filter(([status]) => status !== 408)

  for (const fault of quick) await assertRefused(app, fault)
  await Promise.all(slow.map((fault) => assertRefused(app, fault)))

  reportFigure(t, `${OPERATIONS.length} operations, ${faults.length} errors: all with headers and body`)
})

test('every operation without its database or with broken tables: the headers and the Error body', async (t) => {
  const url = new URL(await scratchDatabase(t))
  const proxy = await startProxy(t, { host: url.hostname, port: Number(url.port) })
  url.port = String(proxy.port)
  const app = await startApp(t, {
    databaseUrl: url.href,
    key: { ...UNLIMITED, access: 'admin' },
    settings: NO_ANONYMOUS_LIMITS,
  })
  // An empty log of events is not read.
  await app.post('/v1/categories', { name: 'a' })
  async function assertAll(status: number, code: string, operations = OPERATIONS): Promise<void> {
    for (const operation of operations) {
      const [path, takesBody] = [pathOf(operation), operation.requestBody !== undefined]
      const isDecision = /orders|applications/.test(path)
      const body = !takesBody ? '' : isDecision ? BODY.replace('available', 'approved') : BODY
      const query = QUERIES[operation.operationId] ?? ''
      const bytes = [
        `${operation.method} ${path}${query} HTTP/1.1`,
        'Host: pets.example',
        'Connection: close',
      ]
      bytes.push(`Authorization: Bearer ${app.key}`, `Content-Length: ${body.length}`)
      if (takesBody) bytes.push(`Content-Type: ${takesPhoto(path) ? 'image/jpeg' : 'application/json'}`)
      await assertRefused(app, [status, code, `${bytes.join('\r\n')}\r\n\r\n${body}`])
    }
  }
  proxy.cut()
  await assertAll(503, 'service_unavailable')
  proxy.restore()
  // Waits until the service has confirmed again that no other process uses the database.
  while ((await app.get('/readyz')).status !== 200);
  await dropFeatures(app.databaseUrl)
  // A stream begins before it reads events.
  const reading = OPERATIONS.filter(({ operationId }) => operationId !== 'streamEvents')
  await assertAll(500, 'internal_error', reading)
  reportFigure(
    t,
    `${OPERATIONS.length} operations, ${OPERATIONS.length + reading.length} errors: all with headers and body`,
  )
})

/** Renames a column of every table, except those with keys and limits. */
async function dropFeatures(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(
    "select table_name as name, column_name as first from information_schema.columns where table_schema = 'public' and ordinal_position = 1",
  )
  for (const { name, first } of rows.filter(({ name }) => !/api_key|counter|secret|claim/.test(name)))
    await client.query(`alter table "${name}" rename column "${first}" to broken`)
  await client.end()
}
