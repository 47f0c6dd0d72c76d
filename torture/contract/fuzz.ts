import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { changes } from '../../src/db/change.ts'
import * as keyStore from '../../src/keys/store.ts'
import { cleanup } from '../../src/testing/cleanup.ts'
import { UNLIMITED } from '../../src/testing/start-app.ts'
import { readAll } from '../lab/creators.ts'
import { times } from '../lab/parallel.ts'
import { findRoute, OPERATIONS } from '../lab/requests/description.ts'
import type { Request } from '../lab/requests/draft.ts'
import { corruptBytes } from '../lab/requests/mutations.ts'
import { type Caller, createRequests } from '../lab/requests/requests.ts'
import { randomOf, seed } from '../lab/rounds.ts'
import { NO_ANONYMOUS_LIMITS, startService } from '../lab/service.ts'
import { makeKeys, type StoreContext, withStore } from '../lab/stores.ts'
import { type Answer, connection } from '../lab/wire.ts'
import { faultOf } from './contract-check.ts'

const MAX_CONCURRENCY = 12
/** Fraction of the requests that are mutated, not counting requests whose bytes are changed. */
const INVALID_SHARE = 0.45
/** Characters of the service's log in a failure message. */
const MAX_LOG_LENGTH = 4_000

interface Load {
  requests: number
  connections: number
  /** Fraction of the requests whose bytes are changed. */
  share: number
  /** Time limit for the service to close the connection of a request whose bytes are changed. */
  lastMs?: number
  /** Sends up to five times as many requests until each operation has succeeded. */
  everyOperation?: boolean
}

/**
 * Sends random requests to a service on these stores over several connections. Asserts that each answer
 * matches openapi.json, and that changed bytes get an HTTP answer without a 5xx.
 *
 * @returns the number of answers of each kind, such as "listPets 200"
 */
export async function fuzz(t: TestContext, on: StoreContext, load: Load) {
  const { requests, connections, share, lastMs, everyOperation = false } = load
  const settings = { ...on.stores, ...NO_ANONYMOUS_LIMITS, LOG_LEVEL: 'error' }
  const service = await startService(t, { settings })
  const { port } = service
  // The first search by place loads all places, which takes seconds on a busy machine.
  await service.ask('/v1/pets?near=1')
  const callers = await makeCallers(on.stores.DATABASE_URL)
  const seen = new Map<string, number>()
  const faults = new Map<string, string>()
  const part = Math.ceil(requests / connections)
  const streamOptions = {
    port,
    callers,
    part: on.part,
    isEnough: (sent: number) =>
      sent >= part && (!everyOperation || sent >= 5 * part || findFailingOperations(seen).length === 0),
    share,
    lastMs,
    seen,
    faults,
  }
  await Promise.all(times(connections, (stream) => send(t, { ...streamOptions, stream })))

  const { stdout, stderr } = service.process.output
  const message = [`seed ${seed}`, ...[...faults].flat(), `log: ${(stdout + stderr).slice(-MAX_LOG_LENGTH)}`]
  assert.equal(faults.size, 0, message.join('\n'))
  assert.ok(service.alive(), 'the service ended')
  assert.doesNotMatch(stdout + stderr, /"level":(50|60)|Error/)
  assert.equal((await service.ask('/readyz')).status, 200)
  await readAll(service)
  return seen
}

/** Operations without any successful answer. */
export function findFailingOperations(seen: Map<string, number>): string[] {
  const names = OPERATIONS.map(({ operationId }) => operationId)
  return names.filter((name) => ![...seen.keys()].some((kind) => kind.startsWith(`${name} 2`)))
}

async function makeCallers(databaseUrl: string): Promise<[number, Caller][]> {
  const [admin, write, read, small, revoked] = await makeKeys(databaseUrl, [
    { ...UNLIMITED, access: 'admin' },
    UNLIMITED,
    { ...UNLIMITED, access: 'read' },
    { plan: 'enterprise', limits: { perMinute: 8, perDay: 60 } },
    UNLIMITED,
  ])
  await withStore(databaseUrl, async ({ db, write }) => {
    const newest = (await keyStore.list(db)).at(-1)
    await write(changes.revokeKey, newest?.id ?? 0, Date.now())
  })
  return [
    [60, admin],
    [30, write],
    [5, read],
    [2, small],
    [1, revoked],
    [1, 'adopt_live_x'],
    [1, undefined],
  ]
}

interface Stream {
  port: number
  callers: [number, Caller][]
  part: number
  stream: number
  /** Whether this number of requests is enough. */
  isEnough: (sent: number) => boolean
  share: number
  lastMs: number | undefined
  /** Number of answers of each kind. */
  seen: Map<string, number>
  /** One example of each kind of fault. */
  faults: Map<string, string>
}

/** Sends requests over one connection, several at a time, and checks every answer. */
async function send(t: TestContext, options: Stream): Promise<void> {
  const { port, callers, part, stream, isEnough, share, lastMs, seen, faults } = options
  const random = randomOf(part * 100 + stream)
  const { next, learn } = createRequests({ random, callers, name: `c${stream}`, invalidShare: INVALID_SHARE })
  const { ask, askLast, close } = connection(port, lastMs)
  cleanup(t).defer(close)

  const make = (): Request => {
    const request = next()
    return random.chance(share) && request.method !== 'HEAD' ? corruptBytes(random, request) : request
  }
  const check = (request: Request, answer: Answer): void => {
    const fault = faultOf(request, answer)
    const { operation } = request.broken ? {} : findRoute(request.method, request.target)
    const kind = `${operation?.operationId ?? 'none'} ${answer.status}`
    seen.set(kind, (seen.get(kind) ?? 0) + 1)
    if (fault) faults.set(`${kind}: ${fault}`, report(request, answer))
    if (operation) learn(request, answer)
  }

  for (let sent = 0; !isEnough(sent); ) {
    const made = times(random.integer(1, MAX_CONCURRENCY), make)
    sent += made.length
    const lastRequests = made.filter(({ broken }) => broken)
    let batch = made.filter(({ broken }) => !broken)
    try {
      for (let size = countUntilUpgrade(batch); batch.length > 0; size = 1) {
        const answers = await ask(batch.slice(0, size))
        for (const [index, answer] of answers.entries()) check(batch[index] as Request, answer)
        batch = batch.slice(answers.length)
        // If the service closes the connection, the unanswered requests are sent again one by one.
        assert.ok(size > 1 || answers.length > 0, 'the connection was closed without an answer')
      }
      for (const request of lastRequests) {
        batch = [request]
        for (const answer of await askLast(request)) check(request, answer)
      }
    } catch (error) {
      const about = `seed ${seed}, connection ${stream}: ${(error as Error).message}`
      throw new Error(about, { cause: batch.map(show) })
    }
  }
}

/** How many requests may be sent together: after an Upgrade header a client waits for the answer. */
function countUntilUpgrade(batch: Request[]): number {
  const upgrade = batch.findIndex(({ bytes }) => /\r\nupgrade:/i.test(bytes.toString('latin1')))
  return upgrade < 0 ? batch.length : upgrade + 1
}

function show({ bytes }: Pick<Request, 'bytes'>): string {
  return JSON.stringify(bytes.toString('latin1').slice(0, 4_000))
}

function report({ bytes, valid }: Request, { status, headers, text }: Answer): string {
  const expectation = valid === undefined ? '' : valid ? ', as described' : ', not as described'
  return [
    `request${expectation}: ${show({ bytes })}`,
    `answer: ${status} ${JSON.stringify(headers)} ${text.slice(0, 2_000)}`,
  ].join('\n')
}
