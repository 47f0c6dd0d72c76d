import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../testing/start-app.ts'
import { changes } from './change.ts'
import { servedFile } from './served-file.ts'
import { fileOf } from './store-url.ts'
import { fileWriter, writerThread } from './writer.ts'

const REX = { name: 'Rex', categoryId: 1 }

test('an argument that no thread can be sent fails alone, also beside others, and keeps no close waiting; behind that all fail', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  const { write } = app.service.context
  const by = { keyId: 1 }
  const [before, wrong, after] = await Promise.allSettled([
    write(changes.insertPet, REX, by, app.clock.now),
    write(changes.insertPet, (() => undefined) as never, by, app.clock.now),
    write(changes.insertPet, REX, by, app.clock.now),
  ])
  assert.deepEqual([before.status, wrong.status, after.status], ['fulfilled', 'rejected', 'fulfilled'])
  assert.match(String(wrong.status === 'rejected' && wrong.reason), /DataCloneError/)
  assert.equal((await app.post('/v1/pets', REX)).status, 201)

  const alone = fileWriter(
    writerThread(new URL('../writer-thread.ts', import.meta.url)),
    servedFile(fileOf(app.databaseUrl)),
  )
  const last = assert.rejects(alone.write(changes.insertPet, (() => undefined) as never, by, app.clock.now))
  await alone.close()
  await last
  await assert.rejects(alone.write(changes.nothing), { code: 'service_unavailable' })
})
