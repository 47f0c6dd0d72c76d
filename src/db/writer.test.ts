import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../errors.ts'
import { startApp } from '../testing/start-app.ts'
import { changes } from './change.ts'
import { identifyFile } from './open-sqlite.ts'
import { fileOf } from './store-url.ts'
import { fileWriter, packError, unpackError, writerThread } from './writer.ts'

const REX = { name: 'Rex', categoryId: 1 }

test('a change with an argument that cannot be cloned fails alone and does not block close; after close all changes fail', async (t) => {
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
    identifyFile(fileOf(app.databaseUrl)),
  )
  const last = assert.rejects(alone.write(changes.insertPet, (() => undefined) as never, by, app.clock.now))
  await alone.close()
  await last
  await assert.rejects(alone.write(changes.probeWrite), { code: 'service_unavailable' })
})

/** Returns an error as another thread receives it. */
const sent = (error: unknown): Error => unpackError(structuredClone(packError(error)))

test('packError and unpackError: keep code, message, details, headers and cause', () => {
  const disk = Object.assign(new Error('disk I/O error'), { errcode: 10 })
  const details = [{ pointer: '/name', code: 'missing' as const, message: 'This is missing.' }]
  const headers = { 'retry-after': '7' }
  const error = new ApiError('service_unavailable', { message: 'Not now.', details, headers, cause: disk })

  const arrived = sent(error)

  assert.ok(arrived instanceof ApiError)
  assert.deepEqual([arrived.code, arrived.message], ['service_unavailable', 'Not now.'])
  assert.deepEqual([arrived.details, arrived.headers], [details, headers])
  const { message, errcode, stack } = arrived.cause as typeof disk
  assert.deepEqual([message, errcode, stack], [disk.message, 10, disk.stack])
})

test('packError and unpackError without details and cause leave both undefined', () => {
  const arrived = sent(new ApiError('pet_not_found')) as ApiError
  assert.deepEqual(
    { ...arrived, cause: arrived.cause },
    { ...new ApiError('pet_not_found'), cause: undefined },
  )
})
