import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { applyFor, openForm, visit } from '../../../testing/applicant.ts'
import { formIn, sendForm, signIn } from '../../../testing/console.ts'
import { startGallery } from '../../../testing/gallery.ts'
import { addHostile, assertOwnMarkup, hostileText, SCRIPT } from '../../../testing/hostile.ts'
import { upload } from '../../../testing/upload.ts'
import { FORM_FIELDS as ANIMAL_FIELDS } from './animals/form.ts'
import { FIELDS as SHELTER_FIELDS } from './organization/organization.ts'
import { PAGES } from './pages.ts'

/** A valid e-mail address that would add a second recipient if it were not escaped. */
const EMAIL = 'kim?bcc=eve%40evil.example&body=x@doe.example'

const ONE_LINE = { name: hostileText(200), phone: hostileText(50) }

/** Hostile values for every text that shelters, staff, applicants and programs can write. */
async function startHostile(t: TestContext) {
  const app = await startGallery(t)
  const { id: petId } = await addHostile(app)
  const admin = await signIn(app, { role: 'admin', name: hostileText(200) })
  await signIn(app, { organizationId: 1, name: hostileText(200) })
  const question = { text: SCRIPT, required: false }
  const applicationQuestions = [
    { ...question, id: 'pets', kind: 'text' },
    { ...question, id: 'home', kind: 'choice', options: [SCRIPT, hostileText(30)] },
  ]
  assert.equal((await app.patch('/v1/organizations/1', { applicationQuestions })).status, 200)
  const staff = {
    ...{ microchip: hostileText(15), intakeKind: hostileText(40), kennel: hostileText(40) },
    ...{ intakeNote: SCRIPT, notes: SCRIPT, fosterName: hostileText(40), fosterPhone: hostileText(40) },
    datedNotes: [{ date: '2026-11-01', kind: 'medical', text: SCRIPT }],
  }
  const patched = await app.patch(`/v1/pets/${petId}`, {
    ...{ staff, name: `${SCRIPT} too`, description: `${SCRIPT} too` },
  })
  assert.equal(patched.status, 200, patched.text)

  const answers = { 'q-pets': SCRIPT, 'q-home': SCRIPT, address: SCRIPT, message: SCRIPT }
  const link = await applyFor(app, petId, { ...ONE_LINE, ...answers, email: EMAIL })
  const decided = await app.patch('/v1/applications/1', { status: 'in_review', note: SCRIPT, reply: SCRIPT })
  assert.equal(decided.status, 200, decided.text)
  const other = await app.add({ name: hostileText(200), organizationId: 1 })
  const order = { petId: other, adopter: { ...ONE_LINE, email: EMAIL, message: SCRIPT } }
  assert.equal((await app.post('/v1/store/orders', order)).status, 201)
  const webhook = { url: `https://localhost/${SCRIPT}`, description: hostileText(200), organizationId: 1 }
  assert.equal((await app.post('/v1/webhooks', webhook)).status, 201)
  const key = { name: hostileText(100), access: 'read', plan: 'free' }
  // A hold takes the animal off the public pages.
  const hold = () => app.patch(`/v1/pets/${petId}`, { staff: { holdReason: SCRIPT } })
  return { app, admin, link, petId, key, hold }
}

test('the fixtures fill every text of an animal and a shelter with hostile text', async (t) => {
  const { admin, hold } = await startHostile(t)
  await hold()
  for (const [path, fields] of [
    ['/console/animals/1', ANIMAL_FIELDS],
    ['/console/organizations/1', SHELTER_FIELDS],
  ] as const) {
    const values = formIn((await admin.get(path)).text, path)
    for (const { name, kind } of fields)
      if (['line', 'text', 'list'].includes(kind)) assert.ok(values[name]?.startsWith(hostileText(15)), name)
  }
})

test('every console page escapes hostile text, and every e-mail goes to one address only', async (t) => {
  const { app, admin, petId, key, hold } = await startHostile(t)
  await hold()
  const texts: string[] = []
  const check = async (about: string, answer: ReturnType<typeof admin.get>): Promise<void> => {
    const { status, text } = await answer
    assert.ok(status < 500, `${status} ${about}`)
    // A file is not shown as a page.
    if (!about.endsWith('.csv')) assertOwnMarkup(text, about)
    texts.push(text)
  }
  await check('new key', admin.send('/console/keys/new', key))
  await check(
    'invitation',
    admin.send('/console/people/new', { ...ONE_LINE, email: 'a@a.example', role: 'staff' }),
  )
  const paths = Object.keys(PAGES).flatMap((name) => (name.startsWith('GET ') ? [name.slice(4)] : []))
  for (const path of paths)
    for (const id of path.includes(':id') ? ['1', '2'] : ['x'])
      await check(path, admin.get(`/console${path.replace(/:\w+/, id)}`))
  const [ownKey = ''] = texts.join('').match(/\/console\/keys\/\d+(?=">&lt;)/) ?? []
  for (const path of [
    `/console/applications?petId=${petId}`,
    `/console/applications?status=in_review`,
    `/console/animals?q=${encodeURIComponent(SCRIPT)}`,
    `${ownKey}/revoke`,
    `/console/nothing${encodeURIComponent(SCRIPT)}`,
    `/console/sign-in?to=${encodeURIComponent(`/console/${SCRIPT}`)}`,
  ])
    await check(path, admin.get(path))
  // Each text appears on at least one page.
  const all = texts.join('')
  assert.ok(all.split('&lt;/script&gt;&lt;img src=x').length > 100, 'the pages show the texts')

  const addresses = [...all.matchAll(/href="mailto:([^"]*)"/g)].map(([, address = '']) => address)
  assert.ok(addresses.length >= 3, 'e-mails of the application, the order and others')
  for (const address of addresses) assert.match(address, /^[\w%.'-]+@[\w.-]+$/)
  const log = app.log.join('')
  for (const written of ['onerror=alert(1)', 'bcc=eve', admin.token])
    assert.ok(!log.includes(written), written)
})

/** Texts that no database, header or number accepts. */
const ODD = ['a\0b', '\u0085\u2028', '9'.repeat(30), '-1', '9223372036854775808', '__proto__']

test('hostile input in every console form is escaped and causes no 500', async (t) => {
  const { admin, petId } = await startHostile(t)
  const forms = Object.keys(PAGES).flatMap((name) => {
    const path = name.slice('POST '.length)
    const isForm = `GET ${path}` in PAGES && !/remove|delete|revoke/.test(path)
    return name.startsWith('POST ') && isForm ? [`/console${path.replace(':id', '1')}`] : []
  })
  for (const path of forms) {
    const page = await admin.get(path)
    const names = [...page.text.matchAll(/ name="([^"]+)"/g)].map(([, name = '']) => name)
    for (const value of [`${SCRIPT}\n\n${SCRIPT}`, ...ODD])
      for (const more of [{}, { once: undefined, etag: undefined, marks: undefined }]) {
        const typed = Object.fromEntries(names.map((name) => [name, value]))
        const { status, text } = await admin.send(path, { ...typed, ...more })
        assert.ok(status < 500, `${status} ${path} ${JSON.stringify(value)}`)
        assertOwnMarkup(text, path)
      }
  }
  // The conflict page shows both versions.
  const path = `/console/animals/${petId}`
  const before = formIn((await admin.get(path)).text, path)
  await admin.send(path, { ...before, name: `${SCRIPT} theirs` })
  const conflict = await admin.send(path, { ...before, name: `${SCRIPT} yours`, once: undefined })
  assert.equal(conflict.status, 412)
  assertOwnMarkup(conflict.text, 'conflict')
})

test('name, headings and cells of an imported file are escaped', async (t) => {
  const { app, admin } = await startHostile(t)
  const cell = `"${SCRIPT.replaceAll('"', '""')}"`
  for (const file of [
    `${cell},Kind,name\n${cell},Dog,${cell}\n,${cell},\n`,
    `name,category,status,birthDate\n${cell},Dog,available,\nRex,${cell},${cell},${cell}\n`,
    `{"name": ${JSON.stringify(SCRIPT)}, "category": "Dog", ${JSON.stringify(SCRIPT)}: 1}`,
    SCRIPT,
  ])
    for (const name of ['animals.csv', '<b>x</b>.ndjson', `${hostileText(30)}.json`]) {
      const { status, text } = await upload(app, admin, file, { name: name.replaceAll('"', '%22') })
      assert.ok(status < 500, `${status} ${file}`)
      assertOwnMarkup(text, file)
    }
})

test('the applicant’s pages escape what applicant and shelter wrote', async (t) => {
  const { app, link, petId } = await startHostile(t)
  const form = await openForm(app, petId)
  const path = `/animals/${petId}/apply`
  const fields = ['name', 'email', 'phone', 'address', 'message', 'q-pets', 'q-home', 'homepage', 'form']
  const typed = Object.fromEntries(fields.map((name) => [name, SCRIPT]))
  for (const [about, { status, text }] of Object.entries({
    followed: await visit(app, `${link}?done=${encodeURIComponent(SCRIPT)}`),
    form: await visit(app, path),
    refused: await sendForm(app, path, { ...typed, ...form, homepage: '' }),
    'without a form': await sendForm(app, path, typed),
    spam: await sendForm(app, path, { ...typed, ...form, homepage: SCRIPT }),
  })) {
    assert.ok(status < 500, `${status} ${about}`)
    assert.match(text, /&lt;\/script&gt;&lt;img src=x/, about)
    // A file is not shown as a page.
    if (!about.endsWith('.csv')) assertOwnMarkup(text, about)
  }
})
