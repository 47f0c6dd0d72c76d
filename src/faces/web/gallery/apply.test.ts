import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { applyFor, openForm, PERSON, visit } from '../../../testing/applicant.ts'
import { formIn, sendForm } from '../../../testing/console.ts'
import { type Options, startApp, type TestApp, UNLIMITED } from '../../../testing/start-app.ts'

const HOUR_MS = 3_600_000
const QUESTIONS = [
  { id: 'garden', text: 'Do you have a garden?', kind: 'yesNo', required: true },
  { id: 'home', text: 'How do you live?', kind: 'choice', options: ['House', 'Flat'], required: false },
  { id: 'pets', text: 'Which animals live with you?', kind: 'text', required: false },
]
const VALID = {
  'q-garden': 'yes',
  'q-home': 'Flat',
  'q-pets': 'Two cats\r\nand a bird',
  message: 'We are calm.',
}
const PATH = '/animals/1/apply'

/** A shelter with application questions and one animal, Luna. */
async function startShelter(t: TestContext, options: Options = {}): Promise<TestApp> {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' }, ...options })
  await app.post('/v1/organizations', { name: 'Harbour', code: 'CO12', applicationQuestions: QUESTIONS })
  const luna = { name: 'Luna', categoryId: 1, status: 'available', organizationId: 1 }
  assert.equal((await app.post('/v1/pets', luna)).status, 201)
  return app
}

const stored = async (app: TestApp) => (await app.get('/v1/applications')).body

test('an application form is sent without a key, followed with a private link, and withdrawn', async (t) => {
  const app = await startShelter(t)
  const page = await visit(app, '/animals/1-luna/apply')
  assert.equal(page.status, 200)
  for (const word of ['Apply to adopt Luna', 'Harbour', 'garden', '90 days', 'autocomplete="street-address"'])
    assert.ok(page.text.includes(word), word)

  const link = await applyFor(app, 1, VALID)
  assert.match(link, /^\/applications\/[\w-]{43}$/)
  const [application] = await stored(app)
  const { id, receivedAt, ...sent } = application
  assert.deepEqual(sent, {
    ...{ petId: 1, status: 'received', applicant: PERSON, message: 'We are calm.' },
    answers: [
      { question: 'Do you have a garden?', answer: 'yes' },
      { question: 'How do you live?', answer: 'Flat' },
      { question: 'Which animals live with you?', answer: 'Two cats\nand a bird' },
    ],
  })
  const applicantPage = await visit(app, `${link}?done=sent`)
  assert.match(applicantPage.text, /Your application was sent.*Received.*Save the address/s)
  await app.patch(`/v1/applications/${id}`, { status: 'in_review', reply: 'Come & see <us>', note: 'Nice' })
  const later = (await visit(app, link)).text
  assert.match(later, /In review.*Come &amp; see &lt;us&gt;/s)
  assert.doesNotMatch(later, /Nice|kim@doe/)

  const withdrawn = await sendForm(app, `${link}/withdraw`, {})
  assert.deepEqual([withdrawn.status, withdrawn.headers.location], [303, link])
  assert.match((await visit(app, link)).text, /Withdrawn/)
  assert.doesNotMatch((await visit(app, link)).text, /<form/)
  assert.equal((await sendForm(app, `${link}/withdraw`, {})).status, 303)
  assert.equal((await stored(app))[0].status, 'withdrawn')
})

test('GET /applications/{token} after a decision shows the decision in the applicant’s language', async (t) => {
  const app = await startShelter(t)
  const [kim, sam] = [await applyFor(app, 1, VALID), await applyFor(app, 1, { ...VALID, name: 'Sam' })]
  await app.patch('/v1/applications/1', { status: 'approved' })
  assert.match((await visit(app, kim)).text, /Approved.*approved your application/s)
  const { orderId } = (await app.get('/v1/applications/1')).body
  await app.patch(`/v1/store/orders/${orderId}`, { status: 'completed' })
  assert.match((await visit(app, kim)).text, /Adoption complete/)
  assert.match((await visit(app, sam)).text, /Declined.*adopted by someone else/s)
  assert.match((await visit(app, sam, { 'accept-language': 'es' })).text, /<html lang="es">.*Rechazada/s)
  // Staff decided before the applicant withdrew.
  assert.equal((await sendForm(app, `${sam}/withdraw`, {})).status, 303)
  assert.match((await visit(app, sam)).text, /Declined/)
})

test('application form with invalid fields: 400 with the typed texts and a problem at each field', async (t) => {
  const app = await startShelter(t)
  const form = await openForm(app, 1)
  const typed = { ...form, ...VALID, name: ' ', email: 'nobody', phone: '7'.repeat(51), 'q-garden': 'maybe' }
  const { status, text } = await sendForm(app, PATH, { ...typed, 'q-home': 'Castle', 'q-pets': 'a\u0007' })
  assert.equal(status, 400)
  for (const field of ['name', 'email', 'phone', 'q-garden', 'q-home', 'q-pets'])
    assert.match(text, new RegExp(`<a href="#field-${field}">.*id="field-${field}"`, 's'), field)
  assert.match(text, /value="nobody".*We are calm\./s)
  assert.deepEqual(formIn(text, PATH).form, form.form)
  assert.deepEqual(await stored(app), [])

  const missing = await sendForm(app, PATH, { ...form, ...PERSON })
  assert.match(missing.text, /Answer this question: Do you have a garden\?/)
  const long = await sendForm(app, PATH, { ...form, ...PERSON, ...VALID, message: 'x'.repeat(2_001) })
  assert.match(long.text, /Your message: enter at most 2,000 characters/)
  const spanish = await sendForm(app, PATH, { ...form, ...VALID }, { 'accept-language': 'es' })
  assert.match(spanish.text, /Escriba su nombre\./)
  assert.deepEqual(await stored(app), [])
})

test('an application form sent several times, even at once, creates one application', async (t) => {
  const app = await startShelter(t)
  const form = { ...(await openForm(app, 1)), ...PERSON, ...VALID }
  const sent = await Promise.all([1, 2, 3].map(() => sendForm(app, PATH, form)))
  const later = await sendForm(app, PATH, form)
  assert.deepEqual([...new Set([...sent, later].map(({ headers }) => headers.location))].length, 1)
  assert.equal((await stored(app)).length, 1)
})

test('an application form sent again with corrections replaces the text until staff begin to review it', async (t) => {
  const app = await startShelter(t)
  const form: Record<string, string> = { ...(await openForm(app, 1)), ...PERSON, ...VALID }
  const resend = async (fields: Record<string, string>) => {
    const { status, headers, text } = await sendForm(app, PATH, { ...form, ...fields })
    const applications = await stored(app)
    return {
      status,
      location: headers.location,
      text,
      first: applications.at(-1),
      count: applications.length,
    }
  }
  const { location } = await resend({})
  await app.patch('/v1/applications/1', { note: 'Call Kim' })

  const corrected = await resend({ email: 'kim@new.example', message: 'We moved.', 'q-home': 'House' })
  assert.deepEqual([corrected.status, corrected.location, corrected.count], [303, location, 1])
  const { applicant, message, answers, note } = corrected.first
  assert.deepEqual(
    [applicant.email, message, answers[1].answer, note],
    ['kim@new.example', 'We moved.', 'House', 'Call Kim'],
  )

  // Another person used the same form, or staff have begun to review the application, or it is closed.
  const refused = async (fields: Record<string, string>) => {
    const { status, text, first, count } = await resend(fields)
    assert.deepEqual([status, count, first.message], [400, 1, 'We moved.'], text)
    assert.match(text, /already sent with this form, and your changes were not added/)
    return { ...form, ...fields, ...formIn(text, PATH) }
  }
  const other = await refused({ name: 'Sam', email: 'sam@doe.example', message: 'We too.' })
  await app.patch('/v1/applications/1', { status: 'in_review' })
  await refused({ message: 'We moved again.' })
  const same = { email: 'kim@new.example', message: 'We moved.', 'q-home': 'House' }
  assert.equal((await resend(same)).location, location)
  await app.patch('/v1/applications/1', { status: 'withdrawn' })
  await refused(same)
  app.clock.now += 60_000
  assert.equal((await sendForm(app, PATH, other)).status, 303)
  const names = (await stored(app)).map(({ applicant }: { applicant: typeof PERSON }) => applicant.name)
  assert.deepEqual(names, ['Sam', 'Kim Doe'])
})

test('an application form sent too fast or too late: 400, and it can be sent again', async (t) => {
  const app = await startShelter(t)
  const path = PATH
  const form: Record<string, string> = {
    ...formIn((await visit(app, path)).text, path),
    ...{ ...PERSON, ...VALID },
  }
  const refused = async (fields: Record<string, string>, words: RegExp) => {
    const { status, text } = await sendForm(app, path, fields)
    assert.equal(status, 400)
    assert.match(text, words)
    assert.match(text, /value="Kim Doe".*We are calm\./s)
    return formIn(text, path)
  }
  app.clock.now += 2_999
  const again = await refused(form, /check your answers and send again/)
  app.clock.now += 1
  assert.equal((await sendForm(app, path, again)).status, 303)

  const old: Record<string, string> = { ...(await openForm(app, 1)), ...PERSON, ...VALID }
  app.clock.now += 24 * HOUR_MS
  const renewed = await refused(old, /more than a day/)
  assert.notEqual(renewed.form, old.form)
  app.clock.now += 3_000
  assert.equal((await sendForm(app, path, renewed)).status, 303)

  await app.post('/v1/pets', { name: 'Max', categoryId: 1, status: 'available', organizationId: 1 })
  const other = (await openForm(app, 2)).form ?? ''
  for (const token of ['', 'x', `${old.form}x`, other])
    await refused({ ...old, form: token }, /more than a day/)
  assert.equal((await stored(app)).length, 2)
})

test('an application form with the hidden field filled in is accepted, and the note for staff says so', async (t) => {
  const app = await startShelter(t)
  for (const homepage of ['https://doe.example', ' ', 'http://spam.example'])
    await applyFor(app, 1, { ...VALID, email: `kim${homepage.length}@doe.example`, homepage })
  await applyFor(app, 1, { ...VALID, email: 'sam@doe.example', homepage: '' })
  const notes = (await stored(app)).map(({ note }: { note?: string }) => note)
  const hidden = /^A hidden field of the form was filled in/
  assert.equal(notes[0], undefined)
  for (const note of notes.slice(1)) assert.match(note, hidden)
})

test('a second application by the same person for the same animal: the note for staff names the first', async (t) => {
  const app = await startShelter(t)
  await app.post('/v1/pets', { name: 'Max', categoryId: 1, status: 'available', organizationId: 1 })
  const form = { ...(await openForm(app, 1)), ...PERSON, ...VALID }
  await Promise.all([sendForm(app, PATH, form), sendForm(app, PATH, form)])
  await applyFor(app, 1, { ...VALID, email: 'KIM@doe.example' })
  await applyFor(app, 2, VALID)
  await applyFor(app, 1, { ...VALID, email: 'sam@doe.example' })
  await applyFor(app, 1, VALID)
  const notes = (await stored(app)).map(({ note }: { note?: string }) => note)
  const words = 'This person has also sent these applications for the same animal:'
  assert.deepEqual(notes, [`${words} 2, 1.`, undefined, undefined, `${words} 1.`, undefined])
})

test('application form: spaces and invisible characters in the address are removed, two addresses are refused', async (t) => {
  const app = await startShelter(t)
  const send = async (email: string, language = 'en') => {
    const form = { ...(await openForm(app, 1)), ...PERSON, ...VALID, email }
    return sendForm(app, PATH, form, { 'accept-language': language })
  }
  for (const [typed, address] of [
    [' kim@doe.example ', 'kim@doe.example'],
    ['KIM@DOE.EXAMPLE', 'KIM@DOE.EXAMPLE'],
    ['kim@doe.example\r\n', 'kim@doe.example'],
    ['kim@doe.example\u200b', 'kim@doe.example'],
    ['\ufeffkim@\u2060doe.example\u00a0', 'kim@doe.example'],
    ['kim @ doe.example', 'kim@doe.example'],
    ['\u202akim@doe.example\u202c', 'kim@doe.example'],
    ['mailto:kim@doe.example', 'kim@doe.example'],
    ['Kim Doe <kim@doe.example>', 'kim@doe.example'],
    ['kim＠doe.example.', 'kim@doe.example'],
  ] as const) {
    assert.equal((await send(typed)).status, 303, typed)
    assert.equal((await stored(app))[0].applicant.email, address)
  }
  for (const typed of [
    'kim@doe.example, sam@doe.example',
    'kim@doe.example; sam@doe.example',
    'kim@doe.example sam@doe.example',
    'kim@doe.example/sam@doe.example',
    'Kim <kim@doe.example>, Sam <sam@doe.example>',
  ]) {
    const { status, text } = await send(typed)
    assert.equal(status, 400, typed)
    assert.match(text, /Enter one address only\./)
  }
  assert.match((await send('kim@doe.example, sam@doe.example', 'es')).text, /Escriba una sola dirección\./)
  assert.match((await send('kim@müller.example')).text, /without accents or other special letters/)
  assert.match((await send('kim')).text, /valid e-mail address/)
})

test('application form with names of other scripts, emoji and line breaks is accepted unchanged', async (t) => {
  const app = await startShelter(t)
  const typed = { name: 'Ольга 👩‍🦰', email: 'olga@doe.example', phone: '+1 (555) 010-0000 x12' }
  await applyFor(app, 1, { ...VALID, ...typed, message: 'We have a garden.\r\n\r\nTwo lines.' })
  const [{ applicant, message }] = await stored(app)
  assert.deepEqual([applicant, message], [typed, 'We have a garden.\n\nTwo lines.'])
})

test('after 20 application forms in an hour an IPv6 /64 gets 429, but another address does not', async (t) => {
  const app = await startShelter(t, { settings: { TRUST_PROXY: '127.0.0.1' } })
  const send = async (address: string) => {
    const form = { ...(await openForm(app, 1)), ...PERSON, ...VALID }
    app.clock.now -= 57_000
    return sendForm(app, PATH, form, { 'x-forwarded-for': address })
  }
  app.clock.now = Math.ceil(app.clock.now / HOUR_MS) * HOUR_MS
  for (let count = 0; count < 20; count += 1) assert.equal((await send(`2001:db8::${count}`)).status, 303)
  const { status, headers, text } = await send('2001:db8::abcd')
  assert.equal(status, 429)
  assert.match(text, /Too many applications/)
  const waitSeconds = Number(headers['retry-after'])
  assert.ok(waitSeconds > 3_500 && waitSeconds < 3_600, String(waitSeconds))
  assert.equal((await send('192.0.2.2')).status, 303)
  assert.equal((await stored(app)).length, 20)
  app.clock.now += waitSeconds * 1_000
  assert.equal((await send('192.0.2.1')).status, 303)
})

test('an application form or withdrawal sent from another site: 403, and nothing changes', async (t) => {
  const app = await startShelter(t)
  const form = { ...(await openForm(app, 1)), ...PERSON, ...VALID }
  const link = await applyFor(app, 1, VALID)
  const host = `127.0.0.1:${app.port}`
  for (const headers of [
    { 'sec-fetch-site': 'cross-site', origin: `http://${host}` },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': undefined },
    { 'sec-fetch-site': undefined, origin: 'null' },
    { 'sec-fetch-site': undefined, origin: `http://127.0.0.1:${app.port + 1}` },
  ]) {
    for (const path of [PATH, `${link}/withdraw`]) {
      const { status, text } = await sendForm(app, path, form, headers)
      assert.equal(status, 403, JSON.stringify(headers))
      assert.match(text, /was not sent from this site/)
    }
  }
  const applications = await stored(app)
  assert.deepEqual([applications.length, applications[0].status], [1, 'received'])
  assert.equal(
    (await sendForm(app, PATH, form, { 'sec-fetch-site': undefined, origin: `http://${host}` })).status,
    303,
  )
})

test('an application form for an unknown, unlisted or adopted animal is refused', async (t) => {
  const app = await startShelter(t)
  await app.post('/v1/pets', { name: 'Hidden', categoryId: 1, organizationId: 1 })
  for (const path of [
    '/animals/2/apply',
    '/animals/99/apply',
    '/animals/x/apply',
    `/animals/${'9'.repeat(30)}/apply`,
  ]) {
    for (const answer of [
      await visit(app, path, { accept: 'text/html' }),
      await sendForm(app, path, {}, { accept: 'text/html' }),
    ]) {
      assert.equal(answer.status, 404, path)
      assert.doesNotMatch(answer.text, /Hidden/)
      assert.match(answer.text, /<h1>/)
    }
  }
  const form = { ...(await openForm(app, 1)), ...PERSON, ...VALID }
  await app.patch('/v1/pets/1', { status: 'pending' })
  assert.match((await visit(app, PATH)).text, /Luna is reserved/)
  await app.patch('/v1/pets/1', { status: 'sold' })
  const sent = await sendForm(app, PATH, form)
  assert.equal(sent.status, 409)
  assert.match(sent.text, /is no longer looking for a home.*href="\/animals"/s)
  const adopted = await visit(app, PATH)
  assert.equal(adopted.status, 410)
  assert.doesNotMatch(adopted.text, /Luna/, 'the page does not name an adopted animal')
  assert.deepEqual(await stored(app), [])
})

test('pages of applicants are not cached, indexed or logged, and exist only under their private link', async (t) => {
  const app = await startShelter(t)
  const secret = 'Zebra1x2y'
  const fields = { ...VALID, name: secret, email: `${secret}@doe.example`, phone: secret, message: secret }
  const link = await applyFor(app, 1, { ...fields, address: secret, 'q-pets': secret })
  const form = await openForm(app, 1)
  const faulty = await sendForm(app, PATH, { ...form, ...fields, email: secret })
  const pages = [
    await visit(app, link, { 'accept-encoding': 'gzip, br' }),
    await visit(app, PATH, { 'accept-encoding': 'gzip, br' }),
    await visit(app, `/applications/${'A'.repeat(43)}`, { accept: 'text/html' }),
    faulty,
    await sendForm(app, `${link}/withdraw`, {}),
  ]
  for (const { headers } of pages) {
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['content-encoding'], undefined)
    assert.match(String(headers['x-robots-tag']), /noindex/)
    assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'/)
    assert.match(String(headers['referrer-policy']), /same-origin/)
    // A site builder opens the form from a sandboxed frame.
    assert.equal(headers['cross-origin-opener-policy'], undefined)
  }
  assert.equal(pages[2]?.status, 404)
  const token = link.split('/')[2] as string
  for (const wrong of [`${token}x`, token.slice(1), `${token}/`, token.toLowerCase(), '', 'x'])
    assert.equal((await visit(app, `/applications/${wrong}`)).status, 404, wrong)
  assert.equal((await sendForm(app, `/applications/${'A'.repeat(43)}/withdraw`, {})).status, 404)
  const log = app.log.join('')
  for (const hidden of [secret, token, form.form ?? '-']) assert.ok(!log.includes(hidden), hidden)
})

test('an application form that is too large or of another type gets 413 or 415 with a page', async (t) => {
  const app = await startShelter(t)
  const acceptHtml = { accept: 'text/html' }
  const large = await sendForm(app, PATH, { message: 'x'.repeat(65_536) }, acceptHtml)
  assert.equal(large.status, 413)
  assert.match(large.text, /<h1>/)
  const other = await sendForm(app, PATH, {}, { ...acceptHtml, 'content-type': 'application/json' })
  assert.equal(other.status, 415)
})
