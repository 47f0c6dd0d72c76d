import assert from 'node:assert/strict'
import { once } from 'node:events'
import { statSync, watch } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openToWrite } from '../db/open-sqlite.ts'
import { copies, createStore } from '../testing/backups.ts'
import { spawnCli } from '../testing/process.ts'
import { scratchFolder, startApp, UNLIMITED } from '../testing/start-app.ts'

test('backup while a service adds animals: the copy has every animal that was acknowledged before the backup', async (t) => {
  const folder = scratchFolder(t)
  const store = `sqlite:${join(folder, 'test.db')}`
  const app = await startApp(t, { databaseUrl: store, key: UNLIMITED })
  let [acknowledged, stopping] = [0, false]
  const adding = Array.from({ length: 8 }, async () => {
    while (!stopping) {
      const { status, body } = await app.post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'available' })
      assert.equal(status, 201)
      acknowledged = Math.max(acknowledged, body.id)
    }
  })
  while (acknowledged < 500) await new Promise(setImmediate)
  const before = await app.get('/v1/inventory')
  const least = before.body.overall.available
  const file = join(folder, 'copy.db')

  const { code, stdout, stderr } = await spawnCli(t, ['backup', file], { DATABASE_URL: store }).exited
  stopping = true
  await Promise.all(adding)

  assert.deepEqual([code, stderr], [0, ''])
  const [, bytes, pets] = /^\S+copy\.db: (\d+) bytes, animals: (\d+)\n$/.exec(stdout) ?? []
  assert.equal(Number(bytes), statSync(file).size)
  assert.ok(least >= 500 && Number(pets) >= least && Number(pets) <= acknowledged, `${least} ${pets}`)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.deepEqual(copies(folder), ['copy.db'])

  const restored = await startApp(t, { databaseUrl: `sqlite:${file}` })
  assert.equal((await restored.get('/v1/inventory')).body.overall.available, Number(pets))
  const page = await restored.get('/v1/pets?limit=1', { authorization: `Bearer ${app.key}` })
  assert.deepEqual([page.status, page.body[0].id], [200, Number(pets)])
  const added = await restored.post('/v1/pets', { name: 'Bella', categoryId: 2 })
  assert.deepEqual([added.status, added.body.id], [201, Number(pets) + 1])
})

test('backup stopped by a signal leaves no file', async (t) => {
  const folder = scratchFolder(t)
  const settings = await createStore(t, folder)
  const { database } = await openToWrite(join(folder, 'test.db'))
  database.exec(`
    with recursive n (i) as (select 1 union all select i + 1 from n where i < 200000)
    insert into pet (name, category_id, created_at, updated_at) select 'Rex', 1, 0, 0 from n`)
  database.close()
  const watcher = watch(folder)
  t.after(() => watcher.close())
  const { child, exited } = spawnCli(t, ['backup', join(folder, 'copy.db')], settings)
  while (!copies(folder).some((name) => name.endsWith('.part'))) await once(watcher, 'change')

  child.kill('SIGTERM')

  assert.equal((await exited).code, null)
  assert.equal(child.signalCode, 'SIGTERM')
  assert.deepEqual(copies(folder), [])
})
