import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { assertNothingLost, audit, type Ledger, startCreators } from '../lab/creators.ts'
import { watchAnswers } from '../lab/load.ts'
import { type OwnPostgres, startOwnPostgres } from '../lab/own-postgres.ts'
import { randomOf, reached, rounds } from '../lab/rounds.ts'
import { startService } from '../lab/service.ts'

const ROUNDS = rounds(100)
/** Longest time between two blows, in milliseconds. */
const LONGEST_PEACE_MS = 400
/** Longest time that a stopped PostgreSQL stays away. */
const LONGEST_AWAY_MS = 600
/** From PostgreSQL's first change on its disk to the service's first success. */
const BACK_MS = 2_000
/** The service gives a whole create a little more. */
const CHANGE_MS = 500
/** Every request is answered in two seconds; the rest is for a busy machine. */
const ANSWER_MS = 3_000

type Blow = (own: OwnPostgres, awayMs: number) => Promise<void>

const OWN_BACKENDS = `select pid from pg_stat_activity where application_name = 'adoptable'`

/** By how often each is chosen. */
const BLOWS: [weight: number, name: string, blow: Blow][] = [
  [3, 'restarted immediately', (own, awayMs) => restart(own, 'SIGQUIT', awayMs)],
  [3, 'killed', (own, awayMs) => restart(own, 'SIGKILL', awayMs)],
  [1, 'restarted in peace', (own, awayMs) => restart(own, 'SIGINT', awayMs)],
  [2, 'one backend killed', killBackend],
  [2, 'all backends terminated', (own) => terminate(own, '')],
  [3, 'one backend terminated', (own) => terminate(own, 'order by random() limit 1')],
]

test('however PostgreSQL ends under 32 creating clients, the service stays, says 503 and is soon back', async (t) => {
  const random = randomOf()
  const own = await startOwnPostgres(t)
  const service = await startService(t, { settings: { DATABASE_URL: own.url } })
  const creators = startCreators(t, service)
  const watched = watchAnswers(t, service, { answerMs: ANSWER_MS })
  let slowestBack = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    await pause(random.whole(0, LONGEST_PEACE_MS))
    const [, name, blow] = random.weighed(BLOWS.map((entry) => [entry[0], entry] as const))
    await blow(own, random.whole(0, LONGEST_AWAY_MS))
    const back = await untilBack(own, creators.ledger)
    slowestBack = Math.max(slowestBack, back)
    assert.ok(back < BACK_MS, `round ${round}, ${name}: not back after ${back.toFixed()} ms`)
    assert.ok(service.alive(), `the service has ended: ${service.process.output.stderr}`)
  }
  const { refused, slowest } = await watched.stop()
  const ledger = await creators.stop()
  // Of one lost connection only those tell who were using it.
  const unavailable = refused + (creators.others.get(503) ?? 0)

  assert.ok(unavailable > 0, 'no crash was felt')
  await assertNothingLost(service, ledger)
  const times = `back after at most ${slowestBack.toFixed()} ms, slowest answer ${slowest.toFixed()} ms`
  reached(t, `${ROUNDS} crashes, ${ledger.size} creates, ${unavailable} × 503: 0 lost, 0 twice; ${times}`)
})

const CONTROL = 'control: a PostgreSQL that answers before it has written is found out'
test(CONTROL, { timeout: 60_000 }, async (t) => {
  const own = await startOwnPostgres(t, { settings: ['synchronous_commit=off', 'wal_writer_delay=10s'] })
  const service = await startService(t, { settings: { DATABASE_URL: own.url } })
  const creators = startCreators(t, service)
  // The key stays.
  await own.query('checkpoint')
  await pause(LONGEST_PEACE_MS)
  await restart(own, 'SIGQUIT', 0)
  await untilBack(own, creators.ledger)
  const { lost } = await audit(service, await creators.stop())

  assert.ok(lost.length > 0, 'nothing was lost')
  reached(t, `${lost.length} lost`)
})

async function restart(own: OwnPostgres, how: Parameters<OwnPostgres['stop']>[0], awayMs: number) {
  await own.stop(how)
  await pause(awayMs)
  await own.start()
}

/** Whereupon the server ends all the others too, and recovers. */
async function killBackend(own: OwnPostgres): Promise<void> {
  const [backend] = await own.query(`${OWN_BACKENDS} order by random() limit 1`)
  if (backend) process.kill(backend.pid, 'SIGKILL')
}

async function terminate(own: OwnPostgres, which: string): Promise<void> {
  await own.query(`select pg_terminate_backend(pid) from (${OWN_BACKENDS} ${which}) as own`)
}

/**
 * From PostgreSQL's first change on its disk after it was away to the next create, in milliseconds.
 * While it takes longer to change anything than the service waits, it is still away.
 */
async function untilBack(own: OwnPostgres, ledger: Ledger): Promise<number> {
  let [since, before] = [performance.now(), ledger.size]
  while (ledger.size === before && performance.now() - since < BACK_MS) {
    // It may have answered once more before it knew of its loss.
    if (!(await changesInTime(own))) [since, before] = [performance.now(), ledger.size]
    await pause(2)
  }
  return performance.now() - since
}

/** Writes a message to its log, and waits for the disk. */
async function changesInTime(own: OwnPostgres): Promise<boolean> {
  const since = performance.now()
  const rows = await own.query(`select pg_logical_emit_message(true, 'torture', '')`).catch(() => [])
  return rows.length > 0 && performance.now() - since < CHANGE_MS
}
