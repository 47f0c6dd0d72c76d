import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visit } from '../../../../testing/applicant.ts'
import { formIn, signIn, unescaped } from '../../../../testing/console.ts'
import { startApp, UNLIMITED } from '../../../../testing/start-app.ts'

test('a manager adds, moves and removes application questions', async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  for (const code of ['CO0', 'CO1']) await app.post('/v1/organizations', { name: `Shelter ${code}`, code })
  await app.post('/v1/pets', { name: 'Luna', categoryId: 1, status: 'available', organizationId: 1 })
  const manager = await signIn(app, { organizationId: 1, role: 'manager' })
  const path = '/console/organizations/1/questions'
  const save = (fields: Record<string, string>) => manager.fill(path, { do: 'save', ...fields })
  const stored = async () => (await app.get('/v1/organizations/1')).body.applicationQuestions
  assert.equal((await save({ 'text-0': 'A garden?', 'kind-0': 'yesNo' })).status, 303)
  await save({
    'text-1': 'Where?',
    'kind-1': 'choice',
    'options-1': 'House\r\nFlat\r\n',
    'required-1': 'yes',
  })
  assert.deepEqual(await stored(), [
    { id: 'q1', text: 'A garden?', kind: 'yesNo', required: false },
    { id: 'q2', text: 'Where?', kind: 'choice', options: ['House', 'Flat'], required: true },
  ])
  assert.match((await visit(app, '/animals/1/apply')).text, /A garden\?.*Where\?.*House/s)
  const wrong = await save({ 'options-1': 'House' })
  assert.equal(wrong.status, 400)
  assert.match(wrong.text, /href="#field-options-1"/)
  await save({ do: 'up-1' })
  await save({ do: 'remove-1' })
  assert.deepEqual(
    (await stored()).map(({ id }: { id: string }) => id),
    ['q2'],
  )
  const stale = await manager.send(path, { do: 'save', marks: 'x', 'text-0': 'Mine?', 'kind-0': 'text' })
  assert.equal(stale.status, 409)
  assert.match(stale.text, /Someone else changed the questions.*Mine\?/s)
  const other = '/console/organizations/2/questions'
  assert.equal((await manager.get(other)).status, 403)
  assert.equal((await manager.send(other, { do: 'starters', marks: '' })).status, 403)
  assert.equal((await app.get('/v1/organizations/2')).body.applicationQuestions, undefined)
})

test('one press adds the starter questions in the language of the page', async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  await app.post('/v1/organizations', { name: 'North', code: 'N1' })
  await app.post('/v1/organizations', { name: 'South', code: 'S1' })
  await app.post('/v1/pets', { name: 'Luna', categoryId: 1, status: 'available', organizationId: 1 })
  const admin = await signIn(app, { role: 'admin' })
  const path = '/console/organizations/1/questions'
  assert.match((await admin.get(path)).text, /value="starters">Add these questions</)

  const added = await admin.fill(path, { do: 'starters' })

  assert.deepEqual([added.status, added.headers.location], [303, `${path}?done=questions_saved`])
  const { applicationQuestions } = (await app.get('/v1/organizations/1')).body
  assert.equal(applicationQuestions.length, 7)
  assert.deepEqual(applicationQuestions[3], {
    ...{ id: 'q4', text: 'Does everyone in your home agree to the adoption?', kind: 'choice' },
    ...{ options: ['Yes', 'Not yet'], required: true },
  })
  assert.match((await visit(app, '/animals/1/apply')).text, /What kind of home do you live in\?/)
  assert.doesNotMatch((await admin.get(path)).text, /value="starters"/)
  // Pressing the button again, on a page that is out of date, adds nothing.
  assert.equal((await admin.send(path, { do: 'starters', marks: 'x' })).status, 409)

  const spanish = { 'accept-language': 'es' }
  const south = '/console/organizations/2/questions'
  const { marks } = formIn((await admin.get(south, spanish)).text, south)
  await admin.send(south, { do: 'starters', marks }, spanish)
  const stored = (await app.get('/v1/organizations/2')).body.applicationQuestions
  assert.equal(stored[0].text, '¿En qué tipo de vivienda vive?')
})

test('the pages of an organization link to each other, and one shows the HTML line for its own website', async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  await app.post('/v1/organizations', { name: '<b>North</b>', code: 'N-1' })
  const [manager, admin] = [
    await signIn(app, { role: 'manager', organizationId: 1 }),
    await signIn(app, { role: 'admin' }),
  ]
  const at = '/console/organizations/1'
  for (const path of [at, `${at}/questions`, `${at}/website`]) {
    const { text } = await manager.get(path)
    const [nav = ''] = /<ul class="kinds tabs">.*?<\/ul>/s.exec(text) ?? []
    const links = [...nav.matchAll(/href="([^"]*)"/g)].map(([, link]) => link)
    assert.deepEqual(links, [at, `${at}/questions`, `${at}/website`, '/organizations/N-1'])
    assert.match(nav, new RegExp(`href="${path}" aria-current="page"`))
  }
  assert.equal((await admin.get('/organizations/N-1')).status, 200)

  const { text } = await manager.get(`${at}/website`)
  const lines = [...text.matchAll(/readonly[^>]*>([^<]*)</g)].map(([, line = '']) => unescaped(line))
  const origin = 'http://pets.example'
  assert.equal(lines[0], `<script src="${origin}/embed.js" data-organization="N-1" async></script>`)
  assert.match(lines[1] ?? '', new RegExp(`^<iframe src="${origin}/embed\\?organization=N-1" title=`))
  assert.equal((await admin.get('/console/organizations/2/website')).status, 404)
  // The list of applications leads to the questions of the only organization.
  for (const person of [manager, admin])
    assert.match((await person.get('/console/applications')).text, new RegExp(`href="${at}/questions"`))
  await app.post('/v1/organizations', { name: 'South', code: 'S1' })
  assert.match((await admin.get('/console/applications')).text, /plain" href="\/console\/organizations"/)
  assert.equal((await manager.get('/console/organizations/2/website')).status, 403)
})
