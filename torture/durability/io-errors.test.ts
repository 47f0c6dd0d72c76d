import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileOf } from '../../src/db/store-url.ts'
import { assertError } from '../../src/testing/client.ts'
import { scratchFolder } from '../../src/testing/start-app.ts'
import { assertNothingLost, type Creators, type Ledger, startCreators } from '../lab/creators.ts'
import { failingDisk } from '../lab/disks.ts'
import { waitFor } from '../lab/parallel.ts'
import { needs, randomOf, reportFigure, rounds } from '../lab/rounds.ts'
import { newService } from '../lab/service.ts'
import { REPORT_SQLITE_CODES } from '../lab/sqlite-codes.ts'
import { strace } from '../lab/strace.ts'

const ROUNDS = rounds(30)
/** Creates for each kind of call. */
const CREATES = 10 * ROUNDS
/** Time limit for each kind, because with many failures few creates succeed. */
const MAX_DURATION_MS = 100 * ROUNDS
/** How long to wait for the first failed call, which may take long at 1 %. */
const MAX_WAIT_MS = 60_000

interface Kind {
  /** libfiu's names of the calls that fail. */
  points: string[]
  /** SQLite's result codes for these failures (sqlite.org/rescode.html). */
  results: number[]
  /** Whether the store makes these calls mainly when it reopens after a failed sync. */
  opening?: true
}

const SYNC = ['posix/io/sync/fsync', 'posix/io/sync/fdatasync']
/** Fraction of syncs that fail, which makes the store reopen. */
const SYNC_FAILURE_SHARE = 0.3
/** Minimum fraction for calls that happen only when the store reopens. At 1 % a test would take a minute. */
const MIN_OPENING_SHARE = 0.1

const KINDS: Record<string, Kind> = {
  // libfiu chooses a random error of the call, such as a full disk.
  write: { points: ['posix/io/rw/pwrite'], results: [778, 13] },
  sync: { points: SYNC, results: [1034] },
  truncate: { points: ['posix/io/rw/ftruncate'], results: [1546], opening: true },
  // SQLite opens the file read-only if it cannot open it for writing, and the first change fails.
  open: { points: ['posix/io/oc/open'], results: [14, 8], opening: true },
}

/** Starts a service on a disk whose calls can be made to fail. */
async function startFailing(t: TestContext) {
  const disk = failingDisk(t)
  const service = await newService(t, { settings: { LOG_LEVEL: 'error' } })
  const { child, output } = await service.start({ settings: { ...disk.settings, ...REPORT_SQLITE_CODES } })
  return {
    service,
    fail: (points: string[], probability: number) => disk.fail(child.pid, points, probability),
    heal: (points: string[]) => disk.heal(child.pid, points),
    logged: () => output.stderr.length,
    /** Number of statements that failed with one of these codes. @param since an earlier value of `logged` */
    refusals: (results: number[], since: number) =>
      [...output.stderr.slice(since).matchAll(/^code (\d+)\n/gm)].filter(([, result]) =>
        results.includes(Number(result)),
      ).length,
  }
}

type Failing = Awaited<ReturnType<typeof startFailing>>

/** Makes a share of the calls fail until enough animals were created and at least one call failed. */
async function failUnderCreates(failing: Failing, kind: Kind, share: number, creators: Creators) {
  const began = failing.logged()
  if (kind.opening) failing.fail(SYNC, SYNC_FAILURE_SHARE)
  failing.fail(kind.points, kind.opening ? Math.max(share, MIN_OPENING_SHARE) : share)
  const since = Date.now()
  const lasted = (): number => Date.now() - since
  const enough = (): boolean =>
    (creators.ledger.size >= CREATES || lasted() > MAX_DURATION_MS) &&
    failing.refusals(kind.results, began) > 0
  while (!enough() && lasted() < MAX_WAIT_MS) await pause(20)
  failing.heal([...kind.points, ...SYNC])
  await creators.stop()
  return failing.refusals(kind.results, began)
}

const HAS_FIU = { ...needs('fiu-ctrl'), timeout: 600_000 }
for (const percent of [1, 10, 50]) {
  const title = `${percent} % of the disk calls fail: no animal answered with 201 is lost, and the process stays`
  test(title, HAS_FIU, async (t) => {
    const failing = await startFailing(t)
    const { service } = failing
    const ledger: Ledger = new Map()
    const refused: string[] = []
    for (const [name, kind] of Object.entries(KINDS)) {
      const creators = startCreators(t, service, { prefix: name, clients: 8 })
      const refusals = await failUnderCreates(failing, kind, percent / 100, creators)
      for (const [pet, id] of creators.ledger) ledger.set(pet, id)
      assert.ok(refusals > 0, `${name}: no call failed, so nothing was tested`)
      assert.equal(creators.others.get(0), undefined, `${name}: a connection was lost`)
      refused.push(`${name} ${refusals}`)
      await assertNothingLost(service, ledger)
    }
    await service.end()
    await service.start()
    await assertNothingLost(service, ledger)
    reportFigure(t, `${ledger.size} creates, refused by failures: ${refused.join(', ')}: 0 lost, 0 twice`)
  })
}

const AFTER_SYNC = 'after a failed sync: changes and /readyz get 503 until the store is reopened'
test(AFTER_SYNC, HAS_FIU, async (t) => {
  const { service, fail, heal } = await startFailing(t)
  const create = (name: string) =>
    service.ask('/v1/pets', { headers: { 'idempotency-key': name }, body: { name, categoryId: 1 } })
  const statusOf = async (path: string): Promise<number> => (await service.ask(path)).status
  const ledger: Ledger = new Map()
  for (let round = 0; round < ROUNDS; round += 1) {
    const [before, after] = [`before-${round}`, `after-${round}`]
    ledger.set(before, String((await create(before)).body.id))
    fail(SYNC, 1)
    assertError(await create(after), 503, 'service_unavailable', 'POST /v1/pets')
    assert.equal(await statusOf('/readyz'), 503)
    assert.equal(await statusOf('/v1/pets'), 200)
    assertError(await create(after), 503, 'service_unavailable', 'POST /v1/pets again')
    heal(SYNC)
    assert.equal(await statusOf('/readyz'), 200)
    const log = `${fileOf(service.settings.DATABASE_URL)}-wal`
    assert.equal(statSync(log).size, 0, 'the log was not emptied')
    const created = await create(after)
    assert.equal(created.status, 201, created.text)
    ledger.set(after, String(created.body.id))
  }
  await assertNothingLost(service, ledger)
  reportFigure(t, `${ROUNDS} failures: nothing accepted before the store was reopened`)
})

/**
 * System calls on the store files, with the minimum number that a thread makes during a start and a few
 * creates. Each round fails one of these calls. Node's SQLite syncs only with fsync.
 */
const CALLS = { openat: 7, pread64: 40, pwrite64: 16, fsync: 5, ftruncate: 3 }
const CALL_NAMES = Object.keys(CALLS) as (keyof typeof CALLS)[]

const FAILS_ONCE =
  'one failed call on the store files: the start is refused with a one-line message, or the service goes on'
test(FAILS_ONCE, { ...needs('strace'), timeout: 600_000 }, async (t) => {
  const random = randomOf(1)
  const service = await newService(t, { settings: { LOG_LEVEL: 'error' } })
  const log = join(scratchFolder(t), 'strace')
  const file = fileOf(service.settings.DATABASE_URL)
  const paths = ['', '-wal', '-shm', '.lock'].flatMap((end) => ['-P', file + end])
  const ledger: Ledger = new Map()
  let refused = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const call = random.pick(CALL_NAMES)
    const which = random.integer(1, CALLS[call])
    const inject = ['-e', `trace=${CALL_NAMES}`, '-e', `inject=${call}:error=EIO:when=${which}`]
    const about = `${call} ${which}`
    const { serving } = service.launch({ through: strace('-o', log, ...paths, ...inject) })
    const message = await serving.then(
      () => '',
      (error: Error) => error.message,
    )
    if (message === '') {
      const creators = startCreators(t, service, { clients: 2, prefix: `${round}` })
      await waitFor(t, () => creators.ledger.size >= 10)
      for (const [name, id] of await creators.stop()) ledger.set(name, id)
      assert.equal(creators.others.get(0), undefined, `${about}: a connection was lost`)
      await service.end()
    } else {
      refused += 1
      assert.match(message, /was ready: adoptable: [^\n]+\n$/, about)
    }
    assert.match(readFileSync(log, 'utf8'), /\(INJECTED\)/, `${about}: no call failed, so nothing was tested`)
  }
  await service.start()
  await assertNothingLost(service, ledger)
  reportFigure(t, `${ROUNDS} failures, ${refused} of them refused the start: 0 of ${ledger.size} lost`)
})
