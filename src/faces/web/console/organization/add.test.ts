import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formIn, signIn } from '../../../../testing/console.ts'
import { startApp, UNLIMITED } from '../../../../testing/start-app.ts'

const NEW = '/console/organizations/new'
/** Pages that lead to the form if there is no organization. */
const WAYS = ['/console/', '/console/organizations']

test('the first admin is led to add the shelter, and adds it', async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  const admin = await signIn(app, { role: 'admin' })
  for (const page of WAYS)
    assert.match(
      (await admin.get(page)).text,
      /<p class="card">[^<]*<a href="\/console\/organizations\/new">/,
    )

  const added = await admin.fill(NEW, {
    ...{ name: 'Harbour Shelter', code: 'CO12', email: 'hello@harbour.example', 'hours.monday': '10 to 4' },
    ...{ 'address.city': 'Denver', 'address.region': 'CO', 'address.country': 'u.s.a.' },
    mission: 'We care.\r\nFor all.',
  })

  const own = '/console/organizations/1'
  assert.deepEqual([added.status, added.headers.location], [303, `${own}?done=organizationAdded`])
  assert.match((await admin.get(`${own}?done=organizationAdded`)).text, /Organization added\..*CO12/s)
  const { body } = await app.get('/v1/organizations/1')
  assert.deepEqual(
    [body.name, body.code, body.email, body.mission],
    ['Harbour Shelter', 'CO12', 'hello@harbour.example', 'We care.\nFor all.'],
  )
  assert.deepEqual(body.address, { city: 'Denver', region: 'CO', country: 'US' })
  assert.deepEqual(body.hours, { monday: '10:00-16:00' })
  assert.equal(typeof body.latitude, 'number', 'its coordinates are found, as in the API')
  for (const page of WAYS)
    assert.doesNotMatch((await admin.get(page)).text, /<p class="card">[^<]*<a href="\/console\/org/)
  assert.match((await admin.get('/console/organizations')).text, /class="button" href="[^"]*\/new"/)
})

test('the same form sent twice adds one organization', async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  const admin = await signIn(app, { role: 'admin' })
  const form = { ...formIn((await admin.get(NEW)).text, NEW), name: 'North', code: 'N1' }

  const answers = await Promise.all([admin.send(NEW, form), admin.send(NEW, form)])

  for (const { status, headers } of answers)
    assert.deepEqual([status, headers.location], [303, '/console/organizations/1?done=organizationAdded'])
  assert.equal((await app.get('/v1/organizations')).body.length, 1)
  const other = await admin.send(NEW, { ...form, code: 'N2' })
  assert.equal(other.status, 422)
  assert.match(other.text, /already saved with different content/)
})

test('POST /console/organizations/new with invalid fields shows problems at the fields, which keep their text', async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  await app.post('/v1/organizations', { name: 'North', code: 'N1' })
  const admin = await signIn(app, { role: 'admin' })
  const problemsIn = (text: string) =>
    [...text.matchAll(/id="problem-([^"]*)">([^<]*)</g)].map(([, ...parts]) => parts)

  const empty = await admin.fill(NEW, {})
  assert.equal(empty.status, 400)
  assert.deepEqual(problemsIn(empty.text), [
    ['name', 'Name is required.'],
    ['code', 'Code is required.'],
  ])
  assert.match(empty.text, /href="#field-name".*href="#field-code"/s)
  const taken = await admin.fill(NEW, { name: 'Other', code: 'n1', phone: '555' })
  assert.equal(taken.status, 409)
  assert.deepEqual(problemsIn(taken.text), [
    ['code', 'Another organization already has this code. Choose a different one.'],
  ])
  assert.match(taken.text, /role="alert".*href="#field-code"/s)
  const form = formIn(taken.text, NEW)
  assert.deepEqual([form.name, form.code, form.phone], ['Other', 'n1', '555'])

  const hostile = '"><script>alert(1)</script>'
  const wrong = await admin.fill(NEW, { name: hostile, code: hostile, website: hostile, latitude: '1' })
  assert.equal(wrong.status, 400)
  assert.doesNotMatch(wrong.text, /<script>/)
  assert.deepEqual(
    problemsIn(wrong.text).map(([name]) => name),
    ['code', 'website'],
  )
  assert.equal(formIn(wrong.text, NEW).code, hostile)
  for (const code of ['C 1', '-C1', 'É1', 'x'.repeat(21)])
    assert.deepEqual(problemsIn((await admin.fill(NEW, { name: 'Other', code })).text), [
      [
        'code',
        'Code must have 1 to 20 letters and digits, e.g. CO12. Hyphens are allowed only between them.',
      ],
    ])
  const half = await admin.fill(NEW, { name: 'Other', code: 'N2', latitude: '1' })
  assert.deepEqual(problemsIn(half.text), [['longitude', 'Longitude is required.']])
  assert.equal((await app.get('/v1/organizations')).body.length, 1)
})

test('adding an organization without being an admin: 403, and the page names who can add one', async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  const manager = await signIn(app, { role: 'manager' })
  for (const page of WAYS.slice(1)) {
    const { text } = await manager.get(page)
    assert.match(text, /Ask an admin to add the first one\./)
    assert.doesNotMatch(text, /organizations\/new/)
  }
  assert.doesNotMatch((await manager.get('/console/')).text, /organizations\/new|Start with your shelter/)
  await app.post('/v1/organizations', { name: 'North', code: 'N1' })
  assert.doesNotMatch((await manager.get('/console/organizations')).text, /organizations\/new/)
  const others = [manager, await signIn(app, { role: 'manager', organizationId: 1 }), await signIn(app)]
  for (const person of others) {
    const page = await person.get(NEW)
    assert.equal(page.status, 403)
    assert.match(page.text, /<h1>You don’t have access to this page<\/h1>/)
    assert.equal((await person.send(NEW, { name: 'Mine', code: 'M1' })).status, 403)
  }
  const admin = await signIn(app, { role: 'admin' })
  const fromElsewhere = { 'sec-fetch-site': 'cross-site' }
  assert.equal((await admin.send(NEW, { name: 'Mine', code: 'M1' }, fromElsewhere)).status, 403)
  assert.equal((await app.get('/v1/organizations')).body.length, 1)
})

test('the form and its problems are shown in Spanish', async (t) => {
  const app = await startApp(t)
  const admin = await signIn(app, { role: 'admin' })
  const spanish = { 'accept-language': 'es' }
  for (const page of WAYS)
    assert.match((await admin.get(page, spanish)).text, /\/new">Añadir la primera organización<\/a>/)
  assert.match((await admin.get(NEW, spanish)).text, /<button>Añadir organización<\/button>/)
  const { text } = await admin.send(NEW, { name: 'Norte', code: 'Ñ1' }, spanish)
  assert.match(text, /id="problem-code">Código: escriba de 1 a 20 letras sin acentos/)
})
