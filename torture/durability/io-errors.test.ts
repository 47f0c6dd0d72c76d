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
import { needs, randomOf, reached, rounds } from '../lab/rounds.ts'
import { newService } from '../lab/service.ts'
import { TELLS_CODES } from '../lab/sqlite-codes.ts'
import { strace } from '../lab/strace.ts'

const ROUNDS = rounds(30)
/** In each round and kind of a test with a share of failures. */
const CREATES = 10 * ROUNDS
/** Where hardly anything succeeds, so long and no longer. */
const LONGEST_MS = 100 * ROUNDS
/** How long a kind may take until at least one of its calls has failed, since one in a hundred is rare. */
const LONGEST_WAIT_MS = 60_000

interface Kind {
  /** libfiu's names of the calls that fail. */
  points: string[]
  /** What SQLite says of them (sqlite.org/rescode.html). */
  results: number[]
  /** Whether the store makes these calls mostly while it is opened anew, after a sync that failed. */
  opening?: true
}

const SYNC = ['posix/io/sync/fsync', 'posix/io/sync/fdatasync']
/** Of the syncs that only lead to calls of another kind. */
const SYNCS_FAILING = 0.3
/** At least so many of the calls that come with an opening alone: of a hundred one would take a minute. */
const MIN_OF_OPENING = 0.1

const KINDS: Record<string, Kind> = {
  // libfiu chooses among the reasons that a call may give, a full disk being one.
  write: { points: ['posix/io/rw/pwrite'], results: [778, 13] },
  sync: { points: SYNC, results: [1034] },
  truncate: { points: ['posix/io/rw/ftruncate'], results: [1546], opening: true },
  // What could not be opened to write is opened to read, of which the first change hears.
  open: { points: ['posix/io/oc/open'], results: [14, 8], opening: true },
}

/** A service on a disk whose calls fail when told. */
async function startFailing(t: TestContext) {
  const disk = failingDisk(t)
  const service = await newService(t, { settings: { LOG_LEVEL: 'error' } })
  const { child, output } = await service.start({ settings: { ...disk.settings, ...TELLS_CODES } })
  return {
    service,
    fail: (points: string[], probability: number) => disk.fail(child.pid, points, probability),
    heal: (points: string[]) => disk.heal(child.pid, points),
    logged: () => output.stderr.length,
    /** How many statements failed since then with one of these results; the last line may be cut. */
    refusals: (results: number[], since: number) =>
      [...output.stderr.slice(since).matchAll(/^code (\d+)\n/gm)].filter(([, result]) =>
        results.includes(Number(result)),
      ).length,
  }
}

type Failing = Awaited<ReturnType<typeof startFailing>>

/** Makes some of the calls of a kind fail, until enough was created and at least one has failed. */
async function failUnderCreates(failing: Failing, kind: Kind, share: number, creators: Creators) {
  const began = failing.logged()
  if (kind.opening) failing.fail(SYNC, SYNCS_FAILING)
  failing.fail(kind.points, kind.opening ? Math.max(share, MIN_OF_OPENING) : share)
  const since = Date.now()
  const lasted = (): number => Date.now() - since
  const enough = (): boolean =>
    (creators.ledger.size >= CREATES || lasted() > LONGEST_MS) && failing.refusals(kind.results, began) > 0
  while (!enough() && lasted() < LONGEST_WAIT_MS) await pause(20)
  failing.heal([...kind.points, ...SYNC])
  await creators.stop()
  return failing.refusals(kind.results, began)
}

const HAS_FIU = { ...needs('fiu-ctrl'), timeout: 600_000 }
for (const percent of [1, 10, 50]) {
  const title = `${percent} % of the calls to the disk fail: nothing answered 201 is lost, and the process stays`
  test(title, HAS_FIU, async (t) => {
    const failing = await startFailing(t)
    const { service } = failing
    const ledger: Ledger = new Map()
    const refused: string[] = []
    for (const [name, kind] of Object.entries(KINDS)) {
      const creators = startCreators(t, service, { prefix: name, clients: 8 })
      const refusals = await failUnderCreates(failing, kind, percent / 100, creators)
      for (const [pet, id] of creators.ledger) ledger.set(pet, id)
      assert.ok(refusals > 0, `${name}: no call failed, so that nothing was tried`)
      assert.equal(creators.others.get(0), undefined, `${name}: a connection was lost`)
      refused.push(`${name} ${refusals}`)
      await assertNothingLost(service, ledger)
    }
    await service.end()
    await service.start()
    await assertNothingLost(service, ledger)
    reached(t, `${ledger.size} creates, refused by failures: ${refused.join(', ')}: 0 lost, 0 twice`)
  })
}

const AFTER = 'after a sync that failed nothing is accepted, and /readyz is red, until all was written anew'
test(AFTER, HAS_FIU, async (t) => {
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
    assert.equal(statSync(log).size, 0, 'the log was not written anew')
    const created = await create(after)
    assert.equal(created.status, 201, created.text)
    ledger.set(after, String(created.body.id))
  }
  await assertNothingLost(service, ledger)
  reached(t, `${ROUNDS} failures: nothing accepted before the store was opened anew`)
})

/**
 * Calls on the files of the store, of which one fails, as the n-th of its thread; up to the n that a start
 * and a few creates surely reach. SQLite as Node builds it syncs with fsync alone.
 */
const CALLS = { openat: 7, pread64: 40, pwrite64: 16, fsync: 5, ftruncate: 3 }
const CALL_NAMES = Object.keys(CALLS) as (keyof typeof CALLS)[]

const ONCE = 'any call on the store fails once: the service refuses to start in one line, or goes on'
test(ONCE, { ...needs('strace'), timeout: 600_000 }, async (t) => {
  const random = randomOf(1)
  const service = await newService(t, { settings: { LOG_LEVEL: 'error' } })
  const log = join(scratchFolder(t), 'strace')
  const file = fileOf(service.settings.DATABASE_URL)
  const paths = ['', '-wal', '-shm', '.lock'].flatMap((end) => ['-P', file + end])
  const ledger: Ledger = new Map()
  let refused = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const call = random.pick(CALL_NAMES)
    const which = random.whole(1, CALLS[call])
    const inject = ['-e', `trace=${CALL_NAMES}`, '-e', `inject=${call}:error=EIO:when=${which}`]
    const about = `${call} ${which}`
    const { serving } = service.launch({ through: strace('-o', log, ...paths, ...inject) })
    const told = await serving.then(
      () => '',
      (error: Error) => error.message,
    )
    if (told === '') {
      const creators = startCreators(t, service, { clients: 2, prefix: `${round}` })
      await waitFor(t, () => creators.ledger.size >= 10)
      for (const [name, id] of await creators.stop()) ledger.set(name, id)
      assert.equal(creators.others.get(0), undefined, `${about}: a connection was lost`)
      await service.end()
    } else {
      refused += 1
      assert.match(told, /served: adoptable: [^\n]+\n$/, about)
    }
    assert.match(readFileSync(log, 'utf8'), /\(INJECTED\)/, `${about}: no call failed: nothing was tried`)
  }
  await service.start()
  await assertNothingLost(service, ledger)
  reached(t, `${ROUNDS} failures, ${refused} of them refused the start: 0 of ${ledger.size} lost`)
})
