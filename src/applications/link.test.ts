import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changes } from '../db/change.ts'
import type { ApiError } from '../errors.ts'
import { newToken } from '../http/token.ts'
import { startApp, type TestApp } from '../testing/start-app.ts'
import { findByLink } from './store.ts'

const APPLICATION = { applicant: { name: 'Ada', email: 'ada@example.org' }, message: 'A garden.' }
const AT = '2026-12-01T00:00:00.000Z'

async function addPet({ post }: TestApp): Promise<number> {
  return (await post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'available' })).body.id
}

/** Applies as a visitor without a key. @returns the token of the private link */
async function visit({ service: { context }, clock }: TestApp, petId: number, link = newToken()) {
  const sending = { by: null, linkHash: link.hash, now: clock.now }
  const { id } = await context.write(changes.insertApplication, { petId, ...APPLICATION }, sending)
  return { id, token: link.token }
}

const codeOf = (change: Promise<unknown>): Promise<string | undefined> =>
  change.then(
    () => undefined,
    (error: ApiError) => error.code,
  )

test('findByLink returns status and reply to the applicant, but no internal note', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  const { db } = app.service.context
  const petId = await addPet(app)
  const { id, token } = await visit(app, petId)
  assert.match(token, /^[\w-]{43}$/)

  const own = { id, petId, petName: 'Rex', receivedAt: AT }
  assert.deepEqual(await findByLink(db, token), { ...own, status: 'received', mayWithdraw: true })
  await app.patch(`/v1/applications/${id}`, {
    status: 'declined',
    note: 'Secret.',
    reply: 'A larger garden.',
  })
  const closed = { status: 'declined', decidedAt: AT, reply: 'A larger garden.', mayWithdraw: false }
  assert.deepEqual(await findByLink(db, token), { ...own, ...closed })
  const { body } = await app.get(`/v1/applications/${id}`)
  assert.equal(JSON.stringify(body).includes(token), false)
  const stored = await db.selectFrom('application').select('link_hash').executeTakeFirst()
  assert.match(String(stored?.link_hash), /^[0-9a-f]{64}$/)

  await app.delete(`/v1/pets/${petId}`)
  assert.equal((await findByLink(db, token))?.petName, undefined)
  for (const wrong of [
    '',
    'x',
    newToken().token,
    `${token}=`,
    `${token.slice(0, -1)}é`,
    String(stored?.link_hash),
  ])
    assert.equal(await findByLink(db, wrong), undefined, wrong)
})

test('withdrawByLink withdraws an application for good and cancels its order', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  const { db, write } = app.service.context
  const petId = await addPet(app)
  const [open, chosen] = [await visit(app, petId), await visit(app, petId)]
  const statusOf = async (token: string) => (await findByLink(db, token))?.status

  for (let times = 0; times < 2; times += 1) await write(changes.withdrawByLink, open.token, app.clock.now)
  assert.equal(await statusOf(open.token), 'withdrawn')
  await app.patch(`/v1/applications/${chosen.id}`, { status: 'approved' })
  await write(changes.withdrawByLink, chosen.token, app.clock.now)
  assert.equal(await statusOf(chosen.token), 'withdrawn')
  const { body } = await app.get(`/v1/applications/${chosen.id}`)
  assert.deepEqual([body.decidedBy, body.orderId], [undefined, undefined])
  assert.equal((await app.get('/v1/store/orders/1')).body.status, 'cancelled')
  assert.equal((await app.get(`/v1/pets/${petId}`)).body.status, 'available')

  const late = await visit(app, petId)
  await app.patch(`/v1/applications/${late.id}`, { status: 'declined' })
  assert.equal(await codeOf(write(changes.withdrawByLink, late.token, app.clock.now)), 'application_closed')
  assert.equal(await codeOf(write(changes.withdrawByLink, 'x', app.clock.now)), 'application_not_found')
})

test('insertApplication three times with one link stores one application', async (t) => {
  const app = await startApp(t)
  const [petId, link] = [await addPet(app), newToken()]
  const sent = await Promise.all([1, 2, 3].map(() => visit(app, petId, link)))
  assert.deepEqual(
    sent.map(({ id }) => id),
    [1, 1, 1],
  )
  assert.equal((await visit(app, petId)).id, 2)
})

test('GET /v1/applications/{id} of a visitor for an animal without an organization, with a write key: 404', async (t) => {
  const app = await startApp(t)
  const { id } = await visit(app, await addPet(app))
  assert.equal((await app.get(`/v1/applications/${id}`)).status, 404)
})
