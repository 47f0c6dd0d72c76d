import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { changes } from '../../src/db/change.ts'
import * as keyStore from '../../src/keys/store.ts'
import { cleanup } from '../../src/testing/cleanup.ts'
import { UNLIMITED } from '../../src/testing/start-app.ts'
import { readAll } from '../lab/creators.ts'
import { times } from '../lab/parallel.ts'
import { OPERATIONS, route } from '../lab/requests/description.ts'
import type { Request } from '../lab/requests/draft.ts'
import { spoilt } from '../lab/requests/mutations.ts'
import { type Caller, requestsOf } from '../lab/requests/requests.ts'
import { randomOf, seed } from '../lab/rounds.ts'
import { ANYBODY, startService } from '../lab/service.ts'
import { makeKeys, type On, withStore } from '../lab/stores.ts'
import { type Answer, connection } from '../lab/wire.ts'
import { faultOf } from './contract-check.ts'

const MAX_CONCURRENCY = 12
/** Of the requests that are not spoilt as bytes, so many have something wrong. */
const WRONG = 0.45
/** In characters: what the service wrote of a fault. */
const LOG_SHOWN = 4_000

/** Of one caller 8 photos wait for their turn, and more are refused: src/photos/renderer/turns.ts. */
export const IN_TURN = 'photos in turn 503'

interface Load {
  requests: number
  connections: number
  /** Of how many the bytes are changed. */
  share: number
  /** How long one of those may stay without an end. */
  lastMs?: number
  /** Goes on, up to five times as many requests, until each operation has answered with success. */
  everyOperation?: boolean
}

/**
 * Random requests to a service on these stores, over several connections, each answer as openapi.json
 * describes it; whatever the bytes are, in HTTP and without a 5xx.
 *
 * @returns how many answers there were of each kind, such as "listPets 200"
 */
export async function fuzz(t: TestContext, on: On, load: Load) {
  const { requests, connections, share, lastMs, everyOperation = false } = load
  const settings = { ...on.stores, ...ANYBODY, LOG_LEVEL: 'error' }
  const service = await startService(t, { settings })
  const { port } = service
  // The first search by a place loads all of them, which takes seconds on a busy machine.
  await service.ask('/v1/pets?near=1')
  const callers = await makeCallers(on.stores.DATABASE_URL)
  const seen = new Map<string, number>()
  const faults = new Map<string, string>()
  const part = Math.ceil(requests / connections)
  const all = {
    port,
    callers,
    part: on.part,
    isEnough: (sent: number) =>
      sent >= part && (!everyOperation || sent >= 5 * part || withoutSuccess(seen).length === 0),
    share,
    lastMs,
    seen,
    faults,
  }
  await Promise.all(times(connections, (stream) => send(t, { ...all, stream })))

  const { stdout, stderr } = service.process.output
  const found = [`seed ${seed}`, ...[...faults].flat(), `log: ${(stdout + stderr).slice(-LOG_SHOWN)}`]
  assert.equal(faults.size, 0, found.join('\n'))
  assert.ok(service.alive(), 'the service ended')
  assert.doesNotMatch(stdout + stderr, /"level":(50|60)|Error/)
  assert.equal((await service.ask('/readyz')).status, 200)
  await readAll(service)
  return seen
}

/** The operations that never answered with success. */
export function withoutSuccess(seen: Map<string, number>): string[] {
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
  /** Whether so many requests are enough. */
  isEnough: (sent: number) => boolean
  share: number
  lastMs: number | undefined
  /** How often there was each kind of answer. */
  seen: Map<string, number>
  /** One example of each kind of fault. */
  faults: Map<string, string>
}

/** Sends requests over one connection, several at once, and checks every answer. */
async function send(t: TestContext, given: Stream): Promise<void> {
  const { port, callers, part, stream, isEnough, share, lastMs, seen, faults } = given
  const random = randomOf(part * 100 + stream)
  const { next, learn } = requestsOf({ random, callers, name: `c${stream}`, wrong: WRONG })
  const { ask, askLast, close } = connection(port, lastMs)
  cleanup(t).defer(close)

  const make = (): Request => {
    const request = next()
    return random.often(share) && request.method !== 'HEAD' ? spoilt(random, request) : request
  }
  const check = (request: Request, answer: Answer): void => {
    const fault = faultOf(request, answer)
    const { operation } = request.broken ? {} : route(request.method, request.target)
    const isInTurn = answer.status === 503 && /photos wait to be read/.test(answer.text)
    const kind = isInTurn ? IN_TURN : `${operation?.operationId ?? 'none'} ${answer.status}`
    seen.set(kind, (seen.get(kind) ?? 0) + 1)
    if (fault) faults.set(`${kind}: ${fault}`, report(request, answer))
    if (operation) learn(request, answer)
  }

  for (let sent = 0; !isEnough(sent); ) {
    const made = times(random.whole(1, MAX_CONCURRENCY), make)
    sent += made.length
    const last = made.filter(({ broken }) => broken)
    let batch = made.filter(({ broken }) => !broken)
    try {
      for (let atOnce = countUntilUpgrade(batch); batch.length > 0; atOnce = 1) {
        const answers = await ask(batch.slice(0, atOnce))
        for (const [place, answer] of answers.entries()) check(batch[place] as Request, answer)
        batch = batch.slice(answers.length)
        // Where the service closes the connection, what it has not answered is sent again, one by one.
        assert.ok(atOnce > 1 || answers.length > 0, 'the connection was closed without an answer')
      }
      for (const one of last) {
        batch = [one]
        for (const answer of await askLast(one)) check(one, answer)
      }
    } catch (error) {
      const about = `seed ${seed}, connection ${stream}: ${(error as Error).message}`
      throw new Error(about, { cause: batch.map(show) })
    }
  }
}

/** How many may be sent at once: after an offer of another protocol a client waits for the answer. */
function countUntilUpgrade(batch: Request[]): number {
  const upgrade = batch.findIndex(({ bytes }) => /\r\nupgrade:/i.test(bytes.toString('latin1')))
  return upgrade < 0 ? batch.length : upgrade + 1
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
