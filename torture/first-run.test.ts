import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import { join, resolve } from 'node:path'
import { type TestContext, test } from 'node:test'
import { cleanup } from '../src/testing/cleanup.ts'
import { send } from '../src/testing/client.ts'
import { scratchFolder } from '../src/testing/start-app.ts'
import { needs, randomOf, reached, rounds } from './given.ts'
import { mount, needsMounts } from './power-cut-disk.ts'

const ROUNDS = rounds(20)
/** Who may write nowhere. */
const NOBODY = 65_534
const AS_NOBODY = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups']
const HAS_SETPRIV =
  process.getuid?.() === 0 ? needs('setpriv') : { skip: 'only root may become another user' }
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
  const words = [...through, process.execPath, resolve('bin/adoptable.js'), 'serve']
  const child = spawn(words[0] as string, words.slice(1), {
    // Nothing but where programs are.
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(folder && { cwd: folder }),
  })
  const told = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => {
      told[name] += chunk
    })
  }
  const closed = once(child, 'close')
  const late = setTimeout(() => child.kill('SIGKILL'), START_MS)
  const serves = new Promise<void>((done) =>
    child.stdout.on('data', () => / serves /.test(told.stdout) && done()),
  )
  await Promise.race([serves, closed])
  clearTimeout(late)
  cleanup(t).defer(() => void child.kill('SIGKILL'))
  return {
    ...told,
    code: child.exitCode,
    address: /serves (http:\S+)\/v1/.exec(told.stdout)?.[1],
    async stop() {
      child.kill('SIGTERM')
      await closed
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
  const answer = await fetch(`${address}/v1/categories`, { headers: { authorization: `Bearer ${key}` } })
  assert.equal(((await answer.json()) as unknown[]).length, 8, about)
  await stop()
}

test('a folder that may not be written: one line, exit code 1, nothing left there', {
  ...HAS_SETPRIV,
  timeout: 60_000,
}, async (t) => {
  const folder = scratchFolder(t)
  chmodSync(folder, 0o555)
  const how = {
    through: AS_NOBODY,
    settings: { DATABASE_URL: `sqlite:${join(folder, 'pets.db')}`, PORT: '0' },
  }
  assertRefused(await run(t, how), /permission denied.*pets\.db/)
  assert.deepEqual(readdirSync(folder), [])

  const deeper = `sqlite:${join(folder, 'data', 'pets.db')}`
  assertRefused(
    await run(t, { ...how, settings: { ...how.settings, DATABASE_URL: deeper } }),
    /permission denied.*data/,
  )
  assert.deepEqual(readdirSync(folder), [])

  chownSync(folder, NOBODY, NOBODY)
  chmodSync(folder, 0o700)
  await assertStarts(t, how)
})

test('a store that may only be read: one line, exit code 1, and it stays as it is', {
  ...HAS_SETPRIV,
  timeout: 60_000,
}, async (t) => {
  const folder = scratchFolder(t)
  const file = join(folder, 'pets.db')
  const settings = { DATABASE_URL: `sqlite:${file}`, PORT: '0' }
  await assertStarts(t, { settings })
  chmodSync(folder, 0o777)
  chmodSync(file, 0o444)
  const before = readFileSync(file)

  assertRefused(await run(t, { through: AS_NOBODY, settings }), /pets\.db/)
  assert.ok(readFileSync(file).equals(before))
})

test('a port that is taken, and a folder that is a file: one line, exit code 1, and the next start is as the first', {
  timeout: 60_000,
}, async (t) => {
  const folder = scratchFolder(t)
  const busy = net.createServer().listen(0, '127.0.0.1')
  cleanup(t).defer(() => void busy.close())
  await once(busy, 'listening')
  const { port } = busy.address() as net.AddressInfo
  const settings = { DATABASE_URL: `sqlite:${join(folder, 'pets.db')}`, PORT: '0' }
  assertRefused(
    await run(t, { settings: { ...settings, PORT: String(port) } }),
    new RegExp(`PORT.*${port}.*EADDRINUSE`),
  )
  await assertStarts(t, { settings })

  const file = join(folder, 'text')
  writeFileSync(file, 'text')
  assertRefused(await run(t, { settings: { ...settings, DATABASE_URL: `sqlite:${file}/pets.db` } }), /text/)
  assert.equal(readFileSync(file, 'utf8'), 'text')
})

test('without any setting it serves, from a store in the folder it was started in', {
  ...needsOwnNetwork(),
  timeout: 60_000,
}, async (t) => {
  const folder = scratchFolder(t)
  const through = ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$0" "$@"']
  const { address, stdout, stderr, stop } = await run(t, { through, folder })

  assert.equal(address, 'http://127.0.0.1:8080', stderr)
  assert.match(stdout, KEY)
  await stop()
  assert.deepEqual(readdirSync(folder), ['data'])
  assert.ok(readdirSync(join(folder, 'data')).includes('adoptable.db'))
})

/** The default port may be taken on this machine, but not in a network that nobody else is in. */
function needsOwnNetwork(): { skip: string | false } {
  const missing = needs('unshare', 'ip')
  if (missing.skip) return missing
  try {
    execFileSync('unshare', ['--net', 'true'], { stdio: 'ignore' })
    return missing
  } catch {
    return { skip: 'a network of its own is only for root, and not in every container' }
  }
}

test('with 64 file descriptors it serves, bears a flood of connections, and serves on', {
  timeout: 120_000,
}, async (t) => {
  const through = ['sh', '-c', 'ulimit -n 64 && exec "$0" "$@"']
  const settings = {
    DATABASE_URL: `sqlite:${join(scratchFolder(t), 'pets.db')}`,
    PORT: '0',
    LOG_LEVEL: 'silent',
  }
  const { address = '', stdout, stderr, stop } = await run(t, { through, settings })
  const [key] = KEY.exec(stdout) ?? []
  assert.ok(address && key, stderr)
  const agent = new http.Agent({ keepAlive: false })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  for (let round = 0; round < ROUNDS; round += 1) {
    const sockets = Array.from({ length: 200 }, () => net.connect(Number(new URL(address).port), '127.0.0.1'))
    for (const socket of sockets) socket.on('error', () => undefined)
    await Promise.all(sockets.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])))
    for (const socket of sockets) socket.destroy()
    const body = { name: `after flood ${round}`, categoryId: 1 }
    const sent = { method: 'POST', headers, body, signal: AbortSignal.timeout(START_MS) }
    assert.equal((await send(agent, `${address}/v1/pets`, sent)).status, 201)
  }
  await stop()
  reached(t, `${ROUNDS} floods of 200 connections: each time it served again`)
})

test('without room for the store: one line, exit code 1, and with room the same start serves', {
  ...needsMounts(),
}, async (t) => {
  const random = randomOf()
  const parent = scratchFolder(t)
  let refused = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const folder = join(parent, String(round))
    const kibibytes = random.whole(SMALLEST_ROOM, MOST_ROOM)
    mount(t, folder, '-t', 'tmpfs', '-o', `size=${kibibytes}k`, 'tmpfs')
    const how = { settings: { DATABASE_URL: `sqlite:${join(folder, 'pets.db')}`, PORT: '0' } }
    const first = await run(t, how)
    if (first.address) {
      await first.stop()
      continue
    }
    refused += 1
    assertRefused(first, /full|space|ENOSPC|disk|open|I\/O/i)
    execFileSync('mount', ['-o', 'remount,size=8m', folder])
    await assertStarts(t, how, `after ${kibibytes} KiB`)
  }
  assert.ok(refused > 0 || ROUNDS < 5, 'every store had room')
  reached(t, `${refused} of ${ROUNDS} first starts had no room: one line each, and all served later`)
})
