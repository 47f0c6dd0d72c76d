import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { test } from 'node:test'
import pg from 'pg'
import { freePort } from '../testing/port.ts'
import { scratchDatabase, terminateAll } from '../testing/postgres.ts'
import { spawnCli } from '../testing/process.ts'
import { startProxy } from '../testing/proxy.ts'
import { startApp } from '../testing/start-app.ts'

/** The process id of the session that holds the claim on a database. */
async function holderOf({ href, pathname }: URL): Promise<number | undefined> {
  const client = new pg.Client({ connectionString: href })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>(
    `select pid from pg_locks join pg_database on pg_database.oid = database
      where locktype = 'advisory' and datname = $1`,
    [pathname.slice(1)],
  )
  await client.end()
  return rows[0]?.pid
}

test('serve starts before its database is reachable: waits for the database', async (t) => {
  const direct = new URL(await scratchDatabase(t))
  const proxy = await startProxy(t, { host: direct.hostname, port: Number(direct.port || 5432) })
  const proxied = Object.assign(new URL(direct), { host: `127.0.0.1:${proxy.port}` })
  proxy.cut()
  const waiting = spawnCli(t, ['serve'], { DATABASE_URL: proxied.href, PORT: '0' })
  const more = () => once(waiting.child.stderr as Readable, 'data')
  while (!waiting.output.stderr.includes('the start waits for it')) await more()
  assert.equal(waiting.output.stdout, '')
  proxy.restore()
  await waiting.serving
})

test('SIGTERM while a start waits for its database: the process ends at once', async (t) => {
  const nowhere = `postgres://postgres@127.0.0.1:${await freePort()}/test`
  const { child, output, exited } = spawnCli(t, ['serve'], { DATABASE_URL: nowhere, PORT: '0' })
  const more = () => once(child.stderr as Readable, 'data')
  while (!output.stderr.includes('the start waits for it')) await more()
  const since = performance.now()
  child.kill('SIGTERM')

  assert.equal((await exited).code, 0)
  assert.ok(performance.now() - since < 3_000, 'the start went on waiting')
})

test('a process whose database another process has taken over: exits and says why', async (t) => {
  const direct = new URL(await scratchDatabase(t))
  const proxy = await startProxy(t, { host: direct.hostname, port: Number(direct.port || 5432) })
  const proxied = Object.assign(new URL(direct), { host: `127.0.0.1:${proxy.port}` })
  const { serving, exited } = spawnCli(t, ['serve'], { DATABASE_URL: proxied.href, PORT: '0' })
  await serving
  proxy.cut()
  await terminateAll(direct.pathname.slice(1))
  await startApp(t, { databaseUrl: direct.href })
  proxy.restore()

  const { code, stderr } = await exited
  assert.notEqual(code, 0)
  assert.match(stderr, /another adoptable already serves this database/)
})

test('connections dropped silently by the network: the process reconnects; when it is killed, another process can start', async (t) => {
  const direct = new URL(await scratchDatabase(t))
  const proxy = await startProxy(t, { host: direct.hostname, port: Number(direct.port || 5432) })
  const proxied = Object.assign(new URL(direct), { host: `127.0.0.1:${proxy.port}` })
  const settings = { DATABASE_URL: proxied.href, PORT: '0' }
  const { child, output, serving } = spawnCli(t, ['serve'], settings)
  await serving
  const before = await holderOf(direct)
  assert.ok(before)
  proxy.forget()
  let now: number | undefined = before
  while (now === before || now === undefined) {
    assert.equal(child.exitCode, null, output.stderr)
    now = await holderOf(direct)
  }

  // PostgreSQL does not notice the kill either, because the network drops it.
  proxy.forget()
  child.kill('SIGKILL')
  await spawnCli(t, ['serve'], settings).serving
})
