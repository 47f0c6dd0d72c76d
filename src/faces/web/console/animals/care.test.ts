import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formIn, type Person, signIn } from '../../../../testing/console.ts'
import { startApp, type TestApp, UNLIMITED } from '../../../../testing/start-app.ts'

const PAGE = '/console/animals/1'
const NOW = Date.UTC(2026, 10, 23, 12)

async function startWithRex(t: Parameters<typeof startApp>[0]): Promise<{ app: TestApp; ana: Person }> {
  const app = await startApp(t, { key: UNLIMITED, now: NOW })
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'available', externalId: 'R-7' })
  return { app, ana: await signIn(app) }
}

const staffOf = async (app: TestApp) => (await app.get('/v1/pets/1')).body.staff

test('POST …/outcome records how an animal left, and takes it off the gallery; after its removal the animal is unlisted', async (t) => {
  const { app, ana } = await startWithRex(t)
  const action = `${PAGE}/outcome`
  assert.equal(formIn((await ana.get(PAGE)).text, action)['staff.outcomeDate'], '2026-11-23')

  const saved = await ana.fill(
    PAGE,
    {
      'staff.outcomeKind': 'transferred',
      'staff.outcomeDate': '2026-11-20',
      'staff.outcomeNote': 'To Utrecht.',
    },
    action,
  )

  assert.deepEqual([saved.status, saved.headers.location], [303, `${PAGE}?done=outcomeSaved`])
  const expected = { outcomeKind: 'transferred', outcomeDate: '2026-11-20', outcomeNote: 'To Utrecht.' }
  assert.deepEqual(await staffOf(app), expected)
  const { text } = await ana.get(PAGE)
  assert.match(text, /<span class="tag left">Transferred<\/span> Not in the gallery: no longer here\./)
  assert.match(text, /Outcome: <del>empty<\/del> → <ins>Transferred<\/ins>/)
  assert.doesNotMatch((await app.get('/animals', { accept: 'text/html' })).text, /Rex/)
  await ana.fill(PAGE, { remove: 'yes' }, action)
  assert.equal(await staffOf(app), undefined)
  assert.equal((await app.get('/v1/pets/1')).body.status, undefined)
})

test('POST …/outcome without a kind or with a wrong date gets 400 and keeps what was typed', async (t) => {
  const { app, ana } = await startWithRex(t)
  for (const [fields, message] of [
    [{ 'staff.outcomeKind': '' }, /href="#field-staff.outcomeKind">Outcome is required\./],
    [
      { 'staff.outcomeKind': 'died', 'staff.outcomeDate': '2027-01-01' },
      /href="#field-staff.outcomeDate">Outcome date must be a valid date/,
    ],
    [{ 'staff.outcomeKind': 'died', 'staff.outcomeDate': '' }, /Outcome date is required\./],
  ] as const) {
    const answer = await ana.fill(PAGE, { ...fields, 'staff.outcomeNote': 'Typed.' }, `${PAGE}/outcome`)
    assert.equal(answer.status, 400)
    assert.match(answer.text, message)
    assert.equal(formIn(answer.text, `${PAGE}/outcome`)['staff.outcomeNote'], 'Typed.')
  }
  assert.equal(await staffOf(app), undefined)
})

test('POST …/outcome of an adopted animal records the date of the adoption', async (t) => {
  const { app, ana } = await startWithRex(t)
  await ana.send(`${PAGE}/status`, { status: 'sold' })
  await ana.fill(PAGE, { 'staff.outcomeDate': '2026-11-22' }, `${PAGE}/outcome`)
  const { status, staff } = (await app.get('/v1/pets/1')).body
  assert.deepEqual([status, staff], ['sold', { outcomeDate: '2026-11-22' }])
})

test('POST …/notes adds each note once, even while others add notes; the page of notes lists them by kind', async (t) => {
  const { app, ana } = await startWithRex(t)
  const note = (kind: string, date: string, text: string) => ({
    ...{ 'note.kind': kind, 'note.date': date, 'note.text': text },
  })
  const page = (await ana.get(PAGE)).text
  const forms = ['medical', 'behavior'].map((kind) => ({
    ...note(kind, '2026-11-20', `About ${kind}.`),
    once: `once-${kind}`,
  }))
  assert.match(page, /No notes yet\./)

  await Promise.all([...forms, ...forms].map((form) => ana.send(`${PAGE}/notes`, form)))
  await ana.fill(PAGE, note('general', '2026-11-22', 'Likes\r\nfish.'), `${PAGE}/notes`)

  const { datedNotes } = await staffOf(app)
  assert.deepEqual(datedNotes.map(({ text }: { text: string }) => text).toSorted(), [
    'About behavior.',
    'About medical.',
    'Likes\nfish.',
  ])
  assert.match((await ana.get(PAGE)).text, /General.*About (?:medical|behavior).*Added a note\./s)
  const medical = (await ana.get(`${PAGE}/notes?kind=medical`)).text
  assert.match(medical, /Notes about Rex.*R-7.*About medical\./s)
  assert.doesNotMatch(medical, /About behavior\./)
  const removed = await ana.fill(`${PAGE}/notes?kind=medical`, {}, `${PAGE}/notes/remove`)
  assert.equal(removed.headers.location, `${PAGE}/notes?done=noteRemoved`)
  assert.equal((await staffOf(app)).datedNotes.length, 2)
})

test('POST …/notes of an empty note or with a wrong date gets 400 and keeps what was typed', async (t) => {
  const { app, ana } = await startWithRex(t)
  for (const [fields, message] of [
    [{ 'note.text': '' }, /href="#field-note.text">Note is required\./],
    [{ 'note.text': 'Typed.', 'note.date': '' }, /href="#field-note.date">Date must be a valid date/],
    [{ 'note.text': 'x'.repeat(1_001) }, /Note can have up to 1,000 characters/],
  ] as const) {
    const answer = await ana.fill(PAGE, { 'note.kind': 'medical', ...fields }, `${PAGE}/notes`)
    assert.equal(answer.status, 400)
    assert.match(answer.text, message)
    const form = formIn(answer.text, `${PAGE}/notes`)
    assert.deepEqual([form['note.kind'], form['note.text']], ['medical', fields['note.text']])
  }
  assert.equal(await staffOf(app), undefined)
})

test('a viewer sees outcome and notes but has no form for them, and gets 403 from their routes', async (t) => {
  const { app, ana } = await startWithRex(t)
  await ana.fill(PAGE, { 'note.text': 'Calm.' }, `${PAGE}/notes`)
  await ana.fill(PAGE, { 'staff.outcomeKind': 'died' }, `${PAGE}/outcome`)
  const viewer = await signIn(app, { role: 'viewer' })
  const { text } = await viewer.get(PAGE)
  assert.match(text, /Calm\..*<strong>Died<\/strong>/s)
  assert.doesNotMatch(text, /Add note|Remove outcome|action="[^"]*(?:notes|outcome)/)
  assert.doesNotMatch((await viewer.get(`${PAGE}/notes`)).text, /notes\/remove/)
  for (const path of ['outcome', 'notes', 'notes/remove'])
    assert.equal((await viewer.send(`${PAGE}/${path}`, {})).status, 403)
})

test('staff of another organization get 404 from the notes and the outcome of an animal', async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  for (const code of ['A1', 'B2']) await app.post('/v1/organizations', { name: code, code })
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1, organizationId: 1 })
  const ben = await signIn(app, { organizationId: 2 })
  assert.equal((await ben.get(`${PAGE}/notes`)).status, 404)
  for (const path of ['outcome', 'notes', 'notes/remove'])
    assert.equal((await ben.send(`${PAGE}/${path}`, { 'note.text': 'x' })).status, 404)
})

test('the page of an animal shows why it is on hold, and its foster home', async (t) => {
  const { app, ana } = await startWithRex(t)
  const staff = {
    holdReason: 'Waits for a test.',
    fosterName: 'Sam Foster',
    fosterEmail: 'sam@foster.example',
  }
  await app.patch('/v1/pets/1', { sex: 'female', staff })
  const { text } = await ana.get(PAGE)
  assert.match(text, /Not published<\/span> Not in the gallery: on hold\./)
  assert.match(
    (await ana.get('/console/animals')).text,
    /On hold<\/span> <small>Not in the gallery: on hold\./,
  )
  assert.match((await ana.get(PAGE, { 'accept-language': 'es' })).text, />Retenida<\/span> Waits/)
  assert.match(text, /On hold<\/span> Waits for a test\./)
  assert.match(text, /In foster care<\/span> Sam Foster <a href="mailto:sam@foster\.example"/)
})
