import assert from 'node:assert/strict'
import net from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { cleanup } from '../../src/testing/cleanup.ts'
import { repeat } from '../lab/parallel.ts'
import { megabytesOf, NEEDS_PROC, openSockets } from '../lab/proc.ts'
import { reportFigure, rounds } from '../lab/rounds.ts'
import { type Service, startService } from '../lab/service.ts'

/** Simultaneous slow clients. */
const ATTACKERS = rounds(1_000)
/** Whether this is the short version, in which the service has shorter timeouts. */
const SHORT = ATTACKERS < 500
const SETTINGS = {
  // A connection is idle once its answers are in the buffers of the machine.
  KEEP_ALIVE_TIMEOUT_SECONDS: '5',
  ...(SHORT && { HEADERS_TIMEOUT_SECONDS: '1', REQUEST_TIMEOUT_SECONDS: '2' }),
}
const MAX_ATTACK_MS = SHORT ? 10_000 : 15_000
/** Timeout of an honest client. */
const MAX_ANSWER_MS = 5_000
/** The attack is over when no attacker has been connected for this long. */
const QUIET_MS = 1_500
const MAX_MEGABYTES = 600
/** Time limit for honest clients during an attack: twice the usual time, plus a turn of a busy machine. */
const maxPercentile99 = (usual: number): number => 2 * usual + 100

/** Eight clients that send one request after another; `stop` returns the times in milliseconds. */
function startHonest({ ask }: Service): { stop(): Promise<number[]> } {
  const durationsMs: number[] = []
  const get = async (): Promise<void> => {
    const since = performance.now()
    const { status } = await ask('/v1/pets', { signal: AbortSignal.timeout(MAX_ANSWER_MS) })
    assert.equal(status, 200)
    durationsMs.push(performance.now() - since)
  }
  const working = repeat(8, get, 10)
  return { stop: () => working.stop().then(() => durationsMs) }
}

function percentile99(durationsMs: number[]): number {
  return durationsMs.toSorted((one, other) => one - other)[Math.floor(durationsMs.length * 0.99)] ?? 0
}

/**
 * Runs honest clients alone, then with attackers until those are disconnected. Fails if an attacker stays too
 * long, if few attackers connected, or if an honest client gets no answer or a late one.
 */
async function assertWithstands(
  t: TestContext,
  attackers: number,
  attack: (service: Service) => void,
): Promise<void> {
  const service = await startService(t, { settings: SETTINGS })
  const { pid } = service.process.child
  // Loads what the service loads with the first request.
  await service.ask('/docs')
  const alone = startHonest(service)
  await pause(1_000)
  const quiet = percentile99(await alone.stop())
  const own = new Set(openSockets(pid))
  const honest = startHonest(service)
  attack(service)
  const firstSeen = new Map<string, number>()
  let longest = 0
  let lastSeen = 0
  // Many attackers connect at once, so some connect late.
  while (performance.now() - lastSeen < QUIET_MS || firstSeen.size === 0) {
    await pause(200)
    const now = performance.now()
    for (const socket of openSockets(pid)) {
      if (own.has(socket)) continue
      const since = firstSeen.get(socket) ?? now
      firstSeen.set(socket, since)
      lastSeen = now
      longest = Math.max(longest, now - since)
      assert.ok(
        longest < MAX_ATTACK_MS,
        `one of ${firstSeen.size} attackers is still connected after ${MAX_ATTACK_MS} ms`,
      )
    }
  }
  const durationsMs = await honest.stop()
  const slow = percentile99(durationsMs)
  assert.ok(firstSeen.size >= attackers * 0.9, `${firstSeen.size} of ${attackers} attackers connected`)
  assert.ok(
    slow <= maxPercentile99(quiet),
    `p99 of honest clients: ${slow} ms, ${quiet} ms without attackers`,
  )
  const memory = megabytesOf(pid, 'max')
  assert.ok(memory < MAX_MEGABYTES, `the service grew to ${memory} MB`)
  const gone = `${firstSeen.size} attackers, each disconnected within ${Math.round(longest / 100) / 10} s`
  const p99 = `p99 ${Math.round(slow)} ms (${Math.round(quiet)} quiet)`
  reportFigure(t, `${gone}; ${durationsMs.length} honest requests, ${p99}, ${memory} MB`)
}

/** First bytes of each kind of client, and the bytes it sends once a second. */
const KINDS = [
  { first: '', later: '', reads: true },
  { first: 'GET /v1/pets HTTP/1.1\r\nHost: a\r\n', later: 'a: b\r\n', reads: true },
  { first: 'POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n', later: ' ', reads: true },
]
/** One attacker in ten does not read, which also fills buffers of the machine. */
const UNREAD = { first: 'GET /docs HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(100), later: '', reads: false }

/** Opens connections of every kind. */
function attack(t: TestContext, { port, key }: Service): void {
  for (let count = 0; count < ATTACKERS; count += 1) {
    const { first, later, reads } = (count % 10 === 9 ? undefined : KINDS[count % KINDS.length]) ?? UNREAD
    // The attacker does not close its side when the service does.
    const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () =>
      socket.write(first.replace('\r\n', `\r\nAuthorization: Bearer ${key}\r\n`)),
    )
    const sending = setInterval(() => socket.write(later), 1_000)
    socket.on('error', () => undefined)
    socket.on('close', () => clearInterval(sending))
    if (reads) socket.resume()
    cleanup(t).defer(() => void socket.destroy())
  }
}

const TITLE = `${ATTACKERS} clients that send or read slowly: disconnected in time, and others are served`
test(TITLE, NEEDS_PROC, (t) => assertWithstands(t, ATTACKERS, (service) => attack(t, service)))
