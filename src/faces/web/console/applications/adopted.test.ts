import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { applyFor } from '../../../../testing/applicant.ts'
import { signIn } from '../../../../testing/console.ts'
import { startApp } from '../../../../testing/start-app.ts'

const LIST = '/console/applications'

/** Starts a service with a shelter, two animals and a member of staff. */
async function startShelter(t: TestContext) {
  const app = await startApp(t, { key: { access: 'admin' } })
  const questions = ['Garden?', 'Cats?'].map((text, index) => {
    return { id: `q${index}`, text, kind: 'text', required: false }
  })
  await app.post('/v1/organizations', { code: 'CO12', name: 'Hill', applicationQuestions: questions })
  for (const name of ['Rex', 'Mia'])
    await app.post('/v1/pets', { name, categoryId: 1, organizationId: 1, status: 'available' })
  const ana = await signIn(app, { organizationId: 1 })
  const stateOf = async (id: number) => {
    const { status, reason } = (await app.get(`/v1/applications/${id}`)).body
    return [status, reason]
  }
  const statusOf = async (id: number) => (await app.get(`/v1/pets/${id}`)).body.status
  return { app, ana, stateOf, statusOf }
}

const KIM = { name: 'Kim Doe', email: 'kim@doe.example' }
const LEE = { name: 'Lee Roe', email: 'lee@roe.example' }

test('the page of an animal lists its open applications with links', async (t) => {
  const { app, ana } = await startShelter(t)
  const before = (await ana.get('/console/animals/1')).text
  assert.doesNotMatch(before, /Open applications/)
  await applyFor(app, 1, KIM)
  await applyFor(app, 1, LEE)
  await applyFor(app, 1, { name: 'Max Poe', email: 'max@poe.example' })
  await app.patch('/v1/applications/1', { status: 'declined' })
  await app.patch('/v1/applications/3', { status: 'approved' })
  const { text } = await ana.get('/console/animals/1')
  const section = /<section class="card" id="applications".*?<\/section>/s.exec(text)?.[0] ?? ''
  assert.match(
    section,
    /href="\/console\/applications\/3">Max Poe.*href="\/console\/applications\/2">Lee Roe/s,
  )
  assert.doesNotMatch(section, /Kim Doe/)
  assert.match(section, /href="\/console\/applications\?petId=1"/)
  const viewer = await signIn(app, { organizationId: 1, role: 'viewer' })
  assert.doesNotMatch((await viewer.get('/console/animals/1')).text, /Max Poe|Open applications/)
})

test('an animal is marked as adopted by an applicant: the order is completed, other applications are declined', async (t) => {
  const { app, ana, stateOf, statusOf } = await startShelter(t)
  await applyFor(app, 1, KIM)
  await applyFor(app, 1, LEE)
  // Staff reserved the animal without an order.
  await app.patch('/v1/pets/1', { status: 'pending' })
  const page = await ana.get('/console/animals/1/adopted')
  assert.match(page.text, /Kim Doe.*Lee Roe.*Someone else.*Don’t record who/s)
  assert.match(page.text, /The other open applications for Rex are declined/)

  const done = await ana.send('/console/animals/1/adopted', { who: '2' })
  assert.deepEqual([done.status, done.headers.location], [303, '/console/animals/1?done=sold'])
  assert.equal(await statusOf(1), 'sold')
  assert.deepEqual(
    [await stateOf(1), await stateOf(2)],
    [
      ['declined', 'adopted'],
      ['approved', undefined],
    ],
  )
  const order = (await app.get('/v1/store/orders/1')).body
  assert.deepEqual([order.status, order.adopter.name], ['completed', 'Lee Roe'])
  assert.equal((await ana.send('/console/animals/1/adopted', { who: '2' })).status, 303, 'sent twice')
})

test('an animal is marked as adopted by someone else, or without saying by whom', async (t) => {
  const { app, ana, stateOf, statusOf } = await startShelter(t)
  await applyFor(app, 1, KIM)
  const path = '/console/animals/1/adopted'
  for (const [fields, problem] of [
    [{}, 'who'],
    [{ who: 'else', name: 'Pat' }, 'email'],
    [{ who: 'else', name: '', email: 'pat@poe.example' }, 'name'],
    [{ who: 'else', name: 'Pat', email: 'pat' }, 'email'],
  ] as const) {
    const refused = await ana.send(path, fields)
    assert.equal(refused.status, 400, JSON.stringify(fields))
    assert.match(refused.text, new RegExp(`href="#field-${problem}"`), JSON.stringify(fields))
  }
  assert.equal(await statusOf(1), 'available')
  assert.equal((await ana.send(path, { who: 'else', name: 'Pat Poe', email: 'pat@poe.example' })).status, 303)
  assert.equal(await statusOf(1), 'sold')
  assert.equal((await app.get('/v1/store/orders/1')).body.adopter.name, 'Pat Poe')
  assert.deepEqual(await stateOf(1), ['declined', 'adopted'])

  assert.equal((await ana.send('/console/animals/2/adopted', { who: 'none' })).status, 303)
  assert.equal(await statusOf(2), 'sold')
  assert.equal((await app.get('/v1/store/orders')).body.length, 1)
})

test('an animal that is reserved for another applicant or belongs to another shelter cannot be marked as adopted', async (t) => {
  const { app, ana, statusOf } = await startShelter(t)
  await applyFor(app, 1, KIM)
  await applyFor(app, 1, LEE)
  await applyFor(app, 2, LEE)
  await app.patch('/v1/applications/1', { status: 'approved' })
  const path = '/console/animals/1/adopted'
  assert.match((await ana.get(path)).text, /value="1" id="field-who" checked/)
  for (const fields of [{ who: '2' }, { who: 'none' }, { who: 'else', ...LEE }])
    assert.equal((await ana.send(path, fields)).status, 409, fields.who)
  assert.equal((await ana.send(path, { who: '3' })).status, 404, 'an application for another animal')
  assert.equal(await statusOf(1), 'pending')
  assert.deepEqual(
    [await statusOf(2), (await app.get('/v1/applications/3')).body.status],
    ['available', 'received'],
  )
  await app.post('/v1/organizations', { code: 'CO13', name: 'Lake' })
  const other = await signIn(app, { organizationId: 2 })
  const viewer = await signIn(app, { organizationId: 1, role: 'viewer' })
  assert.deepEqual(
    [(await other.get(path)).status, (await other.send(path, { who: 'none' })).status],
    [404, 404],
  )
  assert.deepEqual(
    [(await viewer.get(path)).status, (await viewer.send(path, { who: 'none' })).status],
    [403, 403],
  )
  assert.equal((await ana.send(path, { who: '1' })).status, 303)
})

test('the queue marks the applications of a person who has sent several', async (t) => {
  const { app, ana } = await startShelter(t)
  await applyFor(app, 1, KIM)
  await applyFor(app, 2, { ...KIM, email: 'KIM@doe.example' })
  await applyFor(app, 2, LEE)
  const { text } = await ana.get(LIST)
  assert.equal(text.match(/Same person/g)?.length, 2)
  assert.match(text, /Same person, also applied for: <a href="\/console\/applications\/2">Mia<\/a>/)
  assert.match(text, /Same person, also applied for: <a href="\/console\/applications\/1">Rex<\/a>/)
})

test('the queue lists at most ten other applications of one person', async (t) => {
  const { app, ana } = await startShelter(t)
  for (let number = 1; number <= 12; number += 1)
    await app.post('/v1/applications', { petId: 1 + (number % 2), applicant: KIM })
  await app.patch('/v1/applications/2', { status: 'in_review' })
  const lines = (await ana.get(LIST)).text.match(/also applied for: .*?<\/p>/g) ?? []
  const linked = lines.map((line) =>
    [...line.matchAll(/applications\/(\d+)"/g)].map(([, id]) => id).join(' '),
  )
  assert.equal(linked.length, 12)
  assert.ok(linked.includes('1 2 3 4 5 6 7 8 9 10'), linked.join('\n'))
  assert.ok(linked.includes('2 3 4 5 6 7 8 9 10 11'), linked.join('\n'))
})

test('the comparison shows the answers of all applicants to one question', async (t) => {
  const { app, ana } = await startShelter(t)
  await applyFor(app, 1, { ...KIM, 'q-q0': 'A large one.', 'q-q1': 'Two cats.' })
  await applyFor(app, 1, { ...LEE, 'q-q0': 'None.', message: 'Hello!' })
  const all = (await ana.get(`${LIST}?petId=1`)).text
  assert.match(all, /A large one.*Two cats.*None/s)
  const garden = (await ana.get(`${LIST}?petId=1&question=${encodeURIComponent('Garden?')}`)).text
  assert.match(garden, /Kim Doe.*A large one.*Lee Roe.*None/s)
  assert.doesNotMatch(garden, /Two cats|kim@doe/)
  const cats = (await ana.get(`${LIST}?petId=1&question=Cats%3F`)).text
  assert.match(cats, /Two cats.*Lee Roe.*No answer/s)
  assert.match((await ana.get(`${LIST}?petId=1&question=+`)).text, /No answer.*Hello!/s)
  assert.match((await ana.get(`${LIST}?petId=1&question=unknown`)).text, /Two cats/)
})

test('an animal that moved to another organization after its adoption shows the first organization nothing new', async (t) => {
  const { app, ana } = await startShelter(t)
  await app.post('/v1/organizations', { code: 'CO13', name: 'Valley' })
  await applyFor(app, 1, KIM)
  await app.patch('/v1/applications/1', { status: 'approved' })
  await app.patch('/v1/store/orders/1', { status: 'completed' })
  const pages = ['/1/record', '/1', '?status=approved', '?petId=1']
  for (const page of pages) assert.match((await ana.get(`${LIST}${page}`)).text, /Rex/, page)
  const moved = { organizationId: 2, name: 'Bruno', staff: { microchip: '985112006543210' } }
  assert.equal((await app.patch('/v1/pets/1', moved)).status, 200)
  for (const page of pages) {
    const { status, text } = await ana.get(`${LIST}${page}`)
    assert.equal(status, 200, page)
    assert.match(text, /Kim Doe/, page)
    assert.doesNotMatch(text, /Bruno|985112006543210/, page)
  }
})
