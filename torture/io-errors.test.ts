import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { assertError, send } from '../src/testing/client.ts'
import { freePort } from '../src/testing/port.ts'
import { spawnCli } from '../src/testing/process.ts'
import { makeKey, scratchFolder, UNLIMITED } from '../src/testing/start-app.ts'
import { assertNothingLost, audit, type Creators, type Ledger, startCreators } from './creators.ts'
import { needs, randomOf, reached, rounds } from './given.ts'
import { serveTraced } from './syscalls-trace.ts'

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
  /** What SQLite says of them (sqlite.org/rescode.html), as the log has it. */
  results: number[]
  /** Whether the store makes these calls mostly while it is opened anew, after a sync that failed. */
  opening?: true
}

const SYNC = ['posix/io/sync/fsync', 'posix/io/sync/fdatasync']
/** Of the syncs that only lead to calls of another kind. */
const SYNCS_FAILING = 0.3
/** At least so many of the calls that come with an opening alone: of a hundred one would take a minute. */
const LEAST_OF_OPENING = 0.1

const KINDS: Record<string, Kind> = {
  // libfiu chooses among the reasons that a call may give, a full disk being one.
  write: { points: ['posix/io/rw/pwrite'], results: [778, 13] },
  sync: { points: SYNC, results: [1034] },
  truncate: { points: ['posix/io/rw/ftruncate'], results: [1546], opening: true },
  // What could not be opened to write is opened to read, of which the first change hears.
  open: { points: ['posix/io/oc/open'], results: [14, 8], opening: true },
}

async function newStore(t: TestContext) {
  const folder = scratchFolder(t)
  const file = join(folder, 'adoptable.db')
  const settings = {
    DATABASE_URL: `sqlite:${file}`,
    PORT: String(await freePort()),
    LOG_LEVEL: 'error',
  }
  const address = `http://127.0.0.1:${settings.PORT}`
  return { folder, file, settings, address, key: await makeKey(settings.DATABASE_URL, UNLIMITED) }
}

/** The service under libfiu, which makes calls fail when told. */
async function startFailing(t: TestContext, folder: string, settings: Record<string, string>) {
  const running = spawnCli(t, ['serve'], {
    ...settings,
    LD_PRELOAD: '/usr/lib/fiu/fiu_run_preload.so:/usr/lib/fiu/fiu_posix_preload.so',
    FIU_CTRL_FIFO: join(folder, 'fiu'),
  })
  await running.serving
  const tell = (...commands: string[]): void => {
    const args = commands.flatMap((command) => ['-c', command])
    execFileSync('fiu-ctrl', ['-f', join(folder, 'fiu'), ...args, String(running.child.pid)], {
      stdio: 'ignore',
    })
  }
  return {
    ...running,
    fail: (points: string[], probability: number) =>
      tell(...points.map((point) => `enable_random name=${point},probability=${probability}`)),
    heal: (points: string[]) => tell(...points.map((point) => `disable name=${point}`)),
    /** How many requests were refused since then because of one of these results. */
    refusals: (results: number[], since: number) =>
      resultsIn(running.output.stderr.slice(since)).filter((result) => results.includes(result)).length,
  }
}

/** The results of SQLite that a log tells of; its last line may be incomplete. */
function resultsIn(log: string): number[] {
  return [...log.matchAll(/"errcode":(\d+)/g)].map(([, result]) => Number(result))
}

type Failing = Awaited<ReturnType<typeof startFailing>>

/** Makes some of the calls of a kind fail, until enough was created and at least one has failed. */
async function failUnderCreates(service: Failing, kind: Kind, share: number, creators: Creators) {
  const began = service.output.stderr.length
  if (kind.opening) service.fail(SYNC, SYNCS_FAILING)
  service.fail(kind.points, kind.opening ? Math.max(share, LEAST_OF_OPENING) : share)
  const since = Date.now()
  const lasted = (): number => Date.now() - since
  const enough = (): boolean =>
    (creators.ledger.size >= CREATES || lasted() > LONGEST_MS) && service.refusals(kind.results, began) > 0
  while (!enough() && lasted() < LONGEST_WAIT_MS) await new Promise((resolve) => setTimeout(resolve, 20))
  service.heal([...kind.points, ...SYNC])
  await creators.stop()
  return service.refusals(kind.results, began)
}

for (const percent of [1, 10, 50]) {
  test(`${percent} % of the calls to the disk fail: nothing answered 201 is lost, and the process stays`, {
    ...needs('fiu-ctrl'),
    timeout: 600_000,
  }, async (t) => {
    const { folder, settings, address, key } = await newStore(t)
    const service = await startFailing(t, folder, settings)
    const ledger: Ledger = new Map()
    const refused: string[] = []
    for (const [name, kind] of Object.entries(KINDS)) {
      const creators = startCreators({ address: () => address, key, prefix: name, clients: 8 })
      const refusals = await failUnderCreates(service, kind, percent / 100, creators)
      for (const [pet, id] of creators.ledger) ledger.set(pet, id)
      assert.ok(refusals > 0, `${name}: no call failed, so that nothing was tried`)
      assert.equal(creators.others.get(0), undefined, `${name}: a connection was lost`)
      refused.push(`${name} ${refusals}`)
      assertNothingLost(await audit(address, key, ledger))
    }
    service.child.kill('SIGKILL')
    await service.exited
    await spawnCli(t, ['serve'], settings).serving
    assertNothingLost(await audit(address, key, ledger))
    reached(t, `${ledger.size} creates, refused by failures: ${refused.join(', ')}: 0 lost, 0 twice`)
  })
}

test(
  'after a sync that failed nothing is accepted, and /readyz is red, until all was written anew',
  needs('fiu-ctrl'),
  async (t) => {
    const { folder, file, settings, address, key } = await newStore(t)
    const { fail, heal } = await startFailing(t, folder, settings)
    const agent = new http.Agent({ keepAlive: true })
    t.after(() => agent.destroy())
    const headers = { authorization: `Bearer ${key}` }
    const get = (path: string) => send(agent, address + path, { headers })
    const create = (name: string) =>
      send(agent, `${address}/v1/pets`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': name },
        body: { name, categoryId: 1 },
      })
    const ledger = new Map<string, string>()
    for (let round = 0; round < ROUNDS; round += 1) {
      const [before, after] = [`before-${round}`, `after-${round}`]
      ledger.set(before, String((await create(before)).body.id))
      fail(SYNC, 1)
      assertError(await create(after), 503, 'service_unavailable', 'POST /v1/pets')
      assert.equal((await get('/readyz')).status, 503)
      assert.equal((await get('/v1/pets')).status, 200)
      assertError(await create(after), 503, 'service_unavailable', 'POST /v1/pets again')
      heal(SYNC)
      assert.equal((await get('/readyz')).status, 200)
      assert.equal(statSync(`${file}-wal`).size, 0, 'the log was not written anew')
      const created = await create(after)
      assert.equal(created.status, 201, created.text)
      ledger.set(after, String(created.body.id))
    }
    assertNothingLost(await audit(address, key, ledger))
    reached(t, `${ROUNDS} failures: nothing accepted before the store was opened anew`)
  },
)

/**
 * Calls on the files of the store, of which one fails, as the n-th of its thread; up to the n that a start
 * and a few creates surely reach. SQLite as Node builds it syncs with fsync alone.
 */
const CALLS = { openat: 10, pread64: 40, pwrite64: 40, fsync: 5, ftruncate: 4 }
const CALL_NAMES = Object.keys(CALLS) as (keyof typeof CALLS)[]

test('any call on the store fails once: the service refuses to start in one line, or goes on', {
  ...needs('strace'),
  timeout: 600_000,
}, async (t) => {
  const random = randomOf(1)
  const { folder, file, settings, address, key } = await newStore(t)
  const log = join(folder, 'strace')
  const paths = ['', '-wal', '-shm', '.lock'].flatMap((end) => ['-P', file + end])
  const ledger = new Map<string, string>()
  let refused = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const call = random.pick(CALL_NAMES)
    const which = random.whole(1, CALLS[call])
    const inject = ['-e', `trace=${CALL_NAMES}`, '-e', `inject=${call}:error=EIO:when=${which}`]
    const traced = serveTraced(t, { settings, strace: ['-o', log, ...paths, ...inject] })
    const told = await traced.serving.then(
      () => '',
      (error: Error) => error.message,
    )
    if (told !== '') {
      refused += 1
      assert.match(told, /served: adoptable: [^\n]+\n$/, `${call} ${which}`)
      assertInjected(log, `${call} ${which}`)
      continue
    }
    const creators = startCreators({ address: () => address, key, clients: 2, prefix: `${round}` })
    while (creators.ledger.size < 10) await new Promise((resolve) => setTimeout(resolve, 10))
    for (const [name, id] of await creators.stop()) ledger.set(name, id)
    assert.equal(creators.others.get(0), undefined, `${call} ${which}: a connection was lost`)
    traced.kill()
    await traced.exited
    assertInjected(log, `${call} ${which}`)
  }
  await spawnCli(t, ['serve'], settings).serving
  assertNothingLost(await audit(address, key, ledger))
  reached(t, `${ROUNDS} failures, ${refused} of them refused the start: 0 of ${ledger.size} lost`)
})

function assertInjected(log: string, about: string): void {
  assert.match(
    readFileSync(log, 'utf8'),
    /\(INJECTED\)/,
    `${about}: no call failed, so that nothing was tried`,
  )
}
