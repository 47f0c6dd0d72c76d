import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { send } from '../testing/client.ts'
import { runCli, spawnCli } from '../testing/process.ts'
import { NEEDS_REDIS, startRedis } from '../testing/redis.ts'
import { scratchFolder } from '../testing/start-app.ts'

function childrenOf(parent: number | undefined): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=']).toString().trim().split('\n')
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number))
  return pairs.filter(([, ppid]) => ppid === parent).map(([pid = 0]) => pid)
}

test(
  'two workers with 64 connections each let exactly the limit through, and one that dies is replaced',
  NEEDS_REDIS,
  async (t) => {
    const redis = await startRedis(t)
    const settings = {
      DATABASE_URL: `sqlite:${join(scratchFolder(t), 'test.db')}`,
      REDIS_URL: `redis://127.0.0.1:${redis.port}`,
      PORT: '0',
    }
    const created = ['keys', 'create', '--name', 'a', '--plan', 'business']
    const key = (await runCli(t, created, settings)).stdout.trim()
    const running = spawnCli(t, ['serve', '--workers', '2'], settings)
    const address = await running.serving
    const agent = new http.Agent({ keepAlive: true, maxSockets: 128 })
    t.after(() => agent.destroy())
    const get = (path: string, headers = { authorization: `Bearer ${key}` }) =>
      send(agent, `${address}${path}`, { headers })

    const answers = await Promise.all(Array.from({ length: 1_100 }, () => get('/v1/pets')))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1_000)
    assert.equal(answers.filter(({ status }) => status === 429).length, 100)

    const [dying = 0] = childrenOf(running.child.pid)
    process.kill(dying, 'SIGKILL')
    const replaced = () => childrenOf(running.child.pid).filter((pid) => pid !== dying).length === 2
    // What the dead one held is broken off; the other goes on.
    while (!replaced()) await get('/livez').catch(() => undefined)
    assert.equal((await get('/livez')).status, 200)
    running.child.kill('SIGTERM')
    assert.equal((await running.exited).code, 0)
    assert.equal(running.output.stdout.split('\n').filter(Boolean).length, 1, 'one address, told once')
  },
)

test('workers that cannot serve say why, and end the command', NEEDS_REDIS, async (t) => {
  const redis = await startRedis(t)
  const taken = http.createServer().listen(0, '127.0.0.1')
  t.after(() => taken.close())
  await once(taken, 'listening')
  const settings = {
    DATABASE_URL: `sqlite:${join(scratchFolder(t), 'test.db')}`,
    REDIS_URL: `redis://127.0.0.1:${redis.port}`,
    PORT: String((taken.address() as AddressInfo).port),
  }
  const { code, stdout, stderr } = await runCli(t, ['serve', '--workers', '2'], settings)
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, new RegExp(`^adoptable: PORT: another program has port ${settings.PORT} `, 'm'))
})
