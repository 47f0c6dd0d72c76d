import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { send } from '../testing/client.ts'
import { freePort } from '../testing/port.ts'
import { runCli, spawnCli } from '../testing/process.ts'
import { NEEDS_REDIS, startRedis } from '../testing/redis.ts'
import { scratchFolder } from '../testing/start-app.ts'

function childrenOf(parent: number | undefined): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=']).toString().trim().split('\n')
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number))
  return pairs.filter(([, ppid]) => ppid === parent).map(([pid = 0]) => pid)
}

test(
  'two workers with 64 connections each: allow exactly the limit; a dead worker is replaced',
  NEEDS_REDIS,
  async (t) => {
    const redis = await startRedis(t)
    const settings = {
      DATABASE_URL: `sqlite:${join(scratchFolder(t), 'test.db')}`,
      REDIS_URL: `redis://127.0.0.1:${redis.port}`,
      PORT: '0',
      // A worker that replaces a dead one is stopped once it is ready, which takes seconds on a busy machine.
      STOP_TIMEOUT_SECONDS: '30',
    }
    const created = ['keys', 'create', '--init', '--name', 'a', '--plan', 'business', '--access', 'admin']
    const key = (await runCli(t, created, settings)).stdout.trim()
    const running = spawnCli(t, ['serve', '--workers', '2'], settings)
    const address = await running.serving
    const agent = new http.Agent({ keepAlive: true, maxSockets: 128 })
    t.after(() => agent.destroy())
    const headers = { authorization: `Bearer ${key}` }
    const list = () => send(agent, `${address}/v1/pets`, { headers })
    // Uses a separate connection, which may be lost: node:cluster neither closes nor passes on a connection
    // that it was giving to a worker when the worker died.
    const isLive = async () =>
      (await send(new http.Agent(), `${address}/livez`, { signal: AbortSignal.timeout(1_000) })).status ===
      200

    const answers = await Promise.all(Array.from({ length: 1_100 }, list))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1_000)
    assert.equal(answers.filter(({ status }) => status === 429).length, 100)

    const [dying = 0] = childrenOf(running.child.pid)
    process.kill(dying, 'SIGKILL')
    const replaced = () => childrenOf(running.child.pid).filter((pid) => pid !== dying).length === 2
    // Requests of the dead worker fail; the other worker continues.
    while (!replaced()) await isLive().catch(() => undefined)
    assert.ok(await isLive())
    running.child.kill('SIGTERM')
    assert.equal((await running.exited).code, 0)
    assert.equal(running.output.stdout.split('\n').filter(Boolean).length, 1, 'the address is printed once')
  },
)

/** Starts two workers in their own process group, with an unfinished request to one of them. */
async function startWithOpenRequest(t: TestContext) {
  const settings = {
    DATABASE_URL: `sqlite:${join(scratchFolder(t), 'test.db')}`,
    REDIS_URL: `redis://127.0.0.1:${(await startRedis(t)).port}`,
    PORT: String(await freePort()),
  }
  const running = spawnCli(t, ['serve', '--workers', '2'], settings, undefined, { detached: true })
  await running.serving
  const socket = net.connect(Number(settings.PORT), '127.0.0.1').on('error', () => undefined)
  t.after(() => socket.destroy())
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve('closed')))
  // When the first request is answered, a worker has the connection.
  socket.write('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(socket, 'data')
  socket.write('GET /livez HTTP/1.1\r\nHost: a\r\n')
  const { child } = running
  return {
    socket,
    closed,
    child,
    exited: running.exited,
    signalAll: (signal: NodeJS.Signals) => void process.kill(-(child.pid as number), signal),
    /** Waits until the idle worker has ended. By then both workers have received the signal. */
    async untilOtherEnded() {
      while (childrenOf(child.pid).length > 1) await new Promise(setImmediate)
    },
  }
}

for (const order of ['all at once', 'the supervisor first', 'a worker first']) {
  test(`a signal that reaches ${order}: workers stop once and answer requests`, NEEDS_REDIS, async (t) => {
    const { socket, closed, child, exited, signalAll, untilOtherEnded } = await startWithOpenRequest(t)
    if (order === 'all at once') signalAll('SIGINT')
    if (order === 'a worker first') for (const pid of childrenOf(child.pid)) process.kill(pid, 'SIGINT')
    if (order === 'the supervisor first') child.kill('SIGINT')
    await untilOtherEnded()
    const busy = childrenOf(child.pid)
    if (order === 'a worker first') child.kill('SIGINT')
    if (order === 'the supervisor first') for (const pid of busy) process.kill(pid, 'SIGINT')
    assert.deepEqual(childrenOf(child.pid), busy)
    socket.write('\r\n')

    assert.match(String(await Promise.race([once(socket, 'data'), closed])), /^HTTP\/1\.1 200 /)
    assert.equal((await exited).code, 0)
  })
}

for (const who of ['group', 'supervisor alone']) {
  test(`a second signal to the ${who}: all workers end immediately`, NEEDS_REDIS, async (t) => {
    const { child, closed, exited, signalAll, untilOtherEnded } = await startWithOpenRequest(t)
    signalAll('SIGINT')
    await untilOtherEnded()
    const since = performance.now()
    if (who === 'group') signalAll('SIGINT')
    else child.kill('SIGINT')
    await closed

    assert.equal((await exited).code, 1)
    assert.ok(performance.now() - since < 1_000, `it took ${performance.now() - since} ms`)
  })
}

test('workers that cannot start: report the reason and end the command', NEEDS_REDIS, async (t) => {
  const redis = await startRedis(t)
  const taken = http.createServer().listen(0, '127.0.0.1')
  t.after(() => taken.close())
  await once(taken, 'listening')
  const settings = {
    DATABASE_URL: `sqlite:${join(scratchFolder(t), 'test.db')}`,
    REDIS_URL: `redis://127.0.0.1:${redis.port}`,
    PORT: String((taken.address() as AddressInfo).port),
  }
  const { code, stdout, stderr } = await spawnCli(t, ['serve', '--workers', '2'], settings).exited
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, new RegExp(`^adoptable: PORT: port ${settings.PORT} is used by `, 'm'))
})
