import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { assertError, send } from '../src/testing/client.ts'
import { freePort } from '../src/testing/port.ts'
import { spawnCli } from '../src/testing/process.ts'
import { makeKey, scratchFolder, UNLIMITED } from '../src/testing/start-app.ts'
import { assertNothingLost, audit, startCreators } from './creators.ts'
import { needs, randomOf, reached, rounds } from './given.ts'
import { serveTraced } from './syscalls-trace.ts'

const ROUNDS = rounds(30)
/** In each round and kind of a test with a share of failures. */
const CREATES = 10 * ROUNDS
/** Where hardly anything succeeds, so long and no longer. */
const LONGEST_MS = 100 * ROUNDS

/** libfiu's names of the calls that fail. */
const KINDS = {
  write: ['posix/io/rw/pwrite'],
  sync: ['posix/io/sync/fsync', 'posix/io/sync/fdatasync'],
  truncate: ['posix/io/rw/ftruncate'],
  open: ['posix/io/oc/open'],
}

async function newStore(t: TestContext) {
  const folder = scratchFolder(t)
  const file = join(folder, 'adoptable.db')
  const settings = {
    DATABASE_URL: `sqlite:${file}`,
    PORT: String(await freePort()),
    LOG_LEVEL: 'silent',
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
  }
}

for (const percent of [1, 10, 50]) {
  test(`${percent} % of the calls to the disk fail: nothing answered 201 is lost, and the process stays`, {
    ...needs('fiu-ctrl'),
    timeout: 600_000,
  }, async (t) => {
    const { folder, settings, address, key } = await newStore(t)
    const { child, exited, fail, heal } = await startFailing(t, folder, settings)
    const ledger = new Map<string, string>()
    let refused = 0
    for (const [kind, points] of Object.entries(KINDS)) {
      fail(points, percent / 100)
      const creators = startCreators({ address: () => address, key, prefix: kind, clients: 8 })
      const since = Date.now()
      while (creators.ledger.size < CREATES && Date.now() - since < LONGEST_MS) {
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      heal(points)
      for (const [name, id] of await creators.stop()) ledger.set(name, id)
      assert.equal(creators.others.get(0), undefined, `${kind}: a connection was lost`)
      refused += creators.others.get(503) ?? 0
      assertNothingLost(await audit(address, key, ledger))
    }
    child.kill('SIGKILL')
    await exited
    await spawnCli(t, ['serve'], settings).serving
    assertNothingLost(await audit(address, key, ledger))
    reached(t, `${ledger.size} creates, ${refused} times 503: 0 lost, 0 twice`)
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
      fail(KINDS.sync, 1)
      assertError(await create(after), 503, 'service_unavailable', 'POST /v1/pets')
      assert.equal((await get('/readyz')).status, 503)
      assert.equal((await get('/v1/pets')).status, 200)
      assertError(await create(after), 503, 'service_unavailable', 'POST /v1/pets again')
      heal(KINDS.sync)
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

/** Calls on the files of the store, each of which fails once, as the n-th of its thread. */
const CALLS = ['openat', 'pread64', 'pwrite64', 'fdatasync', 'fsync', 'ftruncate']
const LATEST_CALL = 40

test('any call on the store fails once: the service refuses to start in one line, or goes on', {
  ...needs('strace'),
  timeout: 600_000,
}, async (t) => {
  const random = randomOf(1)
  const { file, settings, address, key } = await newStore(t)
  const paths = ['', '-wal', '-shm', '.lock'].flatMap((end) => ['-P', file + end])
  const ledger = new Map<string, string>()
  let refused = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const call = random.pick(CALLS)
    const which = random.whole(1, LATEST_CALL)
    const inject = ['-e', `trace=${CALLS}`, '-e', `inject=${call}:error=EIO:when=${which}`]
    const traced = serveTraced(t, { settings, strace: ['-o', '/dev/null', ...paths, ...inject] })
    const told = await traced.serving.then(
      () => '',
      (error: Error) => error.message,
    )
    if (told !== '') {
      refused += 1
      assert.match(told, /served: adoptable: [^\n]+\n$/, `${call} ${which}`)
      continue
    }
    const creators = startCreators({ address: () => address, key, clients: 2, prefix: `${round}` })
    while (creators.ledger.size < 10) await new Promise((resolve) => setTimeout(resolve, 10))
    for (const [name, id] of await creators.stop()) ledger.set(name, id)
    assert.equal(creators.others.get(0), undefined, `${call} ${which}: a connection was lost`)
    traced.kill()
    await traced.exited
  }
  await spawnCli(t, ['serve'], settings).serving
  assertNothingLost(await audit(address, key, ledger))
  reached(t, `${ROUNDS} failures, ${refused} of them refused the start: 0 of ${ledger.size} lost`)
})
