import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { changes } from '../../src/db/change.ts'
import { ERRORS } from '../../src/errors.ts'
import * as keyStore from '../../src/keys/store.ts'
import { cleanup } from '../../src/testing/cleanup.ts'
import { UNLIMITED } from '../../src/testing/start-app.ts'
import { readAll } from '../lab/creators.ts'
import { times } from '../lab/parallel.ts'
import {
  findMismatch,
  findRoute,
  OPERATIONS,
  type Operation,
  pathOf,
  RANDOM_OPERATIONS,
  type Request,
} from '../lab/requests/description.ts'
import { corruptBytes } from '../lab/requests/mutations.ts'
import { type Caller, createRequests } from '../lab/requests/requests.ts'
import { randomOf, seed } from '../lab/rounds.ts'
import { NO_ANONYMOUS_LIMITS, startService } from '../lab/service.ts'
import { makeKeys, type StoreContext, withStore } from '../lab/stores.ts'
import { type Answer, connection } from '../lab/wire.ts'

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
  // The rows count answers with 503.
  assert.doesNotMatch((stdout + stderr).replace(/.*"service_unavailable".*/g, ''), /"level":[56]0|Error/)
  assert.equal((await service.ask('/readyz')).status, 200)
  await readAll(service)
  return seen
}

/** Operations without any successful answer. */
export function findFailingOperations(seen: Map<string, number>): string[] {
  const names = RANDOM_OPERATIONS.map(({ operationId }) => operationId)
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

/** Error statuses that every operation may answer. */
const EVERYWHERE = Object.keys(OPERATIONS[0]?.responses ?? {}).filter(
  (status) => Number(status) >= 400 && OPERATIONS.every(({ responses }) => responses[status]),
)
const ERROR = { $ref: '#/components/schemas/Error' }
const RATE_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']
/** Headers of HTTP itself, which are not in the description. */
const OF_HTTP = ['date', 'connection', 'keep-alive', 'content-type', 'content-length', 'content-encoding']
const INTEGER = /^(0|-?[1-9]\d*)$/

/** @returns how the answer differs from the description; undefined when it matches */
function faultOf(request: Request, answer: Answer): string | undefined {
  if (answer.status >= 500 && answer.status !== 503) return 'a 5xx'
  if (request.broken && isOfOtherFace(answer)) return undefined
  const matched = request.broken ? { methods: [] } : findRoute(request.method, request.target)
  return (
    faultOfStatus(request, answer, matched.operation, matched.methods) ??
    faultOfHeaders(request, answer, matched.operation) ??
    faultOfBody(request, answer, matched.operation) ??
    faultOfVerdict(request, answer)
  )
}

/**
 * Changed bytes may turn the target into a path of the gallery, which answers with pages, or of /v2 and its
 * other versions, which have another format for errors.
 */
function isOfOtherFace({ headers }: Answer): boolean {
  return /^(text\/html|application\/problem\+json)\b/.test(headers['content-type'] ?? '')
}

function faultOfStatus(
  { broken }: Request,
  { status, headers }: Answer,
  operation: Operation | undefined,
  methods: string[],
): string | undefined {
  if (broken || operation?.responses[status]) return undefined
  if (operation) return `${operation.operationId} does not describe ${status}`
  if (EVERYWHERE.includes(String(status))) return undefined
  if (status !== (methods.length > 0 ? 405 : 404)) return `${status} for a target without operation`
  if (status === 405 && headers.allow !== methods.join(', ')) return `Allow is not ${methods}`
  return undefined
}

function faultOfHeaders(
  { broken, id, target }: Request,
  { status, headers }: Answer,
  operation: Operation | undefined,
): string | undefined {
  const sent = headers['x-request-id'] ?? ''
  if (id === undefined ? !/^[\w.-]{1,128}$/.test(sent) : sent !== id) return `X-Request-Id is not ${id}`
  const limited = !broken && /^\/v1\//.test(pathOf(target) ?? target)
  for (const name of limited ? RATE_HEADERS : []) {
    if (!INTEGER.test(headers[name] ?? '')) return `${name} is not an integer`
  }
  if (!operation) return undefined
  const described = Object.entries(operation.responses[status]?.headers ?? {})
  const names = [...OF_HTTP, ...described.map(([name]) => name.toLowerCase())]
  const unknown = Object.keys(headers).filter((name) => !names.includes(name))
  if (unknown.length > 0) return `${unknown} are not described`
  for (const [name, { required, schema }] of described) {
    const value = headers[name.toLowerCase()]
    if (value === undefined && required) return `${name} is missing`
    if (value !== undefined && schema.type === 'integer' && !INTEGER.test(value))
      return `${name} is not an integer`
  }
  return undefined
}

function faultOfBody(
  { broken, method, target }: Request,
  { status, headers, text }: Answer,
  operation: Operation | undefined,
): string | undefined {
  if (method === 'HEAD' || status === 204 || status === 304)
    return text === '' ? undefined : 'a body where none is allowed'
  if (headers['content-type'] !== 'application/json; charset=utf-8')
    return 'the content type is not JSON in UTF-8'
  const body = JSON.parse(text)
  if (status >= 400) return findMismatch(ERROR, body) ?? faultOfError(status, body)
  // With `fields` the answer has only the named members, without the required members.
  if (broken || /[?&]fields=/.test(target)) return undefined
  const schema = operation?.responses[status]?.content?.['application/json']?.schema
  return schema ? findMismatch(schema, body) : 'the description has no content'
}

interface ErrorBody {
  code: string
  status: number
  details?: { code: string }[]
}

function faultOfError(status: number, body: ErrorBody): string | undefined {
  const [expectedStatus] = ERRORS[body.code as keyof typeof ERRORS] ?? []
  if (expectedStatus !== status || body.status !== status) return `${body.code} belongs to ${expectedStatus}`
  if (body.details && (status !== 400 || body.details.length === 0)) return 'unexpected details'
  return undefined
}

/** An invalid request must be rejected, and a valid one must not be called invalid. */
function faultOfVerdict({ valid, method }: Request, { status, text }: Answer): string | undefined {
  if (valid === undefined) return undefined
  if (!valid) return status < 400 ? 'an invalid request was accepted' : undefined
  if (![400, 413, 414, 415, 431].includes(status)) return undefined
  const { details = [] }: ErrorBody = method === 'HEAD' ? {} : JSON.parse(text)
  const isUnknownCategory = details.length > 0 && details.every(({ code }) => code === 'unknown_category')
  return isUnknownCategory ? undefined : 'a valid request was rejected'
}
