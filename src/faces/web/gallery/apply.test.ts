import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { applyFor, openForm, PERSON, sendForm, visit } from '../../../testing/applicant.ts'
import { formIn } from '../../../testing/console.ts'
import { type Options, startApp, type TestApp, UNLIMITED } from '../../../testing/start-app.ts'

const HOUR_MS = 3_600_000
const QUESTIONS = [
  { id: 'garden', text: 'Do you have a garden?', kind: 'yesNo', required: true },
  { id: 'home', text: 'How do you live?', kind: 'choice', options: ['House', 'Flat'], required: false },
  { id: 'pets', text: 'Which animals live with you?', kind: 'text', required: false },
]
const SOUND = {
  'q-garden': 'yes',
  'q-home': 'Flat',
  'q-pets': 'Two cats\r\nand a bird',
  message: 'We are calm.',
}
const PATH = '/animals/1/apply'

/** A shelter that asks something, and Luna, who lives there. */
async function startShelter(t: TestContext, options: Options = {}): Promise<TestApp> {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' }, ...options })
  await app.post('/v1/organizations', { name: 'Harbour', code: 'CO12', applicationQuestions: QUESTIONS })
  const luna = { name: 'Luna', categoryId: 1, status: 'available', organizationId: 1 }
  assert.equal((await app.post('/v1/pets', luna)).status, 201)
  return app
}

const stored = async (app: TestApp) => (await app.get('/v1/applications')).body

test('somebody applies without a key, follows the application by a private link, and takes it back', async (t) => {
  const app = await startShelter(t)
  const page = await visit(app, '/animals/1-luna/apply')
  assert.equal(page.status, 200)
  for (const word of ['Apply for Luna', 'Harbour', 'garden', '90 days', 'autocomplete="street-address"'])
    assert.ok(page.text.includes(word), word)

  const link = await applyFor(app, 1, SOUND)
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
  const own = await visit(app, `${link}?done=sent`)
  assert.match(own.text, /Your application is sent.*Received.*Keep the address/s)
  await app.patch(`/v1/applications/${id}`, { status: 'in_review', reply: 'Come & see <us>', note: 'Nice' })
  const later = (await visit(app, link)).text
  assert.match(later, /Being looked at.*Come &amp; see &lt;us&gt;/s)
  assert.doesNotMatch(later, /Nice|kim@doe/)

  const withdrawn = await sendForm(app, `${link}/withdraw`, {})
  assert.deepEqual([withdrawn.status, withdrawn.headers.location], [303, link])
  assert.match((await visit(app, link)).text, /Withdrawn/)
  assert.doesNotMatch((await visit(app, link)).text, /<form/)
  assert.equal((await sendForm(app, `${link}/withdraw`, {})).status, 303)
  assert.equal((await stored(app))[0].status, 'withdrawn')
})

test('what an applicant sees is what was decided, in words and in their language', async (t) => {
  const app = await startShelter(t)
  const [kim, sam] = [await applyFor(app, 1, SOUND), await applyFor(app, 1, { ...SOUND, name: 'Sam' })]
  await app.patch('/v1/applications/1', { status: 'approved' })
  assert.match((await visit(app, kim)).text, /Approved.*has chosen you/s)
  const { orderId } = (await app.get('/v1/applications/1')).body
  await app.patch(`/v1/store/orders/${orderId}`, { status: 'completed' })
  assert.match((await visit(app, kim)).text, /Adoption complete/)
  assert.match((await visit(app, sam)).text, /Declined.*Somebody else has adopted/s)
  assert.match((await visit(app, sam, { 'accept-language': 'es' })).text, /<html lang="es">.*Rechazada/s)
  // Staff were faster than whoever withdraws.
  assert.equal((await sendForm(app, `${sam}/withdraw`, {})).status, 303)
  assert.match((await visit(app, sam)).text, /Declined/)
})

test('a form with faults comes back with all that was typed, each fault at its field', async (t) => {
  const app = await startShelter(t)
  const form = await openForm(app, 1)
  const typed = { ...form, ...SOUND, name: ' ', email: 'nobody', phone: '7'.repeat(51), 'q-garden': 'maybe' }
  const { status, text } = await sendForm(app, PATH, { ...typed, 'q-home': 'Castle', 'q-pets': 'a\u0007' })
  assert.equal(status, 400)
  for (const field of ['name', 'email', 'phone', 'q-garden', 'q-home', 'q-pets'])
    assert.match(text, new RegExp(`<a href="#field-${field}">.*id="field-${field}"`, 's'), field)
  assert.match(text, /value="nobody".*We are calm\./s)
  assert.deepEqual(formIn(text, PATH).form, form.form)
  assert.deepEqual(await stored(app), [])

  const missing = await sendForm(app, PATH, { ...form, ...PERSON })
  assert.match(missing.text, /Answer this: Do you have a garden\?/)
  const long = await sendForm(app, PATH, { ...form, ...PERSON, ...SOUND, message: 'x'.repeat(2_001) })
  assert.match(long.text, /Your message: at most 2000 characters/)
  const spanish = await sendForm(app, PATH, { ...form, ...SOUND }, { 'accept-language': 'es' })
  assert.match(spanish.text, /Escriba su nombre\./)
  assert.deepEqual(await stored(app), [])
})

test('a form that is sent twice is one application, also at once', async (t) => {
  const app = await startShelter(t)
  const form = { ...(await openForm(app, 1)), ...PERSON, ...SOUND }
  const sent = await Promise.all([1, 2, 3].map(() => sendForm(app, PATH, form)))
  const later = await sendForm(app, PATH, form)
  assert.deepEqual([...new Set([...sent, later].map(({ headers }) => headers.location))].length, 1)
  assert.equal((await stored(app)).length, 1)
})

test('what no person fills in is refused, and a person can send it again: too fast, a hidden field, too late', async (t) => {
  const app = await startShelter(t)
  const path = PATH
  const form: Record<string, string> = {
    ...formIn((await visit(app, path)).text, path),
    ...{ ...PERSON, ...SOUND },
  }
  const refused = async (fields: Record<string, string>, words: RegExp) => {
    const { status, text } = await sendForm(app, path, fields)
    assert.equal(status, 400)
    assert.match(text, words)
    assert.match(text, /value="Kim Doe".*We are calm\./s)
    return formIn(text, path)
  }
  app.clock.now += 2_999
  const again = await refused(form, /faster than a person/)
  app.clock.now += 1
  const clean = await refused({ ...again, homepage: 'http://spam.example' }, /people do not see/)
  assert.equal(clean.homepage, '')
  assert.deepEqual(await stored(app), [])
  assert.equal((await sendForm(app, path, again)).status, 303)

  const old: Record<string, string> = { ...(await openForm(app, 1)), ...PERSON, ...SOUND }
  app.clock.now += 24 * HOUR_MS
  const renewed = await refused(old, /longer than a day/)
  assert.notEqual(renewed.form, old.form)
  app.clock.now += 3_000
  assert.equal((await sendForm(app, path, renewed)).status, 303)

  await app.post('/v1/pets', { name: 'Max', categoryId: 1, status: 'available', organizationId: 1 })
  const other = (await openForm(app, 2)).form ?? ''
  for (const token of ['', 'x', `${old.form}x`, other])
    await refused({ ...old, form: token }, /longer than a day/)
  assert.equal((await stored(app)).length, 2)
})

test('twenty applications an hour come from an address, and another address is none of it', async (t) => {
  const app = await startShelter(t, { settings: { TRUST_PROXY: '127.0.0.1' } })
  const send = async (address: string) => {
    const form = { ...(await openForm(app, 1)), ...PERSON, ...SOUND }
    app.clock.now -= 57_000
    return sendForm(app, PATH, form, { 'x-forwarded-for': address })
  }
  app.clock.now = Math.ceil(app.clock.now / HOUR_MS) * HOUR_MS
  for (let count = 0; count < 20; count += 1) assert.equal((await send('192.0.2.1')).status, 303)
  const { status, headers, text } = await send('192.0.2.1')
  assert.equal(status, 429)
  assert.match(text, /Too many applications/)
  const waitSeconds = Number(headers['retry-after'])
  assert.ok(waitSeconds > 3_500 && waitSeconds < 3_600, String(waitSeconds))
  assert.equal((await send('192.0.2.2')).status, 303)
  assert.equal((await stored(app)).length, 20)
  app.clock.now += waitSeconds * 1_000
  assert.equal((await send('192.0.2.1')).status, 303)
})

test('a form or a withdrawal that comes from elsewhere does nothing', async (t) => {
  const app = await startShelter(t)
  const form = { ...(await openForm(app, 1)), ...PERSON, ...SOUND }
  const link = await applyFor(app, 1, SOUND)
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
      assert.match(text, /did not come from our form/)
    }
  }
  const applications = await stored(app)
  assert.deepEqual([applications.length, applications[0].status], [1, 'received'])
  assert.equal(
    (await sendForm(app, PATH, form, { 'sec-fetch-site': undefined, origin: `http://${host}` })).status,
    303,
  )
})

test('nobody applies for an animal that is not there, not published, or adopted, also while the form is open', async (t) => {
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
  const form = { ...(await openForm(app, 1)), ...PERSON, ...SOUND }
  await app.patch('/v1/pets/1', { status: 'pending' })
  assert.match((await visit(app, PATH)).text, /Luna is reserved/)
  await app.patch('/v1/pets/1', { status: 'sold' })
  const sent = await sendForm(app, PATH, form)
  assert.equal(sent.status, 409)
  assert.match(sent.text, /does not look for a home any more.*href="\/animals"/s)
  assert.equal((await visit(app, PATH)).status, 410)
  assert.deepEqual(await stored(app), [])
})

test('what is private stays so: no cache, no engine, no log, no other address', async (t) => {
  const app = await startShelter(t)
  const secret = 'Zebra1x2y'
  const fields = { ...SOUND, name: secret, email: `${secret}@doe.example`, phone: secret, message: secret }
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
  }
  assert.equal(pages[2]?.status, 404)
  const token = link.split('/')[2] as string
  for (const wrong of [`${token}x`, token.slice(1), `${token}/`, token.toLowerCase(), '', 'x'])
    assert.equal((await visit(app, `/applications/${wrong}`)).status, 404, wrong)
  assert.equal((await sendForm(app, `/applications/${'A'.repeat(43)}/withdraw`, {})).status, 404)
  const log = app.log.join('')
  for (const hidden of [secret, token, form.form ?? '-']) assert.ok(!log.includes(hidden), hidden)
})

test('a form that is too large or of another kind is refused in words', async (t) => {
  const app = await startShelter(t)
  const asked = { accept: 'text/html' }
  const large = await sendForm(app, PATH, { message: 'x'.repeat(65_536) }, asked)
  assert.equal(large.status, 413)
  assert.match(large.text, /<h1>/)
  const other = await sendForm(app, PATH, {}, { ...asked, 'content-type': 'application/json' })
  assert.equal(other.status, 415)
})
