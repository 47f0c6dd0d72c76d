import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openForCommand } from '../src/db/database.ts'
import * as keyStore from '../src/keys/store.ts'
import { cleanup } from '../src/testing/cleanup.ts'
import { freePort } from '../src/testing/port.ts'
import { spawnCli } from '../src/testing/process.ts'
import { makeKey, UNLIMITED } from '../src/testing/start-app.ts'
import { faultOf } from './contract-check.ts'
import { OPERATIONS, route } from './contract-description.ts'
import { type Keys, type Memory, type Request, requestsOf } from './contract-requests.ts'
import { type Answer, pipeline } from './contract-wire.ts'
import { randomOf, reached, rounds, seed } from './given.ts'
import { STORES } from './stores.ts'

const REQUESTS = rounds(20_000)
/**
 * Connections, and the share of the requests, for each of STORES; and of the answers those that may be a 503:
 * where other programs take part, a busy machine may be too slow for one of them.
 */
const LOADS = [
  { connections: 64, share: 1, busy: 0 },
  { connections: 8, share: 0.1, busy: 0.001 },
]
/** From so many on, chance does not pass over any operation. */
const ENOUGH = 5_000
const MOST_AT_ONCE = 12
const REMEMBERED = 20

for (const [part, stores] of STORES.entries()) {
  const { connections, share, busy } = LOADS[part] ?? { connections: 1, share: 1, busy: 0 }
  const requests = Math.ceil(REQUESTS * share)

  test(`every answer to ${requests} random requests is as openapi.json describes it, on ${stores.name}`, {
    skip: stores.skip,
  }, async (t) => {
    const settings = {
      ...(await stores.open(t)),
      PORT: String(await freePort()),
      LOG_LEVEL: 'error',
      ANONYMOUS_PER_MINUTE: '1000000000',
      ANONYMOUS_PER_DAY: '1000000000',
    }
    const keys = await makeKeys(settings.DATABASE_URL)
    const { child, output, serving } = spawnCli(t, ['serve'], settings)
    await serving

    const seen = new Map<string, number>()
    const faults = new Map<string, string>()
    const streams = Array.from({ length: connections }, (_, stream) =>
      fuzz(t, {
        port: Number(settings.PORT),
        keys,
        part,
        stream,
        requests: Math.ceil(requests / connections),
        seen,
        faults,
      }),
    )
    await Promise.all(streams)

    assert.equal(faults.size, 0, [`seed ${seed}`, ...[...faults].flat()].join('\n'))
    assert.equal(child.exitCode, null, 'the service ended')
    assert.doesNotMatch(output.stdout + output.stderr, /"level":(50|60)|Error/)
    const kinds = [...seen.keys()]
    if (requests >= ENOUGH) {
      const unmet = OPERATIONS.filter(
        ({ operationId }) => !kinds.some((kind) => kind.startsWith(`${operationId} 2`)),
      )
      assert.deepEqual(
        unmet.map(({ operationId }) => operationId),
        [],
        'operations that never answered with success',
      )
    }
    const count = (...some: string[]): number => some.reduce((sum, kind) => sum + (seen.get(kind) ?? 0), 0)
    const unavailable = count(...kinds.filter((kind) => kind.endsWith(' 503')))
    assert.ok(unavailable <= requests * busy, `${unavailable} answers of 503`)
    reached(
      t,
      `${count(...kinds)} answers of ${kinds.length} kinds, all as described, ${unavailable} of them 5xx`,
    )
  })
}

async function makeKeys(databaseUrl: string): Promise<Keys> {
  const keys = {
    admin: await makeKey(databaseUrl, { ...UNLIMITED, access: 'admin' }),
    write: await makeKey(databaseUrl, UNLIMITED),
    read: await makeKey(databaseUrl, { ...UNLIMITED, access: 'read' }),
    small: await makeKey(databaseUrl, { plan: 'enterprise', limits: { perMinute: 8, perDay: 60 } }),
    revoked: await makeKey(databaseUrl, UNLIMITED),
  }
  const { write, close } = await openForCommand(databaseUrl)
  await write(keyStore.revokeKey, Object.keys(keys).length, Date.now())
  await close()
  return keys
}

interface Stream {
  port: number
  keys: Keys
  part: number
  stream: number
  requests: number
  /** How often there was each kind of answer. */
  seen: Map<string, number>
  /** One example of each kind of fault. */
  faults: Map<string, string>
}

/** Sends requests over one connection, several at once, and checks every answer. */
async function fuzz(
  t: TestContext,
  { port, keys, part, stream, requests, seen, faults }: Stream,
): Promise<void> {
  const random = randomOf(part * 100 + stream)
  const memory: Memory = { latest: { pets: 1, categories: 8, orders: 1 }, etags: [], pages: [] }
  const { next } = requestsOf({ random, keys, memory, name: `c${stream}` })
  const { exchange, exchangeLast, close } = pipeline(port)
  cleanup(t).defer(close)

  const check = (request: Request, answer: Answer): void => {
    const fault = faultOf(request, answer)
    const { operation } = request.broken ? {} : route(request.method, request.target)
    const kind = `${operation?.operationId ?? 'none'} ${answer.status}`
    seen.set(kind, (seen.get(kind) ?? 0) + 1)
    if (fault) faults.set(`${kind}: ${fault}`, report(request, answer))
    if (request.method !== 'HEAD' && operation) remember(memory, operation.path, answer)
  }

  for (let sent = 0; sent < requests; ) {
    let batch = Array.from({ length: random.whole(1, MOST_AT_ONCE) }, next)
    sent += batch.length
    const last = batch.filter(({ broken }) => broken)
    batch = batch.filter(({ broken }) => !broken)
    try {
      let atOnce = batch.length
      while (batch.length > 0) {
        const answers = await exchange(batch.slice(0, atOnce))
        for (const [place, answer] of answers.entries()) check(batch[place] as Request, answer)
        batch = batch.slice(answers.length)
        // Where the service closes the connection, what it has not answered is sent again, one by one.
        assert.ok(atOnce > 1 || answers.length > 0, 'the connection was closed without an answer')
        atOnce = 1
      }
      for (const one of last) {
        batch = [one]
        for (const answer of await exchangeLast(one)) check(one, answer)
      }
    } catch (error) {
      throw new Error(`seed ${seed}, connection ${stream}: ${(error as Error).message}`, {
        cause: batch.map(show),
      })
    }
  }
}

function remember({ latest, etags, pages }: Memory, path: string, { status, headers, text }: Answer): void {
  const kind = path === '/pets' ? 'pets' : path === '/categories' ? 'categories' : 'orders'
  if (status === 201) latest[kind] = Math.max(latest[kind], JSON.parse(text).id)
  const page = /<[^>]*?(\/v1\/[^>]*)>; rel="next"/.exec(headers.link ?? '')?.[1]
  if (page) pages.push(page)
  if (headers.etag) etags.push(headers.etag)
  for (const list of [pages, etags]) if (list.length > REMEMBERED) list.shift()
}

function show({ bytes }: Pick<Request, 'bytes'>): string {
  return JSON.stringify(bytes.toString('latin1').slice(0, 4_000))
}

function report({ bytes, fits }: Request, { status, headers, text }: Answer): string {
  return [
    `request${fits === undefined ? '' : fits ? ', as described' : ', not as described'}: ${show({ bytes })}`,
    `answer: ${status} ${JSON.stringify(headers)} ${text.slice(0, 2_000)}`,
  ].join('\n')
}
