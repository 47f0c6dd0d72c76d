import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { applyFor, openForm, PERSON, visit } from '../testing/applicant.ts'
import { sendForm, signIn } from '../testing/console.ts'
import { listProblems, runDoctor } from '../testing/findings.ts'
import { doJobs, untilScrubbed } from '../testing/jobs.ts'
import { runCli } from '../testing/process.ts'
import { scrape } from '../testing/scrape.ts'
import { linesOf, startSmtp, subjectOf } from '../testing/smtp-server.ts'
import { startApp, type TestApp } from '../testing/start-app.ts'

const SHELTER = 'pets@shelter.example'
const NOW = Date.UTC(2026, 11, 1)
const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000]

/** Starts a service that sends e-mails, with a shelter and an animal. */
async function startMailing(t: TestContext, { refused = [] as string[], now = NOW, settings = {} } = {}) {
  const smtp = await startSmtp(t, refused)
  const mail = { SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: 'no-reply@shelter.example' }
  const app = await startApp(t, { key: { access: 'admin' }, settings: { ...mail, ...settings }, now })
  await addShelter(app)
  /** Runs the jobs. @returns the e-mails sent since the last call: recipient and subject */
  async function sent(): Promise<string[]> {
    await doJobs(app.service.context)
    return smtp.emails.splice(0).map(({ to, data }) => `${to}: ${subjectOf(data)}`)
  }
  return { app, smtp, sent }
}

async function addShelter(app: TestApp): Promise<void> {
  const shelter = { code: 'CO12', name: 'Hill Shelter', email: SHELTER, phone: '555 0100' }
  assert.equal((await app.post('/v1/organizations', shelter)).status, 201)
  await addAnimal(app, 'Rex')
}

async function addAnimal(app: TestApp, name: string): Promise<number> {
  const pet = { name, categoryId: 1, organizationId: 1, status: 'available' }
  return (await app.post('/v1/pets', pet)).body.id
}

const waiting = async ({ service }: TestApp): Promise<string[]> =>
  (await service.context.db.selectFrom('outbox').select('kind').orderBy('id').execute()).map(
    ({ kind }) => kind,
  )

const decide = (app: TestApp, id: number, patch: object) => app.patch(`/v1/applications/${id}`, patch)

test('an application sent with the form: the applicant gets the private link, and the shelter gets a notice', async (t) => {
  const { app, smtp } = await startMailing(t)
  const path = await applyFor(app, 1, { message: 'Buy pills.' })
  assert.deepEqual(await waiting(app), ['receipt', 'notice'])
  await doJobs(app.service.context)

  const [receipt, notice] = smtp.emails
  assert.deepEqual(receipt?.to, [PERSON.email])
  assert.match(receipt?.data ?? '', /^Reply-To: pets@shelter\.example\r$/m)
  assert.equal(subjectOf(receipt?.data ?? ''), 'Your application to adopt Rex')
  const lines = linesOf(receipt?.data ?? '')
  assert.ok(lines.includes(`http://pets.example${path}`), lines.join('\n'))
  assert.ok(lines.includes('To contact Hill Shelter: pets@shelter.example, 555 0100'))
  // The form cannot be used to send texts to other people.
  assert.doesNotMatch(lines.join('\n'), /Kim|pills/)
  assert.deepEqual(notice?.to, [SHELTER])
  assert.equal(subjectOf(notice?.data ?? ''), 'New application to adopt Rex')
  assert.ok(linesOf(notice?.data ?? '').includes('- Rex: http://pets.example/console/applications/1'))
  assert.doesNotMatch(notice?.data ?? '', /Kim|kim@doe/)

  await doJobs(app.service.context)
  assert.equal(smtp.emails.length, 2)
  assert.deepEqual(await waiting(app), [])
  const log = app.log.join('')
  assert.equal(log.includes(path.slice(-20)) || log.includes(PERSON.email), false)
})

test('each decision and each reply is e-mailed once, a decision with its reply as one e-mail', async (t) => {
  const { app, smtp, sent } = await startMailing(t)
  await applyFor(app, 1)
  await applyFor(app, 1, { email: 'lee@doe.example' })
  await sent()

  await decide(app, 1, { status: 'in_review' })
  assert.deepEqual(await sent(), [], 'the beginning of a review is not a decision')
  await decide(app, 1, { reply: 'Please call us.' })
  await doJobs(app.service.context)
  assert.ok(linesOf(smtp.emails[0]?.data ?? '').includes('Please call us.'))
  assert.deepEqual(await sent(), [`${PERSON.email}: A reply about your application to adopt Rex`])
  await decide(app, 1, { note: 'For staff.' })
  await decide(app, 1, { reply: 'Please call us.' })
  assert.deepEqual(await sent(), [], 'nothing new')

  const { body } = await decide(app, 1, { status: 'approved', reply: 'Come on Friday.' })
  await doJobs(app.service.context)
  const lines = linesOf(smtp.emails[0]?.data ?? '')
  assert.ok(lines.includes('Come on Friday.') && !lines.join().includes('For staff'), lines.join('\n'))
  assert.deepEqual(await sent(), [`${PERSON.email}: Your application to adopt Rex: approved`])
  await app.patch(`/v1/store/orders/${body.orderId}`, { status: 'completed' })
  assert.deepEqual((await sent()).sort(), [
    `${PERSON.email}: Your application to adopt Rex: adoption complete`,
    'lee@doe.example: Your application to adopt Rex: declined',
  ])
})

test('an approval cancelled before its e-mail is sent: the applicant gets one e-mail with the last status', async (t) => {
  const { app, sent } = await startMailing(t)
  await applyFor(app, 1)
  await sent()
  await decide(app, 1, { status: 'approved' })
  await decide(app, 1, { reply: 'Sorry.' })
  await decide(app, 1, { status: 'declined' })
  assert.deepEqual(await sent(), [`${PERSON.email}: Your application to adopt Rex: declined`])
})

test('applicants who withdraw, or who applied through the API, get no e-mail; the shelter gets a notice', async (t) => {
  const { app, sent } = await startMailing(t)
  const path = await applyFor(app, 1)
  await app.post('/v1/applications', { petId: 1, applicant: { name: 'A', email: 'api@doe.example' } })
  assert.deepEqual(await sent(), [
    `${PERSON.email}: Your application to adopt Rex`,
    `${SHELTER}: 2 new applications`,
  ])
  await sendForm(app, `${path}/withdraw`, {})
  await decide(app, 2, { status: 'declined', reply: 'No.' })
  assert.deepEqual(await sent(), [])
})

test('a Spanish form: the e-mails to the applicant are in Spanish', async (t) => {
  const { app, smtp, sent } = await startMailing(t)
  const form = await openForm(app, 1)
  const spanish = { 'accept-language': 'es' }
  assert.equal((await sendForm(app, '/animals/1/apply', { ...form, ...PERSON }, spanish)).status, 303)
  await doJobs(app.service.context)
  assert.ok(
    linesOf(smtp.emails[0]?.data ?? '').includes(
      'Para seguir o retirar su solicitud, abra este enlace privado:',
    ),
  )
  assert.deepEqual(await sent(), [
    `${PERSON.email}: Su solicitud de adopción de Rex`,
    `${SHELTER}: New application to adopt Rex`,
  ])
  await decide(app, 1, { status: 'declined' })
  assert.deepEqual(await sent(), [`${PERSON.email}: Su solicitud de adopción de Rex: rechazada`])
  await app.patch('/v1/organizations/1', { address: { country: 'MX' } })
  await applyFor(app, 1)
  assert.equal((await sent())[1], `${SHELTER}: Nueva solicitud de adopción de Rex`)
})

test('a form that is sent several times: the shelter gets one notice', async (t) => {
  const { app, sent } = await startMailing(t)
  const form = await openForm(app, 1)
  for (const message of ['One.', 'Two.'])
    await sendForm(app, '/animals/1/apply', { ...form, ...PERSON, message })
  assert.equal((await sent()).length, 2)
  await applyFor(app, 1, { email: PERSON.email.toUpperCase() })
  assert.deepEqual(
    (await sent()).filter((email) => email.startsWith(SHELTER)),
    [],
  )
  await addAnimal(app, 'Mia')
  await applyFor(app, 2)
  assert.equal((await sent())[1], `${SHELTER}: New application to adopt Mia`)
})

test('a form sent again with a corrected e-mail address: the private link goes to that address', async (t) => {
  const { app, sent } = await startMailing(t)
  const form = { ...(await openForm(app, 1)), ...PERSON }
  await sendForm(app, '/animals/1/apply', { ...form, email: 'kim@deo.example' })
  assert.equal((await sent()).length, 2)
  await sendForm(app, '/animals/1/apply', form)
  assert.deepEqual(await sent(), [`${PERSON.email}: Your application to adopt Rex`])
  await sendForm(app, '/animals/1/apply', { ...form, message: 'We have a garden.' })
  assert.deepEqual(await sent(), [])
})

test('a daily digest: one e-mail at 06:00 UTC has the applications of the day that are not decided yet', async (t) => {
  const { app, sent } = await startMailing(t)
  await app.patch('/v1/organizations/1', { applicationNotices: 'daily' })
  await addAnimal(app, 'Mia')
  for (const [petId, email] of [
    [1, 'a@doe.example'],
    [2, 'b@doe.example'],
  ] as const) {
    app.clock.now += HOUR_MS
    await applyFor(app, petId, { email })
  }
  const decided = await applyFor(app, 2, { email: 'c@doe.example' })
  await sendForm(app, `${decided}/withdraw`, {})
  assert.equal((await sent()).filter((email) => email.startsWith(SHELTER)).length, 0)
  app.clock.now = Math.floor(app.clock.now / DAY_MS) * DAY_MS + 6 * HOUR_MS - 1
  assert.deepEqual(await sent(), [])
  app.clock.now += 1
  assert.deepEqual(await sent(), [`${SHELTER}: 2 new applications`])
  await applyFor(app, 1, { email: 'd@doe.example' })
  await decide(app, 4, { status: 'in_review' })
  app.clock.now += DAY_MS
  assert.deepEqual(await sent(), ['d@doe.example: Your application to adopt Rex'])
  assert.deepEqual(await waiting(app), [])
})

test('a service that is started again without SMTP_URL queues no more e-mails', async (t) => {
  const { app } = await startMailing(t, { now: NOW - 365 * DAY_MS })
  await applyFor(app, 1)
  const before = await waiting(app)
  await app.stop()
  const problems = await listProblems({ DATABASE_URL: app.databaseUrl })
  assert.deepEqual(problems, ['e-mails: 2 waiting, one since 2025-12-01T00:01:00.000Z'])
  const silent = await startApp(t, { databaseUrl: app.databaseUrl, key: { access: 'admin' } })
  silent.clock.now = app.clock.now
  await applyFor(silent, 1, { email: 'lee@doe.example' })
  await decide(silent, 1, { status: 'declined' })
  assert.deepEqual(await waiting(silent), before)
})

test('a refused address is tried again after longer and longer pauses, and does not stop other e-mails', async (t) => {
  const settings = { METRICS_PORT: '0' }
  const { app, smtp, sent } = await startMailing(t, { refused: [PERSON.email], settings })
  await applyFor(app, 1)
  assert.deepEqual(await sent(), [`${SHELTER}: New application to adopt Rex`])
  const tries = () => smtp.commands.splice(0).filter((line) => line.startsWith('RCPT TO:<kim')).length
  assert.equal(tries(), 1)
  await doJobs(app.service.context)
  assert.equal(tries(), 0)
  for (const minutes of [1, 2, 4]) {
    app.clock.now += minutes * MINUTE_MS - 1
    await doJobs(app.service.context)
    assert.equal(tries(), 0, `${minutes}`)
    app.clock.now += 1
    await doJobs(app.service.context)
    assert.equal(tries(), 1, `${minutes}`)
  }
  for (let round = 0; round < 30; round += 1) {
    app.clock.now += 12 * HOUR_MS
    await doJobs(app.service.context)
  }
  assert.equal(tries(), 12)
  const samples = await scrape(app.service.metricsAddress)
  const counts = ['waiting', 'refused'].map((state) => samples.get(`adoptable_emails_${state}`))
  assert.deepEqual(counts, [1, 1])
  assert.deepEqual(await waiting(app), ['receipt'], 'it is kept for the doctor')
  const findings = await runDoctor({ DATABASE_URL: app.databaseUrl })
  assert.equal(findings.find(({ check }) => check === 'e-mails')?.found, '1 refused by the mail server')
  const { text } = await (await signIn(app)).get('/console/applications/1')
  assert.match(text, /The mail server refused an e-mail to this applicant/)
  assert.equal(app.log.join('').includes(PERSON.email), false)
})

test('while the mail server is down, e-mails wait, and are sent once when it is back', async (t) => {
  const { app, smtp, sent } = await startMailing(t)
  smtp.fault = 'down'
  await applyFor(app, 1)
  for (let hour = 0; hour < 20; hour += 1) {
    await doJobs(app.service.context)
    app.clock.now += HOUR_MS
  }
  assert.deepEqual(await waiting(app), ['receipt', 'notice'])
  const problems = await listProblems({ DATABASE_URL: app.databaseUrl })
  assert.match(problems.join(), /^jobs: emails is failing/)
  smtp.fault = undefined
  app.clock.now += 2 * HOUR_MS
  assert.deepEqual(await sent(), [
    `${PERSON.email}: Your application to adopt Rex`,
    `${SHELTER}: New application to adopt Rex`,
  ])
  assert.deepEqual(await sent(), [])
})

test('a mail server that never confirms an e-mail gets it a limited number of times, with the same Message-ID', async (t) => {
  const { app, smtp } = await startMailing(t)
  smtp.fault = 'closes'
  await applyFor(app, 1)
  for (let round = 0; round < 30; round += 1) {
    await doJobs(app.service.context)
    app.clock.now += 12 * HOUR_MS
  }
  const idOf = ({ data }: { data: string }) => /^Message-ID: (.*)\r$/m.exec(data)?.[1]
  const ids = Object.groupBy(smtp.emails, ({ to }) => to[0] ?? '')
  for (const to of [PERSON.email, SHELTER]) assert.equal(ids[to]?.length, 16, to)
  assert.equal(new Set(smtp.emails.map(idOf)).size, 2)
  smtp.fault = undefined
  await decide(app, 1, { status: 'declined' })
  await doJobs(app.service.context)
  assert.equal(new Set(smtp.emails.map(idOf)).size, 3)
})

test('the erasure of an applicant removes queued e-mails, and the language of the form', async (t) => {
  const { app, smtp } = await startMailing(t, { settings: { ADOPTER_DATA_DAYS: '1' } })
  smtp.fault = 'down'
  const path = await applyFor(app, 1)
  await decide(app, 1, { status: 'declined', reply: 'No.' })
  assert.deepEqual(await waiting(app), ['receipt', 'notice', 'decision'])
  app.clock.now += 2 * DAY_MS
  await untilScrubbed(app)
  assert.deepEqual(await waiting(app), [])
  const { db } = app.service.context
  assert.equal((await db.selectFrom('application').select('language').executeTakeFirst())?.language, null)
  assert.equal((await visit(app, path)).status, 404)
})

test('the pages promise e-mails only if the service sends them, and offer to keep the link', async (t) => {
  const { app } = await startMailing(t)
  const silent = await startApp(t, { key: { access: 'admin' } })
  await addShelter(silent)
  for (const [one, isSent] of [
    [app, true],
    [silent, false],
  ] as const) {
    assert.equal(/We’ll e-mail you/.test((await visit(one, '/animals/1/apply')).text), isSent)
    const path = await applyFor(one, 1)
    const { text } = await visit(one, path)
    assert.equal(/We’re e-mailing you this link/.test(text), isSent)
    const link = `http://pets.example${path}`
    assert.ok(text.includes(`data-copies="${link}"`))
    assert.ok(
      text.includes(
        `href="mailto:?subject=Your%20application%20to%20adopt%20Rex&amp;body=${encodeURIComponent(link)}"`,
      ),
    )
    const page = (await (await signIn(one)).get('/console/applications/1')).text
    assert.equal(/gets the status and your reply by e-mail/.test(page), isSent)
    assert.equal(/but gets no e-mail/.test(page), !isSent)
  }
})

test('the organization chooses in the console when it gets notices', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  await addShelter(app)
  const manager = await signIn(app, { organizationId: 1, role: 'manager' })
  const path = '/console/organizations/1'
  assert.equal((await manager.fill(path, { applicationNotices: 'daily' })).status, 303)
  assert.equal((await app.get('/v1/organizations/1')).body.applicationNotices, 'daily')
  assert.equal((await manager.fill(path, { applicationNotices: '' })).status, 303)
  assert.equal((await app.get('/v1/organizations/1')).body.applicationNotices, undefined)
  assert.equal((await app.patch('/v1/organizations/1', { applicationNotices: 'never' })).status, 400)
})

test('people erase removes the queued e-mails of the person', async (t) => {
  const { app, smtp } = await startMailing(t)
  smtp.fault = 'down'
  await applyFor(app, 1)
  await applyFor(app, 1, { email: 'lee@doe.example' })
  await app.stop()
  const words = ['people', 'erase', '--email', PERSON.email]
  assert.equal((await runCli(t, words, { DATABASE_URL: app.databaseUrl })).code, 0)
  const again = await startApp(t, { databaseUrl: app.databaseUrl })
  assert.deepEqual(await waiting(again), ['receipt', 'notice'])
})

test('an address gets e-mails about at most ten applications a day, which prevents flooding', async (t) => {
  const { app, smtp } = await startMailing(t)
  const paths: string[] = []
  for (let number = 1; number <= 11; number += 1) paths.push(await applyFor(app, 1))
  await doJobs(app.service.context)
  assert.equal(smtp.emails.filter(({ to }) => to[0] === PERSON.email).length, 10)
  assert.match((await visit(app, paths[9] ?? '')).text, /We’re e-mailing you this link/)
  assert.match((await visit(app, paths[10] ?? '')).text, /Save the address of this page/)
})
