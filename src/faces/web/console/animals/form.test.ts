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

test('an age such as "about 3 years" is stored as an estimate, and shown as one', async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  const ana = await signIn(app)
  const born = async (typedAge: string, more = {}) => {
    const added = await ana.fill(NEW, {
      name: 'Rex',
      categoryId: '1',
      status: 'available',
      typedAge,
      ...more,
    })
    const [, id = ''] = /animals\/(\d+)\?/.exec(String(added.headers.location)) ?? []
    const pet = id && (await app.get(`/v1/pets/${id}`)).body
    return { id, text: added.text, dates: [pet.birthDate, pet.birthDateExact, pet.age] }
  }
  for (const [typed, ...expected] of [
    ['about 3 years', '2023-12-01', false, 'adult'],
    ['8 weeks', '2026-10-06', false, 'baby'],
    ['año y medio', '2025-06-01', false, 'young'],
    ['', undefined, undefined, undefined],
  ])
    assert.deepEqual((await born(typed as string)).dates, expected, String(typed))
  // The age group follows from the age.
  const { id, dates } = await born('2-3 yrs', { age: 'senior' })
  assert.deepEqual(dates, ['2024-06-01', false, 'young'])
  const page = async (more = {}) => (await ana.get(`/animals/${id}-rex`, more)).text
  assert.match(await page(), /Young, about 2 years<br><small>Born around 2024</)
  assert.match(await page({ 'accept-language': 'es' }), /alrededor de 2 años<br><small>Nació hacia 2024</)
  assert.match((await ana.get('/animals/2-rex')).text, /about 8 weeks<br><small>Born around October 2026</)
  assert.match((await ana.get('/')).text, /<p>About 2 years</)

  const path = `/console/animals/${id}`
  const changed = async (fields: object) => {
    const { status, text } = await ana.fill(path, { ...fields })
    const { birthDate, birthDateExact } = (await app.get(`/v1/pets/${id}`)).body
    return { status, text, dates: [birthDate, birthDateExact] }
  }
  assert.deepEqual((await changed({ typedAge: '5 years' })).dates, ['2021-12-01', false])
  assert.equal(formIn((await ana.get(path)).text, path).birthDate, '2021-12-01')
  const exact = await changed({ birthDate: '2021-11-20', birthDateExact: 'yes' })
  assert.deepEqual(exact.dates, ['2021-11-20', true])
  assert.match(await page(), /Adult, 5 years<br><small>Born on November 20, 2021</)
  for (const fields of [
    { typedAge: '3' },
    { typedAge: 'old' },
    { typedAge: '3 years', birthDate: '2020-01-01' },
  ]) {
    const { status, text, dates } = await changed({ ...fields, name: 'Max' })
    assert.deepEqual([status, dates], [400, exact.dates])
    assert.match(text, /href="#field-typedAge">Age, if the date is not known: enter an age with its unit/)
    assert.doesNotMatch(text, /problem-birthDate/)
    assert.equal(formIn(text, path).typedAge, fields.typedAge)
  }
})

test('a weight is shown with the unit of the place of the animal', async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  const ana = await signIn(app)
  for (const [index, [country, shown, typed, grams]] of (
    [
      ['US', '55.1 lb', '12 oz', 340],
      ['DE', '25 kg', '60 lb', 27_216],
      [undefined, '25 kg', '30', 30_000],
    ] as const
  ).entries()) {
    const place = country && { country }
    await app.post('/v1/pets', { name: 'Rex', categoryId: 1, weightGrams: 25_000, place })
    const path = `/console/animals/${index + 1}`
    const weight = async () => (await app.get(`/v1/pets?id=${index + 1}`)).body[0].weightGrams
    assert.equal(formIn((await ana.get(path)).text, path).weightGrams, shown)
    await ana.fill(path, { name: 'Max' })
    assert.equal(await weight(), 25_000, 'saving another field does not round the weight')
    await ana.fill(path, { weightGrams: typed })
    assert.equal(await weight(), grams)
  }
})
