import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { type TestContext, test } from 'node:test'
import { cleanup } from '../../src/testing/cleanup.ts'
import { megabytesOf, NEEDS_PROC } from '../lab/proc.ts'
import { reportFigure, rounds } from '../lab/rounds.ts'
import { createClient, NO_ANONYMOUS_LIMITS, type Service, startService } from '../lab/service.ts'
import { exchange, readAnswers } from '../lab/wire.ts'

const CONNECTIONS = 60
/** Bytes that each connection writes at once, as many as Node reads in one go. */
const BYTES = 65_536
const ATTACK_MS = rounds(50) < 10 ? 2_000 : 4_000
const REQUEST_TIMEOUT_MS = 20_000
const MAX_MEGABYTES = 400
const SMALL_HEAP = { NODE_OPTIONS: '--max-old-space-size=320' }
const HONEST_REQUESTS = 16

const get = (path: string, ...fields: string[]): string =>
  `${[`GET ${path} HTTP/1.1`, 'Host:a', ...fields].join('\r\n')}\r\n\r\n`

/** Requests that are sent repeatedly by clients that read no answer. Half of them send more when they can. */
const KINDS: Record<string, (key: string) => string> = {
  'the reference': () => get('/docs'),
  'the description': () => get('/openapi.json'),
  probes: () => 'GET /livez HTTP/1.1\r\n\r\n',
  'unknown addresses': () => get('/nowhere'),
  'animals without a key': () => get('/v1/pets'),
  'animals with a key': (key) => get('/v1/pets?limit=100', `Authorization: Bearer ${key}`),
  heads: () => get('/docs').replace('GET', 'HEAD'),
  bodies: () => 'POST / HTTP/1.1\r\nContent-Length:1\r\n\r\nx',
  'requests that cannot be parsed': () => get('/livez').repeat(20) + get('/ x'),
}

/** Sends one request after another during the attack, and asserts that each is answered. */
async function requestDuringAttack(t: TestContext, { address }: Service): Promise<number> {
  const ask = createClient(t, address, '')
  const until = performance.now() + ATTACK_MS
  let count = 0
  for (; performance.now() < until; count += 1) {
    const { status } = await ask('/livez', { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) })
    assert.equal(status, 200)
  }
  return count
}

/** Sends pipelined requests from another address. @returns how many are answered with 200 */
async function countServed(port: number, count: number): Promise<number> {
  const bytes = get('/docs').repeat(count - 1) + get('/docs', 'Connection: close')
  const answers = readAnswers(await exchange(port, bytes, { localAddress: '127.0.0.2' }))
  return answers.filter(({ status }) => status === 200).length
}

function attack(t: TestContext, port: number, request: string): void {
  const bytes = request.repeat(Math.floor(BYTES / request.length))
  for (let count = 0; count < CONNECTIONS; count += 1) {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.pause()
    socket.on('error', () => undefined)
    if (count % 2 === 0) socket.on('drain', () => socket.write(bytes))
    cleanup(t).defer(() => void socket.destroy())
  }
}

for (const [kind, requestOf] of Object.entries(KINDS)) {
  const title = `${CONNECTIONS} clients that each send 64 KB of requests (${kind}) and read nothing`
  test(`${title}: memory stays below ${MAX_MEGABYTES} MB, and others are served`, {
    ...NEEDS_PROC,
    timeout: 60_000,
  }, async (t) => {
    const service = await startService(t, { settings: { ...NO_ANONYMOUS_LIMITS, ...SMALL_HEAP } })
    const { child } = service.process
    await service.ask('/docs')
    const ended = once(child, 'exit').then(([code, signal]) =>
      assert.fail(`the service ended: ${signal ?? code}`),
    )
    attack(t, service.port, requestOf(service.key))
    const answered = await Promise.race([requestDuringAttack(t, service), ended])
    ended.catch(() => undefined)

    assert.equal(await countServed(service.port, HONEST_REQUESTS), HONEST_REQUESTS)
    const memory = megabytesOf(child.pid, 'max')
    assert.ok(memory < MAX_MEGABYTES, `the service grew to ${memory} MB`)
    reportFigure(t, `${memory} MB, ${answered} other requests answered`)
  })
}
