import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formIn, signIn } from '../../../../testing/console.ts'
import { startApp, UNLIMITED } from '../../../../testing/start-app.ts'

const NEW = '/console/animals/new'

test('forms select the only organization, and filters do not ask for it', async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  const admin = await signIn(app, { role: 'admin' })
  const shown = async (path: string, action = path) => formIn((await admin.get(path)).text, action)
  assert.equal((await shown(NEW)).organizationId, undefined)
  await app.post('/v1/organizations', { name: 'North', code: 'N1' })

  assert.equal((await shown(NEW)).organizationId, '1')
  assert.equal((await shown('/console/import')).organization, 'N1')
  for (const path of ['/console/animals', '/console/statistics'])
    assert.doesNotMatch((await admin.get(path)).text, /<select id="field-organization"/, path)
  const added = await admin.fill(NEW, { name: 'Rex', categoryId: '1' })
  assert.equal(added.status, 303)
  assert.equal((await app.get('/v1/pets?id=1')).body[0].organizationId, 1)
  assert.equal((await shown('/console/animals', '/console/animals/selected')).organizationId, '1')
  // A refused form keeps what the person chose.
  const refused = await admin.fill(NEW, { name: '', categoryId: '1', organizationId: '' })
  assert.equal(formIn(refused.text, NEW).organizationId, '')

  await app.post('/v1/organizations', { name: 'South', code: 'S1' })
  assert.equal((await shown(NEW)).organizationId, '')
  assert.equal((await shown('/console/import')).organization, '')
  for (const path of ['/console/animals', '/console/statistics'])
    assert.match((await admin.get(path)).text, /<select id="field-organization"/, path)
  const { text } = await admin.get(NEW)
  assert.ok(text.indexOf('name="organizationId"') < text.indexOf('name="breed.primary"'), 'it is in Basics')
})

test('an animal that is published without an organization has a warning on its page', async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  const [admin, viewer] = [await signIn(app, { role: 'admin' }), await signIn(app, { role: 'viewer' })]
  const warning = /without an organization/
  const first = await admin.fill(NEW, { name: 'Rex', categoryId: '1', status: 'available', next: 'another' })
  assert.match((await admin.get(String(first.headers.location))).text, warning)
  const page = await admin.get('/console/animals/1')
  assert.match(page.text, /without an organization[^<]*<a href="\/console\/organizations\/new">/)
  await app.post('/v1/organizations', { name: 'North', code: 'N1' })
  assert.match(
    (await admin.get('/console/animals/1', { 'accept-language': 'es' })).text,
    /sin organización[^<]*<a href="#field-organizationId">Elegir una organización</,
  )
  assert.doesNotMatch((await viewer.get('/console/animals/1')).text, warning)

  await admin.fill('/console/animals/1', { organizationId: '1' })
  assert.doesNotMatch((await admin.get('/console/animals/1')).text, warning)
  // An animal that is not published needs no organization yet.
  const next = await admin.fill(NEW, { name: 'Max', categoryId: '1', organizationId: '', next: 'another' })
  assert.match(String(next.headers.location), /done=addedAnother/)
  assert.doesNotMatch((await admin.get('/console/animals/2')).text, warning)
  await admin.send('/console/animals/2/status', { status: 'available' })
  assert.match((await admin.get('/console/animals/2')).text, warning)
})

test('both breed fields suggest the breeds of the type of the animal', async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1, breed: { primary: 'Lab', secondary: 'Poodle' } })
  const ana = await signIn(app)
  const offered = async (path: string) => (await ana.get(path)).text.split('<datalist id="breeds">')[1] ?? ''
  assert.match(await offered('/console/animals/1'), /^<option>Affenpinscher<option>.*<option>Whippet</)
  assert.match(await offered(`${NEW}?categoryId=2`), /^<option>Abyssinian</)
  assert.match(await offered(NEW), /^<\/datalist>/)
  const refused = await ana.fill(NEW, { name: '', categoryId: '2' })
  assert.match(refused.text, /<datalist id="breeds"><option>Abyssinian</)
  assert.equal(refused.text.match(/list="breeds"/g)?.length, 2)
})
