import assert from 'node:assert/strict'
import { copyFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { runOnServer, scratchDatabase, urlOf } from '../testing/postgres.ts'
import { runCli, spawnCli } from '../testing/process.ts'
import { NEEDS_REDIS, startRedis } from '../testing/redis.ts'
import { makeKey, scratchFolder, startApp, type TestApp } from '../testing/start-app.ts'
import { homeOfDatabase } from './installation.ts'

const STORES: Record<string, (t: TestContext) => string | Promise<string>> = {
  SQLite: (t) => `sqlite:${join(scratchFolder(t), 'test.db')}`,
  PostgreSQL: scratchDatabase,
}

const BANS = { BAN_AFTER_REFUSALS: '1' }

async function redisOf(t: TestContext) {
  const redis = await startRedis(t, '--requirepass', 'secret')
  return (database: number) => ({ ...BANS, REDIS_URL: `redis://:secret@127.0.0.1:${redis.port}/${database}` })
}

const idOf = async ({ service }: TestApp) =>
  (await service.context.db.selectFrom('installation').select('id').executeTakeFirstOrThrow()).id

/** Sends requests one after the other. @returns their status codes */
async function ask({ get }: TestApp, count: number, key: string): Promise<number[]> {
  const statuses: number[] = []
  while (statuses.length < count)
    statuses.push((await get('/v1/pets', { authorization: `Bearer ${key}` })).status)
  return statuses
}

const served = (statuses: number[]): number => statuses.filter((status) => status === 200).length

for (const [name, makeStore] of Object.entries(STORES)) {
  test(
    `a second service on the same ${name} store with another Redis database: refused until \`counters move\``,
    NEEDS_REDIS,
    async (t) => {
      const [databaseUrl, inDatabase] = [await makeStore(t), await redisOf(t)]
      const key = await makeKey(databaseUrl, { plan: 'free' })
      const first = await startApp(t, { databaseUrl, settings: inDatabase(0) })
      assert.equal(served(await ask(first, 60, key)), 60)

      const refused = { databaseUrl, settings: inDatabase(1) }
      await assert.rejects(startApp(t, refused), ({ message }: Error) => {
        assert.match(message, /127\.0\.0\.1:\d+\/0, but REDIS_URL names 127\.0\.0\.1:\d+\/1: .*counters move/)
        assert.ok(!message.includes('secret'))
        return true
      })
      const settings = { DATABASE_URL: databaseUrl, ...inDatabase(1) }
      const early = await runCli(t, ['counters', 'move'], settings)
      assert.equal(early.code, 1)
      assert.match(early.stderr, /another adoptable (?:serves|uses) it; stop that first/)
      await first.stop()
      await assert.rejects(startApp(t, { databaseUrl }), /\/0, but REDIS_URL is not set: /)

      const { code, stdout } = await runCli(t, ['counters', 'move'], settings)
      assert.equal(code, 0)
      assert.match(stdout, /^rate limit counters now start from zero in the Redis at 127\.0\.0\.1:\d+\/1\n$/)
      const moved = await startApp(t, refused)
      assert.equal((await moved.get('/v1/pets')).status, 200)
      await moved.stop()
      await assert.rejects(startApp(t, { databaseUrl, settings: inDatabase(0) }), /\/1, but REDIS_URL names/)
      const without = await runCli(t, ['counters', 'move'], { DATABASE_URL: databaseUrl })
      assert.equal(without.stdout, 'rate limit counters now start from zero in the process\n')
      assert.equal((await (await startApp(t, { databaseUrl })).get('/v1/pets')).status, 200)
    },
  )
}

/** Fails unless a ban in `other` leaves the limits of the same key in `one` unaffected. */
async function assertApart(one: TestApp, other: TestApp, key: string): Promise<void> {
  assert.ok((await ask(other, 70, key)).includes(429))
  assert.equal(served(await ask(one, 60, key)), 60)
  assert.notEqual(await idOf(one), await idOf(other))
}

for (const overwritten of [false, true]) {
  const where = overwritten ? 'in the file of another store' : 'in a file of its own'
  test(`a backup ${where}, with the same Redis: has its own counters and bans`, NEEDS_REDIS, async (t) => {
    const [folder, inDatabase] = [scratchFolder(t), await redisOf(t)]
    const [file, backup] = [join(folder, 'test.db'), join(folder, 'backup.db')]
    const databaseUrl = `sqlite:${file}`
    const key = await makeKey(databaseUrl, { plan: 'free' })
    const app = await startApp(t, { databaseUrl, settings: inDatabase(0) })
    const before = await idOf(app)
    assert.equal((await runCli(t, ['backup', backup], { DATABASE_URL: databaseUrl })).code, 0)
    if (overwritten) {
      // The restored backup does not continue the counters of the store it replaces.
      await ask(app, 70, key)
      await app.stop()
      copyFileSync(backup, file)
      const restored = await startApp(t, { databaseUrl, settings: inDatabase(0) })
      assert.equal(served(await ask(restored, 60, key)), 60)
      assert.notEqual(await idOf(restored), before)
      assert.ok(restored.log.some((line) => line.includes('this store is a copy of another one')))
    } else
      await assertApart(
        app,
        await startApp(t, { databaseUrl: `sqlite:${backup}`, settings: inDatabase(0) }),
        key,
      )
  })
}

test(
  'a copied SQLite file: has its own counters; a renamed one: keeps its counters',
  NEEDS_REDIS,
  async (t) => {
    const [folder, inDatabase] = [scratchFolder(t), await redisOf(t)]
    const [file, copy, renamed] = ['test.db', 'copy.db', 'renamed.db'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ]
    const key = await makeKey(`sqlite:${file}`, { plan: 'free' })
    const first = await startApp(t, { databaseUrl: `sqlite:${file}`, settings: inDatabase(0) })
    const id = await idOf(first)
    assert.equal(served(await ask(first, 20, key)), 20)
    await first.stop()
    copyFileSync(file, copy)
    renameSync(file, renamed)

    const again = await startApp(t, { databaseUrl: `sqlite:${renamed}`, settings: inDatabase(0) })
    assert.equal(await idOf(again), id)
    assert.equal(served(await ask(again, 41, key)), 40)
    const other = await startApp(t, { databaseUrl: `sqlite:${copy}`, settings: inDatabase(0) })
    assert.equal(served(await ask(other, 60, key)), 60)
  },
)

test('a copied PostgreSQL database: has its own counters', NEEDS_REDIS, async (t) => {
  const [databaseUrl, inDatabase] = [await scratchDatabase(t), await redisOf(t)]
  const key = await makeKey(databaseUrl, { plan: 'free' })
  const first = await startApp(t, { databaseUrl, settings: inDatabase(0) })
  await first.get('/v1/pets')
  await first.stop()
  const name = `${new URL(databaseUrl).pathname.slice(1)}_copy`
  await runOnServer(`create database ${name} template ${new URL(databaseUrl).pathname.slice(1)}`)
  t.after(() => runOnServer(`drop database ${name} with (force)`))

  const copy = await startApp(t, { databaseUrl: urlOf(name), settings: inDatabase(0) })
  const original = await startApp(t, { databaseUrl, settings: inDatabase(0) })
  await assertApart(original, copy, key).finally(() => copy.stop())
  assert.match(await homeOfDatabase(original.service.context.db), /^\d+:\d+$/)
})

for (const [name, makeStore] of Object.entries(STORES)) {
  test(`services that start at once on a new ${name} store use the same counters`, NEEDS_REDIS, async (t) => {
    const [databaseUrl, inDatabase] = [await makeStore(t), await redisOf(t)]
    const key = await makeKey(databaseUrl, { plan: 'free' })
    const settings = { DATABASE_URL: databaseUrl, PORT: '0', LOG_LEVEL: 'error', ...inDatabase(0) }
    const services = Array.from({ length: 3 }, () => spawnCli(t, ['serve'], settings))
    const addresses = await Promise.all(services.map(({ serving }) => serving))

    const headers = { authorization: `Bearer ${key}` }
    const statuses: number[] = []
    while (statuses.length < 90) {
      const answers = await Promise.all(addresses.map((address) => fetch(`${address}/v1/pets`, { headers })))
      statuses.push(...answers.map(({ status }) => status))
    }
    // A service that waits too long for Redis answers 503, and the request may have been counted.
    const unavailable = statuses.filter((status) => status === 503).length
    assert.ok(served(statuses) <= 60 && served(statuses) + unavailable >= 60, String(statuses))
  })
}

test(
  'serve --workers on a store with its counters in another Redis: exits with code 2 and says why',
  NEEDS_REDIS,
  async (t) => {
    const inDatabase = await redisOf(t)
    const DATABASE_URL = `sqlite:${join(scratchFolder(t), 'test.db')}`
    const first = spawnCli(t, ['serve'], { DATABASE_URL, PORT: '0', ...inDatabase(0) })
    await first.serving
    first.child.kill('SIGTERM')
    await first.exited

    const { code, stderr } = await spawnCli(t, ['serve', '--workers', '2'], {
      DATABASE_URL,
      PORT: '0',
      LOG_LEVEL: 'error',
      ...inDatabase(3),
    }).exited
    assert.equal(code, 2)
    assert.match(stderr, /^adoptable: the counters of this store are in the Redis at /m)
    assert.ok(!stderr.includes('secret'))
  },
)
