import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, chownSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { cleanup } from '../../src/testing/cleanup.ts'
import { spawnCli } from '../../src/testing/process.ts'
import { scratchFolder } from '../../src/testing/start-app.ts'
import { AS_NOBODY, may, NEEDS_NOBODY, NOBODY, needsMounts, smallDisk } from '../lab/disks.ts'
import { times } from '../lab/parallel.ts'
import { needs, randomOf, reached, rounds } from '../lab/rounds.ts'
import { client } from '../lab/service.ts'

const ROUNDS = rounds(20)
const KEY = /adopt_live_[0-9A-Za-z]{36}/
const START_MS = 20_000
/** In kibibytes: from nothing to more than a new store takes. */
const MOST_ROOM = 700
const SMALLEST_ROOM = 4

interface Run {
  /** A program and its arguments that run the service, such as setpriv. */
  through?: string[]
  settings?: Record<string, string>
  folder?: string
}

/** Runs the service until it serves or ends. */
async function run(t: TestContext, { through = [], settings = {}, folder }: Run) {
  const { child, serving, exited, output } = spawnCli(t, ['serve'], settings, folder, { through })
  const late = setTimeout(() => child.kill('SIGKILL'), START_MS)
  const address = await serving.catch(() => undefined)
  clearTimeout(late)
  return {
    ...output,
    code: child.exitCode,
    address,
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** It said in one line of plain words why it does not serve, and what ended is to be seen in its exit code. */
function assertRefused({ code, stdout, stderr }: Awaited<ReturnType<typeof run>>, expected: RegExp): void {
  assert.deepEqual([code, stdout], [1, ''], stderr)
  // The log, in JSON, may say more.
  const lines = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
  assert.equal(lines.length, 1, stderr)
  assert.match(lines[0] ?? '', /^adoptable: .*\w/)
  assert.match(lines[0] ?? '', expected)
}

/** What is there now is not half of anything: the same start serves, and shows the key of a new store. */
async function assertStarts(t: TestContext, how: Run, about = ''): Promise<void> {
  const { address, stdout, stderr, stop } = await run(t, how)
  assert.ok(address, `${about}: ${stderr}`)
  const [key] = KEY.exec(stdout) ?? []
  assert.ok(key, `${about}: no key was shown`)
  assert.equal((await client(t, address, key)('/v1/categories')).body.length, 8, about)
  await stop()
}

const on = (file: string, port = '0') => ({ DATABASE_URL: `sqlite:${file}`, PORT: port })

const UNWRITABLE = 'a folder that may not be written: one line, exit code 1, nothing left there'
test(UNWRITABLE, { ...NEEDS_NOBODY, timeout: 60_000 }, async (t) => {
  const folder = scratchFolder(t)
  chmodSync(folder, 0o555)
  const how = { through: AS_NOBODY, settings: on(join(folder, 'pets.db')) }
  assertRefused(await run(t, how), /permission denied.*pets\.db/)
  assert.deepEqual(readdirSync(folder), [])

  const deeper = on(join(folder, 'data', 'pets.db'))
  assertRefused(await run(t, { ...how, settings: deeper }), /permission denied.*data/)
  assert.deepEqual(readdirSync(folder), [])

  chownSync(folder, NOBODY, NOBODY)
  chmodSync(folder, 0o700)
  await assertStarts(t, how)
})

const READ_ONLY = 'a store that may only be read: one line, exit code 1, and it stays as it is'
test(READ_ONLY, { ...NEEDS_NOBODY, timeout: 60_000 }, async (t) => {
  const folder = scratchFolder(t)
  const file = join(folder, 'pets.db')
  const settings = on(file)
  await assertStarts(t, { settings })
  chmodSync(folder, 0o777)
  chmodSync(file, 0o444)
  const before = readFileSync(file)

  assertRefused(await run(t, { through: AS_NOBODY, settings }), /pets\.db/)
  assert.ok(readFileSync(file).equals(before))
})

const TAKEN =
  'a port that is taken, and a folder that is a file: one line, exit code 1, and the next start is as the first'
test(TAKEN, { timeout: 60_000 }, async (t) => {
  const folder = scratchFolder(t)
  const busy = net.createServer().listen(0, '127.0.0.1')
  cleanup(t).defer(() => void busy.close())
  await once(busy, 'listening')
  const { port } = busy.address() as net.AddressInfo
  const store = join(folder, 'pets.db')
  const taken = await run(t, { settings: on(store, String(port)) })
  assertRefused(taken, new RegExp(`PORT.*${port}.*EADDRINUSE`))
  await assertStarts(t, { settings: on(store) })

  const file = join(folder, 'text')
  writeFileSync(file, 'text')
  assertRefused(await run(t, { settings: on(`${file}/pets.db`) }), /text/)
  assert.equal(readFileSync(file, 'utf8'), 'text')
})

/** The default port may be taken on this machine, but not in a network that nobody else is in. */
const OWN_NETWORK = {
  skip:
    needs('unshare', 'ip').skip ||
    (!may('unshare', '--net', 'true') && 'a network of its own is only for root, and not in every container'),
}
const WITHOUT = 'without any setting it serves, from a store in the folder it was started in'
test(WITHOUT, { ...OWN_NETWORK, timeout: 60_000 }, async (t) => {
  const folder = scratchFolder(t)
  const through = ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$0" "$@"']
  const { address, stdout, stderr, stop } = await run(t, { through, folder })

  assert.equal(address, 'http://127.0.0.1:8080', stderr)
  assert.match(stdout, KEY)
  await stop()
  assert.deepEqual(readdirSync(folder), ['data'])
  assert.ok(readdirSync(join(folder, 'data')).includes('adoptable.db'))
})

const FEW = 'with 64 file descriptors it serves, bears a flood of connections, and serves on'
test(FEW, { timeout: 120_000 }, async (t) => {
  const through = ['sh', '-c', 'ulimit -n 64 && exec "$0" "$@"']
  const settings = { ...on(join(scratchFolder(t), 'pets.db')), LOG_LEVEL: 'silent' }
  const { address = '', stdout, stderr, stop } = await run(t, { through, settings })
  const [key] = KEY.exec(stdout) ?? []
  assert.ok(address && key, stderr)
  for (let round = 0; round < ROUNDS; round += 1) {
    const sockets = times(200, () => net.connect(Number(new URL(address).port), '127.0.0.1'))
    for (const socket of sockets) socket.on('error', () => undefined)
    await Promise.all(sockets.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])))
    for (const socket of sockets) socket.destroy()
    // Those that have gone are closed one after the other, and until then there is no room.
    const alive = () => client(t, address, key)('/livez', { headers: { connection: 'close' } })
    const deadline = performance.now() + START_MS
    while (!(await alive().catch(() => undefined))) assert.ok(performance.now() < deadline, 'room again')
    const body = { name: `after flood ${round}`, categoryId: 1 }
    const headers = { connection: 'close' }
    const sent = { headers, body, signal: AbortSignal.timeout(START_MS) }
    assert.equal((await client(t, address, key)('/v1/pets', sent)).status, 201)
  }
  await stop()
  reached(t, `${ROUNDS} floods of 200 connections: each time it served again`)
})

test(
  'without room for the store: one line, exit code 1, and with room the same start serves',
  needsMounts(),
  async (t) => {
    const random = randomOf()
    const parent = scratchFolder(t)
    let refused = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      const kibibytes = random.whole(SMALLEST_ROOM, MOST_ROOM)
      const disk = smallDisk(t, `${kibibytes}k`, join(parent, String(round)))
      const how = { settings: on(join(disk.folder, 'pets.db')) }
      const first = await run(t, how)
      if (first.address) {
        await first.stop()
        continue
      }
      refused += 1
      assertRefused(first, new RegExp(`no room left on the disk of ${disk.folder}; free some`))
      disk.grow('8m')
      await assertStarts(t, how, `after ${kibibytes} KiB`)
    }
    assert.ok(refused > 0 || ROUNDS < 5, 'every store had room')
    reached(t, `${refused} of ${ROUNDS} first starts had no room: one line each, and all served later`)
  },
)
