import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { connectClient, nextTurn, terminateHolder, usedOfDay } from '../testing/claims.ts'
import { scratchDatabase } from '../testing/postgres.ts'
import { spawnCli } from '../testing/process.ts'
import { startProxy } from '../testing/proxy.ts'
import { makeKey } from '../testing/start-app.ts'

// PostgreSQL without Redis: one process counts requests. Clients get no more than the limit while another
// process takes over.

const LIMIT = 60
/** Requests are charged ahead in leases of this size. A process that ends loses its unused requests. */
const LEASE = 4
const ask = async (address: string, key: string): Promise<number> =>
  (await fetch(`${address}/v1/pets`, { headers: { authorization: `Bearer ${key}` } })).status

test('a process does not notice that another one takes over: both together serve the limit, counters never fall', async (t) => {
  const direct = new URL(await scratchDatabase(t))
  const proxy = await startProxy(t, { host: direct.hostname, port: Number(direct.port || 5432) })
  const proxied = Object.assign(new URL(direct), { host: `127.0.0.1:${proxy.port}` })
  const key = await makeKey(direct.href, { plan: 'free' })
  let claimLine: Socket | undefined
  proxy.onSend = (bytes, line) => {
    if (bytes.includes('pg_current_snapshot')) claimLine = line
    return false
  }
  const one = spawnCli(t, ['serve'], { DATABASE_URL: proxied.href, PORT: '0' })
  const first = await one.serving
  let served = 0
  while (served < 20) served += (await ask(first, key)) === 200 ? 1 : 0

  const client = await connectClient(t, direct.href)
  const other = spawnCli(t, ['serve'], { DATABASE_URL: direct.href, PORT: '0' })
  const asking = `select from pg_stat_activity
    where datname = current_database() and query like 'select pg_try_advisory_lock%'`
  while ((await client.query(asking)).rowCount === 0) await nextTurn()
  // The first process does not notice the loss of its claim, and its other connections still work.
  proxy.forgetOne(claimLine as Socket)
  await terminateHolder(client)
  const second = await other.serving
  let used = 0
  let isOver = false
  void one.exited.then(() => {
    isOver = true
  })
  while (!isOver) {
    const statuses = await Promise.all([first, second].map((address) => ask(address, key).catch(() => 0)))
    served += statuses.filter((status) => status === 200).length
    const now = await usedOfDay(client)
    assert.ok(now >= used, `${now} after ${used} requests of a day`)
    used = now
  }

  assert.ok(served <= LIMIT && served > LIMIT - LEASE, `${served} of ${LIMIT}`)
  assert.ok((await usedOfDay(client)) >= LIMIT)
  const { code, stderr } = await one.exited
  assert.notEqual(code, 0)
  assert.match(stderr, /"level":60.*another adoptable already serves this database/)
  assert.doesNotMatch(stderr, /"stack"/)
})

test('a start that waits for its database: logs one line, however often it retries', async (t) => {
  let attempts = 0
  const closed = createServer((socket) => {
    attempts += 1
    socket.destroy()
    closed.emit('attempt')
  })
  closed.listen(0, '127.0.0.1')
  await once(closed, 'listening')
  t.after(() => closed.close())
  const { port } = closed.address() as { port: number }
  const { child, output, exited } = spawnCli(t, ['serve'], {
    DATABASE_URL: `postgres://postgres@127.0.0.1:${port}/test`,
    PORT: '0',
  })
  while (attempts < 4) await once(closed, 'attempt')
  child.kill('SIGTERM')
  await exited

  const lines = output.stderr.split('\n').filter((line) => line.includes('the start waits for it'))
  assert.equal(lines.length, 1, output.stderr)
  assert.match(String(lines[0]), /"level":40,.*"reason":"[^"]+"/)
  assert.doesNotMatch(output.stderr, /"stack"/)
})
