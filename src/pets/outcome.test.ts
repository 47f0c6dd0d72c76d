import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeKey, startApp, UNLIMITED } from '../testing/start-app.ts'

const NOW = Date.UTC(2026, 10, 23, 12)
const DIED = { outcomeKind: 'died', outcomeDate: '2026-11-20', outcomeNote: 'After surgery.' }

const start = async (t: Parameters<typeof startApp>[0]) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' }, now: NOW })
  const add = async (more: object = {}) =>
    (await app.post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'available', ...more })).body.id
  return { ...app, add }
}

test('PATCH of an outcome removes the status and the bond, and declines open applications', async (t) => {
  const { add, patch, post, get } = await start(t)
  const [rex, mia] = [await add(), await add({ name: 'Mia' })]
  await patch(`/v1/pets/${rex}`, { bondedWith: [mia], staff: { kennel: 'B2' } })
  const applicant = { name: 'Ada', email: 'ada@example.org' }
  const { id } = (await post('/v1/applications', { petId: rex, applicant })).body

  const { status, body } = await patch(`/v1/pets/${rex}`, { staff: DIED })

  assert.equal(status, 200)
  assert.deepEqual(body, { id: rex, name: 'Rex', categoryId: 1, staff: { kennel: 'B2', ...DIED } })
  assert.equal((await get(`/v1/pets/${mia}`)).body.bondedWith, undefined)
  const application = (await get(`/v1/applications/${id}`)).body
  assert.deepEqual([application.status, application.reason], ['declined', 'animal_removed'])
  assert.deepEqual(
    (await get('/v1/pets?status=available&status=pending&status=sold')).body.map(
      (pet: { id: number }) => pet.id,
    ),
    [mia],
  )
})

test('PATCH of a status removes an earlier outcome, and an adoption keeps its own date and note', async (t) => {
  const { add, patch } = await start(t)
  const rex = await add()
  await patch(`/v1/pets/${rex}`, { staff: DIED })

  const again = await patch(`/v1/pets/${rex}`, { status: 'available' })
  assert.deepEqual(again.body, { id: rex, name: 'Rex', categoryId: 1, status: 'available' })

  const adopted = { outcomeDate: '2026-11-21', outcomeNote: 'A farm.' }
  const sold = await patch(`/v1/pets/${rex}`, { status: 'sold', staff: adopted })
  assert.deepEqual(sold.body.staff, adopted)
  const same = await patch(`/v1/pets/${rex}`, { status: 'sold' })
  assert.deepEqual(same.body.staff, adopted)
  const back = await patch(`/v1/pets/${rex}`, { status: 'available' })
  assert.equal(back.body.staff, undefined)
})

test('PATCH of an outcome of an animal with an open order gets 409 order_open', async (t) => {
  const { add, patch, post } = await start(t)
  const rex = await add()
  await post('/v1/store/orders', { petId: rex, adopter: { name: 'Ada', email: 'ada@example.org' } })
  const { status, body } = await patch(`/v1/pets/${rex}`, { staff: DIED })
  assert.deepEqual([status, body.code], [409, 'order_open'])
})

test('an outcome with a status, without a date, or a date without an outcome, gets 400', async (t) => {
  const { post, patch, add } = await start(t)
  const note = { date: '2026-11-01', kind: 'medical', text: 'Vaccinated.' }
  const refused: [pointer: string, body: object][] = [
    ['/status', { status: 'available', staff: DIED }],
    ['/status', { status: 'available', staff: { holdReason: 'Ill.' } }],
    ['/staff/outcomeKind', { staff: { ...DIED, outcomeKind: 'sold' } }],
    ['/staff/outcomeDate', { staff: { outcomeKind: 'died' } }],
    ['/staff/outcomeDate', { staff: { ...DIED, outcomeDate: '2026-11-30' } }],
    ['/staff/outcomeDate', { staff: { outcomeDate: '2026-11-20' } }],
    ['/staff/outcomeNote', { staff: { outcomeNote: 'After surgery.' } }],
    ['/staff/fosterEmail', { staff: { fosterEmail: 'ada' } }],
    ['/staff/datedNotes', { staff: { datedNotes: [] } }],
    ['/staff/datedNotes', { staff: { datedNotes: Array(101).fill(note) } }],
    ['/staff/datedNotes/1/kind', { staff: { datedNotes: [note, { ...note, kind: 'other' }] } }],
    ['/staff/datedNotes/0/date', { staff: { datedNotes: [{ ...note, date: '2026-11-30' }] } }],
    ['/staff/datedNotes/0/text', { staff: { datedNotes: [{ ...note, text: undefined }] } }],
  ]
  for (const [pointer, body] of refused) {
    const answer = await post('/v1/pets', { name: 'Rex', categoryId: 1, ...body })
    const pointers = answer.body.details?.map((problem: { pointer: string }) => problem.pointer)
    assert.deepEqual([answer.status, pointers], [400, [pointer]], JSON.stringify(body))
  }
  const { status } = await patch(`/v1/pets/${await add()}`, { status: 'pending', staff: DIED })
  assert.equal(status, 400)
})

test('a hold takes an animal off the lists, and publishing the animal ends the hold', async (t) => {
  const { patch, get, add } = await start(t)
  const rex = await add()
  const held = await patch(`/v1/pets/${rex}`, { staff: { holdReason: 'Bite quarantine.' } })
  assert.deepEqual([held.status, held.body.status], [200, undefined])
  assert.deepEqual((await get('/v1/pets?status=available')).body, [])

  const { body } = await patch(`/v1/pets/${rex}`, { status: 'available' })

  assert.deepEqual([body.status, body.staff?.holdReason], ['available', undefined])
  await patch(`/v1/pets/${rex}`, { status: 'sold' })
  const adopted = await patch(`/v1/pets/${rex}`, { staff: { holdReason: 'Ill.' } })
  assert.deepEqual([adopted.status, adopted.body.details?.[0].pointer], [400, '/status'])
})

test('keys with read access see no outcome, hold, foster home or dated note', async (t) => {
  const { add, patch, get, databaseUrl } = await start(t)
  const staff = {
    ...{ holdReason: 'secret', fosterName: 'secret', fosterEmail: 'secret@example.org' },
    datedNotes: [{ date: '2026-11-01', kind: 'behavior', text: 'secret' }],
  }
  const rex = await add()
  for (const hidden of [staff, { ...DIED, outcomeNote: 'secret' }])
    await patch(`/v1/pets/${rex}`, { staff: hidden })
  const key = await makeKey(databaseUrl, { ...UNLIMITED, access: 'read' })
  const headers = { authorization: `Bearer ${key}` }
  for (const path of [`/v1/pets/${rex}`, '/v1/pets', '/v1/pets?q=secret', `/v1/pets/${rex}/history`]) {
    const { status, text } = await get(path, headers)
    assert.equal(status, 200)
    assert.doesNotMatch(text, /secret|died|2026-11-20|outcome/, path)
  }
})
