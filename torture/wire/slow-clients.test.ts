import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import net from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { cleanup } from '../../src/testing/cleanup.ts'
import { repeat } from '../lab/parallel.ts'
import { megabytesOf, NEEDS_PROC, openSockets } from '../lab/proc.ts'
import { needs, reached, rounds } from '../lab/rounds.ts'
import { type Service, startService } from '../lab/service.ts'

/** Clients of each kind at once. */
const ATTACKERS = rounds(1_000)
/** A few of them meet a service that waits less long, so that the short version is short. */
const SHORT = ATTACKERS < 500
const SETTINGS = {
  // Answers that the buffers of the machine could take have left the service: their connection is an idle one.
  KEEP_ALIVE_TIMEOUT_SECONDS: '5',
  ...(SHORT && { HEADERS_TIMEOUT_SECONDS: '1', REQUEST_TIMEOUT_SECONDS: '2' }),
}
const GONE_MS = SHORT ? 10_000 : 15_000
/** An answer that somebody waited longer for counts as none. */
const LONGEST_ANSWER_MS = 5_000
/** Nobody came for so long: that was all. */
const LATE_MS = 1_500
const MAX_MEGABYTES = 600
/** For honest clients, beside attackers: twice what is usual, and a turn of a busy machine. */
const slowestAllowed = (usual: number): number => 2 * usual + 100

/** Eight clients with requests one after the other; `stop` gives how long each took, in milliseconds. */
function startHonest({ ask }: Service): { stop(): Promise<number[]> } {
  const took: number[] = []
  const get = async (): Promise<void> => {
    const since = performance.now()
    const { status } = await ask('/v1/pets', { signal: AbortSignal.timeout(LONGEST_ANSWER_MS) })
    assert.equal(status, 200)
    took.push(performance.now() - since)
  }
  const working = repeat(8, get, 10)
  return { stop: () => working.stop().then(() => took) }
}

function slowestHundredth(took: number[]): number {
  return took.toSorted((one, other) => one - other)[Math.floor(took.length * 0.99)] ?? 0
}

/**
 * Honest clients alone, and then beside attackers until those are gone. Fails when one is there for too long,
 * when hardly any came, or when an honest client gets no answer, or a late one.
 */
async function withstand(
  t: TestContext,
  attackers: number,
  attack: (service: Service) => void,
): Promise<void> {
  const service = await startService(t, { settings: SETTINGS })
  const { pid } = service.process.child
  // Whatever the service loads only when somebody asks for it is there from now on.
  await service.ask('/docs')
  const alone = startHonest(service)
  await pause(1_000)
  const quiet = slowestHundredth(await alone.stop())
  const own = new Set(openSockets(pid))
  const honest = startHonest(service)
  attack(service)
  const firstSeen = new Map<string, number>()
  let longest = 0
  let lastSeen = 0
  // One that came late, because many came at once, is waited for.
  while (performance.now() - lastSeen < LATE_MS || firstSeen.size === 0) {
    await pause(200)
    const now = performance.now()
    for (const socket of openSockets(pid)) {
      if (own.has(socket)) continue
      const since = firstSeen.get(socket) ?? now
      firstSeen.set(socket, since)
      lastSeen = now
      longest = Math.max(longest, now - since)
      assert.ok(longest < GONE_MS, `one of ${firstSeen.size} attackers is there after ${GONE_MS} ms`)
    }
  }
  const took = await honest.stop()
  const slow = slowestHundredth(took)
  assert.ok(firstSeen.size >= attackers * 0.9, `${firstSeen.size} of ${attackers} attackers came`)
  assert.ok(slow <= slowestAllowed(quiet), `p99 of honest clients: ${slow} ms, ${quiet} ms without attackers`)
  const memory = megabytesOf(pid, 'most')
  assert.ok(memory < MAX_MEGABYTES, `the service grew to ${memory} MB`)
  const gone = `${firstSeen.size} attackers, each gone in ${Math.round(longest / 100) / 10} s`
  const p99 = `p99 ${Math.round(slow)} ms (${Math.round(quiet)} quiet)`
  reached(t, `${gone}; ${took.length} honest requests, ${p99}, ${memory} MB`)
}

/** What each kind sends at first, and then once a second. */
const KINDS = [
  { first: '', later: '', reads: true },
  { first: 'GET /v1/pets HTTP/1.1\r\nHost: a\r\n', later: 'a: b\r\n', reads: true },
  { first: 'POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n', later: ' ', reads: true },
]
/** These fill buffers of the machine's own, too: one in ten. */
const UNREAD = { first: 'GET /docs HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(100), later: '', reads: false }

/** Opens connections of every kind, by turns. */
function attack(t: TestContext, { port, key }: Service): void {
  for (let count = 0; count < ATTACKERS; count += 1) {
    const { first, later, reads } = (count % 10 === 9 ? undefined : KINDS[count % KINDS.length]) ?? UNREAD
    // Half open: what the service closes, the attacker does not.
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

const TITLE = `${ATTACKERS} clients that are slow to ask or to read are sent away; others are served meanwhile`
test(TITLE, NEEDS_PROC, (t) => withstand(t, ATTACKERS, (service) => attack(t, service)))

const PROGRAM = 'slowhttptest'
const CONNECTIONS = ATTACKERS * 4
const PACE = ['-c', String(CONNECTIONS), '-r', '2000', '-l', '60', '-i', '1', '-p', '3', '-v', '0']
const WAYS = {
  headers: { path: '/v1/pets', flags: '-H' },
  bodies: { path: '/v1/pets', flags: '-B -s 8192' },
  reading: { path: '/docs', flags: '-X -k 10 -n 2 -z 32 -w 512 -y 1024' },
}
/** They take a minute each. */
const skip = (SHORT && 'in longer runs') || needs(PROGRAM).skip || NEEDS_PROC.skip
for (const [kind, { path, flags }] of Object.entries(WAYS)) {
  const title = `${PROGRAM} with ${CONNECTIONS} connections of slow ${kind} is sent away; others are served`
  test(title, { skip }, (t) =>
    withstand(t, CONNECTIONS, ({ address, key }) => {
      // A body is only read of who has a key, and the program knows of no other way to send one.
      const type = `application/json\r\nAuthorization: Bearer ${key}`
      const args = [...PACE, ...flags.split(' '), '-u', address + path, '-f', type]
      const child = spawn(PROGRAM, args, { stdio: 'ignore' })
      cleanup(t).defer(() => void child.kill('SIGKILL'))
    }),
  )
}
