import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { cleanup } from '../../src/testing/cleanup.ts'
import { startFaultProxy } from '../lab/fault-proxy.ts'
import { startLoad } from '../lab/load.ts'
import { type OwnPostgres, startOwnPostgres } from '../lab/own-postgres.ts'
import { needs, randomOf, reached, rounds } from '../lab/rounds.ts'

const ROUNDS = rounds(60)
/** One failover takes as long as many of the other rounds. */
const FAILOVERS = Math.ceil(ROUNDS / 10)
/** Of one state; a lock is held for a minute once. */
const STATE_MS = [300, 2_000] as const
const LONG_MS = 60_000
/** A lock that is gone by then is waited out, and refuses nobody: the time-out of a statement. */
const WAITED_OUT_MS = 700
/** The service waits so long for an answer on a session, and then does without it. */
const GIVEN_UP_MS = 850
/** Fills pages sooner. */
const LONG_NAME = 'a'.repeat(150)
const MOST_CONNECTIONS = 30
const SERVICE = `pid in (select pid from pg_stat_activity where application_name = 'adoptable')`

/** Brings PostgreSQL into a state for so long, and out of it again. */
type State = (own: OwnPostgres, lengthMs: number) => Promise<void>

const STATES: Record<string, State> = {
  async 'to be read only'(own, lengthMs) {
    await configure(own, 'default_transaction_read_only', 'on')
    await pause(lengthMs)
    await configure(own, 'default_transaction_read_only', 'off')
  },
  async 'without a free connection'(own, lengthMs) {
    const holders: pg.Client[] = []
    const until = performance.now() + lengthMs
    do {
      // The service's own places are taken too: whoever asks first has them.
      await holders[0]?.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${SERVICE}`)
      await Promise.all(Array.from({ length: MOST_CONNECTIONS }, () => takePlace(own, holders)))
    } while (performance.now() < until)
    for (const holder of holders) await holder.end()
  },
  async 'with a lock on a table'(own, lengthMs) {
    const seconds = (WAITED_OUT_MS + lengthMs) / 1_000
    await own.query(`begin; lock table pet; select pg_sleep(${seconds}); rollback`)
  },
  async 'cancelling every statement'(own, lengthMs) {
    const until = performance.now() + lengthMs
    while (performance.now() < until) {
      await own.query(`select pg_cancel_backend(pid) from pg_stat_activity where ${SERVICE}`)
    }
  },
  async 'with sessions of the service that stand still'(own, lengthMs) {
    // Idle ones: whatever else stands still may hold what all others wait for.
    const sessions = await own.query(`select pid from pg_stat_activity where ${SERVICE} and state = 'idle'`)
    for (const { pid } of sessions) process.kill(pid, 'SIGSTOP')
    await pause(GIVEN_UP_MS + lengthMs)
    for (const { pid } of sessions) process.kill(pid, 'SIGCONT')
  },
  async 'out of disk'(own, lengthMs) {
    const filler = join(own.folder, 'small/filler')
    fill(filler)
    await pause(lengthMs)
    rmSync(filler)
  },
}

/** In these some clients may get through all the time. */
const LUCKY = [
  'cancelling every statement',
  'without a free connection',
  'with sessions of the service that stand still',
]

const AS_ROOT = process.getuid?.() === 0 ? needs('mount') : { skip: 'only root can mount a small disk' }

test(
  'whatever state PostgreSQL is in, the answer is right or a 503, and the service is soon back',
  AS_ROOT,
  async (t: TestContext) => {
    const random = randomOf()
    const own = await startOwnPostgres(t, { settings: [`max_connections=${MOST_CONNECTIONS}`] })
    const load = await startLoad(t, {
      settings: { DATABASE_URL: own.url },
      directUrl: own.url,
      prefix: LONG_NAME,
    })
    await moveToSmallDisk(t, own)
    const names = Object.keys(STATES)
    for (let round = 0; round < ROUNDS; round += 1) {
      // Each of them in a short run too.
      const name = round < names.length ? (names[round] as string) : random.pick(names)
      const refused = load.refusals()
      const long = round > names.length && round % 50 === 0
      await STATES[long ? 'with a lock on a table' : name]?.(own, long ? LONG_MS : random.whole(...STATE_MS))
      await load.back(`round ${round}, ${name}`)
      if (!LUCKY.includes(name)) assert.ok(load.refusals() > refused, `${name}: no 503`)
    }
    reached(t, `${ROUNDS} states: ${await load.end()}`)
  },
)

test('when a replica takes over, nothing that was answered is lost, and the service is soon back', async (t: TestContext) => {
  const random = randomOf(1)
  let primary = await startOwnPostgres(t)
  const line = await startFaultProxy(t, primary.port, random)
  const stores = { DATABASE_URL: `postgres://postgres@127.0.0.1:${line.port}/postgres` }
  const load = await startLoad(t, { settings: stores, directUrl: primary.url })
  for (let round = 0; round < FAILOVERS; round += 1) {
    const replica = await follow(primary)
    await load.back(`round ${round}, with a replica`)
    await pause(random.whole(...STATE_MS))
    await primary.stop('SIGKILL')
    await replica.query('select pg_promote()')
    line.lead(replica.port)
    await load.back(`round ${round}, after the promotion`)
    primary = replica
  }
  reached(t, `${FAILOVERS} failovers: ${await load.end()}`)
})

async function configure(own: OwnPostgres, name: string, value: string): Promise<void> {
  await own.query(`alter system set ${name} = ${value}`)
  await own.query('select pg_reload_conf()')
}

async function takePlace({ url }: OwnPostgres, holders: pg.Client[]): Promise<void> {
  const holder = new pg.Client({ connectionString: url })
  holder.on('error', () => undefined)
  await holder.connect().then(
    () => holders.push(holder),
    () => undefined,
  )
}

/** The animals lie on a small disk of their own. */
async function moveToSmallDisk(t: TestContext, own: OwnPostgres): Promise<void> {
  const folder = join(own.folder, 'small')
  mkdirSync(folder)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m,mode=777', 'tmpfs', folder])
  cleanup(t).defer(async () => {
    await own.stop('SIGQUIT')
    execFileSync('umount', [folder])
  })
  const data = join(folder, 'data')
  execFileSync('install', ['-d', '-o', '65534', '-g', '65534', data])
  await own.query(`create tablespace small location '${data}'`)
  // Three to a page: the next animals soon need another one.
  await own.query('alter table pet set (fillfactor = 10)')
  await own.query('alter table pet set tablespace small')
}

function fill(file: string): void {
  const piece = Buffer.alloc(1 << 16)
  try {
    for (;;) writeFileSync(file, piece, { flag: 'a' })
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOSPC') throw error
  }
}

/** A replica of it, that has all that is answered from now on. */
async function follow(primary: OwnPostgres): Promise<OwnPostgres> {
  await primary.stop('SIGINT')
  const replica = await primary.copy([`primary_conninfo=host=127.0.0.1 port=${primary.port} user=postgres`])
  writeFileSync(join(replica.folder, 'data/standby.signal'), '')
  await primary.start()
  await replica.start()
  await configure(primary, 'synchronous_standby_names', `'*'`)
  while ((await primary.query(`select from pg_stat_replication where sync_state = 'sync'`)).length === 0) {
    await pause(10)
  }
  return replica
}
