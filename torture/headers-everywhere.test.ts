import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import net from 'node:net'
import { test } from 'node:test'
import pg from 'pg'
import { NEEDED_ACCESS } from '../src/access.ts'
import { type Answer, assertError, readAnswers } from '../src/testing/client.ts'
import { scratchDatabase } from '../src/testing/postgres.ts'
import { startProxy } from '../src/testing/proxy.ts'
import { startApp, type TestApp, UNLIMITED } from '../src/testing/start-app.ts'
import { connections, figuresOf, makeKeys } from './exact-services.ts'
import { reached } from './given.ts'

interface Operation {
  method: string
  path: string
  takesBody: boolean
  needs: string
}

function operations(): Operation[] {
  const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
    paths: Record<string, Record<string, { operationId: keyof typeof NEEDED_ACCESS; requestBody?: object }>>
  }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method !== 'parameters')
      .map(([method, { operationId, requestBody }]) => ({
        method: method.toUpperCase(),
        path: `/v1${path.replace(/\{\w+\}/, '1')}`,
        takesBody: requestBody !== undefined,
        needs: NEEDED_ACCESS[operationId],
      })),
  )
}

const MANY = { ANONYMOUS_PER_MINUTE: '1000000', ANONYMOUS_PER_DAY: '1000000' }
const BODY = JSON.stringify({
  name: 'a',
  status: 'available',
  petId: 1,
  categoryId: 1,
  adopter: { name: 'a', email: 'a@example.org' },
})
const LONG = 'a'.repeat(20_000)

/** Status, code and bytes of requests that each operation has to refuse. */
function faultsOf({ method, path, takesBody, needs }: Operation, keys: Record<string, string>): Fault[] {
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
    [400, 'bad_request', head(line, valid, 'Host: other.example')],
    [400, 'bad_request', head(line, valid, 'a b: c')],
    [400, 'bad_request', head(line, valid, 'Content-Length: 5', 'Transfer-Encoding: chunked')],
    [414, 'uri_too_long', head(`${line}?${LONG.slice(0, 9_000)}`, valid)],
    [431, 'headers_too_large', head(line, valid, `a: ${LONG}`)],
    [408, 'request_timeout', head(line, valid).slice(0, -2)],
    ...['PUT', 'OPTIONS', 'TRACE', 'PROPFIND'].map((other): Fault => {
      return [405, 'method_not_allowed', head(`${other} ${path}`, valid)]
    }),
  ]
  if (needs !== 'read') faults.push([403, 'insufficient_access', head(line, reading)])
  if (takesBody)
    faults.push(
      [408, 'request_timeout', `${head(line, valid, json, 'Content-Length: 20')}{`],
      [413, 'payload_too_large', head(line, valid, json, 'Content-Length: 1073741824')],
      [
        415,
        'unsupported_media_type',
        `${head(line, valid, 'Content-Type: text/plain', 'Content-Length: 2')}{}`,
      ],
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

type Fault = [status: number, code: string, bytes: string]

/** Sends bytes on a connection of their own; the answers until the server closes it. */
async function converse({ port }: TestApp, bytes: string): Promise<Answer[]> {
  const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.setTimeout(20_000, () => socket.destroy(new Error(`no answer to ${bytes.slice(0, 200)}`)))
  socket.write(bytes, 'latin1')
  return readAnswers(String(Buffer.concat(await socket.toArray())))
}

async function assertRefused(app: TestApp, [status, code, bytes]: Fault): Promise<void> {
  const about = `${bytes.slice(0, 100)} … ${status} ${code}`
  const [answer, ...others] = await converse(app, bytes)
  assert.ok(answer, about)
  assert.equal(others.length, 0, about)
  if (code !== 'HEAD') return assertError(answer, status, code, about)
  assert.deepEqual([answer.status, answer.text], [status, ''], about)
  const { limit, remaining, reset } = figuresOf(answer)
  assert.ok(Number.isInteger(limit + remaining + reset), about)
}

test('every error of every operation has the headers and the Error body', async (t) => {
  const app = await startApp(t, {
    key: { ...UNLIMITED, access: 'admin' },
    settings: {
      ...MANY,
      BAN_AFTER_REFUSALS: '200',
      HEADERS_TIMEOUT_SECONDS: '1',
      REQUEST_TIMEOUT_SECONDS: '1',
    },
  })
  const one = { plan: 'enterprise', limits: { perMinute: 1, perDay: 1 } } as const
  const unlimited = { ...UNLIMITED, access: 'read' } as const
  const [spent = '', banned = '', reading = ''] = await makeKeys(app.databaseUrl, [one, one, unlimited])
  const { get } = connections(t, 8)
  const use = (key: string): Promise<Answer> => get(`http://127.0.0.1:${app.port}`, '/v1/pets', key)
  await use(spent)
  await Promise.all(Array.from({ length: 202 }, () => use(banned)))
  const found = operations()
  const faults = found.flatMap((operation) => {
    return faultsOf(operation, { valid: app.key, spent, banned, reading })
  })
  const [slow, quick] = [
    faults.filter(([status]) => status === 408),
    faults.filter(([status]) => status !== 408),
  ]

  for (const fault of quick) await assertRefused(app, fault)
  await Promise.all(slow.map((fault) => assertRefused(app, fault)))

  reached(t, `${found.length} operations, ${faults.length} errors: all with headers and body`)
})

test('every operation without its store, or with a broken one, has the headers and the Error body', async (t) => {
  const url = new URL(await scratchDatabase(t))
  const proxy = await startProxy(t, { host: url.hostname, port: Number(url.port) })
  url.port = String(proxy.port)
  const app = await startApp(t, {
    databaseUrl: url.href,
    key: { ...UNLIMITED, access: 'admin' },
    settings: MANY,
  })
  const found = operations()
  async function assertAll(status: number, code: string): Promise<void> {
    for (const { method, path, takesBody } of found) {
      const body = !takesBody ? '' : path.includes('orders') ? BODY.replace('available', 'approved') : BODY
      const bytes = [`${method} ${path} HTTP/1.1`, 'Host: pets.example', 'Connection: close']
      bytes.push(`Authorization: Bearer ${app.key}`, `Content-Length: ${body.length}`)
      if (takesBody) bytes.push('Content-Type: application/json')
      await assertRefused(app, [status, code, `${bytes.join('\r\n')}\r\n\r\n${body}`])
    }
  }
  proxy.cut()
  await assertAll(503, 'service_unavailable')
  proxy.restore()
  await dropFeatures(app.databaseUrl)
  await assertAll(500, 'internal_error')
  reached(t, `${found.length} operations, ${2 * found.length} errors: all with headers and body`)
})

/** Breaks the store: only what tells keys and limits is left. */
async function dropFeatures(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query("select tablename as name from pg_tables where schemaname = 'public'")
  const doomed = rows.map(({ name }) => `"${name}"`).filter((name) => !/api_key|counter|secret/.test(name))
  await client.query(`drop table ${doomed.join(', ')} cascade`)
  await client.end()
}
