import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { applyFor, visit } from '../../../../testing/applicant.ts'
import { formIn, signIn } from '../../../../testing/console.ts'
import { doJobs, untilScrubbed } from '../../../../testing/jobs.ts'
import { startApp, type TestApp, UNLIMITED } from '../../../../testing/start-app.ts'
import { storedBytes } from '../../../../testing/stored-bytes.ts'
import { textsOf } from '../../texts/texts.ts'

const DAY_MS = 86_400_000
const LIST = '/console/applications'

/** Two shelters with one animal each: Luna in the first, Max in the second. */
async function startShelters(t: TestContext): Promise<TestApp> {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  for (const [index, name] of ['Luna', 'Max'].entries()) {
    await app.post('/v1/organizations', { name: `Shelter of ${name}`, code: `CO${index}` })
    const pet = { name, categoryId: 1, status: 'available', organizationId: index + 1 }
    assert.equal((await app.post('/v1/pets', pet)).status, 201)
  }
  return app
}

const statusOf = async (app: TestApp, id: number) => (await app.get(`/v1/applications/${id}`)).body.status
const petStatus = async (app: TestApp, id: number) => (await app.get(`/v1/pets/${id}`)).body.status

test('staff take an application from the queue to the adoption: compare, review, approve, complete; the others are declined', async (t) => {
  const app = await startShelters(t)
  const kim = await applyFor(app, 1, { message: 'We have a garden.', phone: '555-0100' })
  const sam = await applyFor(app, 1, { name: 'Sam Roe', email: 'sam@roe.example' })
  const ana = await signIn(app, { organizationId: 1 })
  assert.match((await ana.get('/console/')).text, /2 applications need a decision/)
  const queue = (await ana.get(LIST)).text
  assert.match(queue, /Luna<\/a>.*Compare 2 side by side.*Kim Doe.*Sam Roe/s)
  const comparison = (await ana.get(`${LIST}?petId=1`)).text
  assert.match(comparison, /Applications for Luna.*Kim Doe.*We have a garden\..*sam@roe\.example/s)
  for (const id of [1, 2]) assert.ok(comparison.includes(`href="${LIST}/${id}#decide"`))

  const path = `${LIST}/1`
  const taken = await ana.fill(path, { status: 'in_review', note: 'Calls back on Friday' })
  assert.equal(taken.headers.location, `${path}?done=application_in_review`)
  assert.match(
    (await ana.get(taken.headers.location as string)).text,
    /class="notice".*Calls back on Friday/s,
  )
  await ana.fill(path, { status: 'approved', reply: 'Come on Saturday.' })
  assert.match((await visit(app, kim)).text, /Approved.*Come on Saturday\./s)
  assert.deepEqual([await statusOf(app, 1), await petStatus(app, 1)], ['approved', 'pending'])

  const second = await ana.fill(`${LIST}/2`, { status: 'approved', reply: 'Welcome!' })
  assert.equal(second.status, 409)
  assert.match(second.text, /is not available\. No decision was saved.*Welcome!/s)
  assert.equal(await statusOf(app, 2), 'received')

  const done = await ana.send(`${path}/order`, { status: 'completed' })
  assert.equal(done.headers.location, `${path}?done=completed`)
  assert.deepEqual([await petStatus(app, 1), await statusOf(app, 2)], ['sold', 'declined'])
  assert.match((await visit(app, sam)).text, new RegExp(textsOf('en').apply.reasons.adopted ?? ''))
  assert.match((await ana.get(`${LIST}/2`)).text, /someone else adopted.*This application is closed/s)
  const over = /Adopted Luna.*>Adopted<.*>Adopted on<.*The adoption is complete.*This application is closed/s
  assert.match((await ana.get(path)).text, over)
  for (const list of [`${LIST}?status=approved`, `${LIST}?petId=1`])
    assert.match((await ana.get(list)).text, /Kim Doe.*class="tag adopted">Adopted/s)
  assert.doesNotMatch((await ana.get(`${LIST}?petId=1`)).text, /#decide/)
  assert.match((await visit(app, kim)).text, /<h2 id="state">.*Adoption complete/s)
  assert.match((await ana.get(LIST)).text, /No applications waiting/)
  assert.match((await ana.get(`${LIST}?status=declined`)).text, /Sam Roe/)
  assert.equal((await ana.send(`${path}/order`, { status: 'cancelled' })).status, 409)

  app.clock.now += 91 * DAY_MS
  await untilScrubbed(app)
  assert.match((await (await signIn(app)).get(path)).text, /Name erased/)
  assert.equal((await visit(app, kim)).status, 404)
  await app.stop()
  const bytes = await storedBytes(app.databaseUrl)
  for (const word of ['Kim Doe', 'kim@doe', '555-0100', 'a garden', 'on Friday', 'on Saturday', 'sam@roe'])
    assert.ok(!bytes.includes(word), word)
})

test('cancelling the order reopens the application, which is then declined with a reply', async (t) => {
  const app = await startShelters(t)
  const kim = await applyFor(app, 1)
  const ana = await signIn(app, { organizationId: 1 })
  await ana.fill(`${LIST}/1`, { status: 'approved' })
  assert.equal((await ana.send(`${LIST}/1/order`, { status: 'cancelled' })).status, 303)
  assert.deepEqual([await statusOf(app, 1), await petStatus(app, 1)], ['in_review', 'available'])
  const late = await ana.send(`${LIST}/1`, {
    was: 'received',
    status: 'declined',
    reply: 'No',
    'was-reply': '',
  })
  assert.equal(late.status, 409)
  assert.match(late.text, /decided on this application while you were editing/)
  await ana.fill(`${LIST}/1`, { status: 'declined', sure: 'yes', reply: 'Luna needs a garden.' })
  assert.match((await visit(app, kim)).text, /Declined.*Luna needs a garden\./s)
  assert.equal((await ana.send(`${LIST}/1`, { status: 'approved' })).status, 409)
  assert.equal((await ana.send(`${LIST}/1/order`, { status: 'completed' })).status, 404)
})

test('declining an application asks for confirmation and a reply first', async (t) => {
  const app = await startShelters(t)
  const kim = await applyFor(app, 1, { name: 'Kim <Doe>' })
  const ana = await signIn(app, { organizationId: 1 })
  const path = `${LIST}/1`
  const confirmation = await ana.fill(path, { status: 'declined', reply: 'Sorry.', note: 'No\n"garden"' })
  assert.equal(confirmation.status, 200)
  assert.match(confirmation.text, /Decline the application from Kim &lt;Doe&gt;\?.*cannot be undone/s)
  assert.equal(await statusOf(app, 1), 'received')
  const question = formIn(confirmation.text, path)
  assert.equal(question.reply, 'Sorry.')

  const declined = await ana.send(path, { ...question, reply: 'Sorry, Luna needs a garden.' })
  assert.equal(declined.headers.location, `${path}?done=application_declined`)
  const { status, note, reply } = (await app.get('/v1/applications/1')).body
  assert.deepEqual([status, note, reply], ['declined', 'No\n"garden"', 'Sorry, Luna needs a garden.'])
  assert.match((await visit(app, kim)).text, /Declined.*Sorry, Luna needs a garden\./s)
})

test('marking an application as withdrawn asks for confirmation first', async (t) => {
  const app = await startShelters(t)
  await applyFor(app, 1, { name: 'Kim' })
  const ana = await signIn(app, { organizationId: 1 })
  const confirmation = await ana.fill(`${LIST}/1`, { status: 'withdrawn' })
  assert.match(confirmation.text, /Mark the application from Kim as withdrawn\?.*cannot be undone/s)
  assert.equal(await statusOf(app, 1), 'received')
  await ana.send(`${LIST}/1`, formIn(confirmation.text, `${LIST}/1`))
  assert.equal(await statusOf(app, 1), 'withdrawn')
})

test('bonded animals are named and reserved together', async (t) => {
  const app = await startShelters(t)
  await app.post('/v1/pets', {
    name: 'Nala',
    categoryId: 1,
    status: 'available',
    organizationId: 1,
    bondedWith: [1],
  })
  await applyFor(app, 1)
  const ana = await signIn(app, { organizationId: 1 })
  assert.match((await ana.get(`${LIST}/1`)).text, /Luna is adopted together with Nala/)
  await ana.fill(`${LIST}/1`, { status: 'approved' })
  assert.equal(await petStatus(app, 3), 'pending')
})

test('applications answer 404 to members of another organization, and 403 to viewers', async (t) => {
  const app = await startShelters(t)
  await applyFor(app, 1)
  const [other, viewer, all] = [
    await signIn(app, { organizationId: 2, role: 'manager' }),
    await signIn(app, { organizationId: 1, role: 'viewer' }),
    await signIn(app),
  ]
  for (const path of [`${LIST}/1`, `${LIST}?petId=1`]) {
    const { status, text } = await other.get(path)
    assert.equal(status, 404, path)
    assert.doesNotMatch(text, /Kim|Luna/)
    assert.equal((await viewer.get(path)).status, 403)
    assert.match((await all.get(path)).text, /Kim Doe/)
  }
  for (const path of [LIST, `${LIST}?status=received`, '/console/'])
    assert.doesNotMatch((await other.get(path)).text, /Kim|applications? needs? a decision/)
  assert.equal((await other.send(`${LIST}/1`, { status: 'approved' })).status, 404)
  assert.equal((await other.send(`${LIST}/1/order`, { status: 'completed' })).status, 404)
  assert.doesNotMatch((await viewer.get('/console/')).text, /Applications|applications? needs? a decision/)
  assert.equal(await statusOf(app, 1), 'received')
})

test('two people edit reply and note at once: both changes are kept; a text of 5,001 characters gets 400', async (t) => {
  const app = await startShelters(t)
  await applyFor(app, 1)
  const ana = await signIn(app, { organizationId: 1 })
  await ana.send(`${LIST}/1`, { status: '', note: 'Mine', 'was-note': '', reply: '', 'was-reply': '' })
  await ana.send(`${LIST}/1`, { status: '', note: '', 'was-note': '', reply: 'Hello', 'was-reply': '' })
  const { note, reply } = (await app.get('/v1/applications/1')).body
  assert.deepEqual([note, reply], ['Mine', 'Hello'])
  const long = await ana.fill(`${LIST}/1`, { status: 'declined', sure: 'yes', note: 'x'.repeat(5_001) })
  assert.equal(long.status, 400)
  assert.match(long.text, /href="#field-note".*x{5001}/s)
  await ana.fill(`${LIST}/1`, { status: '', note: '' })
  assert.equal((await app.get('/v1/applications/1')).body.note, undefined)
})

test('all pages of an application escape hostile text', async (t) => {
  const app = await startShelters(t)
  const evil = `"><script>alert(1)</script><img src=x onerror=alert(1)>'`
  const question = { id: 'q', text: evil, kind: 'choice', options: [evil, 'b'], required: true }
  await app.patch('/v1/organizations/1', { name: evil, applicationQuestions: [question] })
  await app.patch('/v1/pets/1', { name: evil })
  const fields = { name: evil, phone: '"><script>x</script>', address: evil, message: evil, 'q-q': evil }
  const link = await applyFor(app, 1, fields)
  const manager = await signIn(app, { organizationId: 1, role: 'manager', name: evil })
  const decided = await manager.fill(`${LIST}/1`, { status: 'approved', note: evil, reply: evil })
  assert.equal(decided.status, 303)
  const pages = await Promise.all([
    ...[LIST, `${LIST}?status=approved`, `${LIST}?petId=1`, `${LIST}/1`].map((path) => manager.get(path)),
    manager.get(`/console/organizations/1/questions?done=${encodeURIComponent(evil)}`),
    visit(app, link),
    visit(app, '/animals/1/apply'),
  ])
  for (const [index, { status, text }] of pages.entries()) {
    assert.equal(status, 200, String(index))
    assert.doesNotMatch(text, /<script>|<img src=x|onerror=alert\(1\)>'/, String(index))
  }
})

test('very long applications for one animal: the comparison shows the first applications, and links to the others', async (t) => {
  const app = await startShelters(t)
  const answers = Array.from({ length: 26 }, () => ({ question: 'Why?', answer: '<'.repeat(2_000) }))
  for (let number = 1; number <= 8; number += 1) {
    const applicant = { name: `Person ${number}.`, email: 'a@b.example' }
    assert.equal((await app.post('/v1/applications', { petId: 1, applicant, answers })).status, 201)
  }
  const { text } = await (await signIn(app)).get(`${LIST}?petId=1`)
  assert.ok(text.length < 1_000_000, String(text.length))
  assert.equal(text.match(/Open this one to read it/g)?.length, 5)
  for (let id = 1; id <= 8; id += 1) assert.match(text, new RegExp(`href="${LIST}/${id}">Person ${id}\\.`))
})

test('the applications that have waited longest come first, page by page', async (t) => {
  const app = await startShelters(t)
  for (let number = 1; number <= 27; number += 1) {
    const applicant = { name: `Person ${number}.`, email: 'a@b.example' }
    await app.post('/v1/applications', { petId: 1 + (number % 2), applicant })
    if (number % 5 === 0) await app.patch(`/v1/applications/${number}`, { status: 'in_review' })
  }
  const all = await signIn(app)
  const first = (await all.get(LIST)).text
  const names = (text: string) => [...text.matchAll(/Person (\d+)\./g)].map(([, number]) => Number(number))
  assert.deepEqual(names(first).slice(0, 3), [1, 3, 5])
  assert.equal(names(first).length, 25)
  const next = /href="([^"]+)" *>Next|rel="next" href="([^"]+)"/.exec(first)
  const to = (next?.[1] ?? next?.[2] ?? /href="([^"]*cursor=[^"]*)"/.exec(first)?.[1] ?? '').replaceAll(
    '&amp;',
    '&',
  )
  assert.deepEqual(names((await all.get(to)).text).sort(), [26, 27])
  assert.equal((await all.get(`${LIST}?cursor=x`)).status, 400)
  await doJobs(app.service.context)
})
