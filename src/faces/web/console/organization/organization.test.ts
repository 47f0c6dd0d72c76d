import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changes } from '../../../../db/change.ts'
import * as keys from '../../../../keys/store.ts'
import { formIn, signIn } from '../../../../testing/console.ts'
import { makeKey, startApp, UNLIMITED } from '../../../../testing/start-app.ts'
import { FIELDS } from './form.ts'

test('a manager changes only their own organization', async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  await app.post('/v1/organizations', {
    name: 'North',
    code: 'N1',
    phone: '1',
    social: { x: 'https://x.example/n' },
  })
  await app.post('/v1/organizations', { name: 'South', code: 'S1' })
  const ana = await signIn(app, { role: 'manager', organizationId: 1 })
  const path = '/console/organizations/1'
  assert.equal((await ana.get('/console/organizations')).headers.location, path)

  const saved = await ana.fill(path, {
    ...{ name: 'North Shelter', phone: '', 'hours.monday': '10 to 16', mission: 'We care.\r\nFor all.' },
    ...{ 'address.city': 'Denver', 'address.region': 'CO', 'address.country': 'us' },
  })

  assert.equal(saved.headers.location, `${path}?done=saved`)
  const { body } = await app.get('/v1/organizations/1')
  assert.deepEqual([body.name, body.phone, body.mission], ['North Shelter', undefined, 'We care.\nFor all.'])
  assert.deepEqual(body.hours, { monday: '10 to 16' })
  assert.deepEqual(body.social, { x: 'https://x.example/n' })
  assert.deepEqual(body.address, { city: 'Denver', region: 'CO', country: 'US' })
  assert.equal(typeof body.latitude, 'number')

  const other = '/console/organizations/2'
  assert.equal((await ana.get(other)).status, 403)
  assert.equal((await ana.send(other, { name: 'Mine' })).status, 403)
  assert.equal((await ana.send(`${other}/photos/1`, { do: 'remove' })).status, 403)
  assert.equal((await ana.get('/console/organizations/x')).status, 404)
  const boss = await signIn(app, { role: 'admin' })
  assert.match((await boss.get('/console/organizations')).text, /South/)
  assert.equal((await boss.get(other)).status, 200)
})

test('POST /console/organizations/1 with invalid fields shows problems at the fields and escapes hostile text', async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  await app.post('/v1/organizations', { name: 'North', code: 'N1' })
  const ana = await signIn(app, { role: 'manager', organizationId: 1 })
  const path = '/console/organizations/1'
  const hostile = `"><script>alert(1)</script>`
  const typed = Object.fromEntries(FIELDS.map(({ name }) => [name, hostile]))

  const { status, text } = await ana.fill(path, { ...typed, name: '' })

  assert.equal(status, 400)
  for (const name of ['name', 'email', 'website', 'address.country', 'latitude', 'social.x'])
    assert.ok(text.includes(`id="problem-${name}"`), name)
  assert.doesNotMatch(text, /<script>/)
  assert.equal(formIn(text, path).mission, hostile)
  assert.equal((await ana.fill(path, { name: hostile, mission: hostile })).status, 303)
  for (const page of [path, '/console/', '/console/animals/new'])
    assert.doesNotMatch((await ana.get(page)).text, /<script>/)
})

test('GET /console/usage shows a manager the usage of the keys of their organization', async (t) => {
  const app = await startApp(t, { key: { access: 'admin', name: '<b>Till</b>' } })
  await app.post('/v1/organizations', { name: 'North', code: 'N1' })
  const [boss, ana] = [
    await signIn(app, { role: 'admin' }),
    await signIn(app, { role: 'manager', organizationId: 1 }),
  ]

  const { text } = await boss.get('/console/usage')

  assert.match(text, /&lt;b&gt;Till&lt;\/b&gt;/)
  assert.match(text, /> 1 of 100,000<|counts requests in Redis/)
  assert.match((await ana.get('/console/usage')).text, /There are no API keys\./)
})

test('GET /console/usage shows 50 keys per page, without revoked ones', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  const boss = await signIn(app, { role: 'admin' })
  for (let number = 1; number <= 60; number += 1)
    await makeKey(app.databaseUrl, { name: `Till ${number}.`, access: 'read' })
  const [, revoked] = await keys.list(app.service.context.db)
  await app.service.context.write(changes.revokeKey, revoked?.id ?? 0, app.clock.now)
  const rowsIn = (text: string) => text.match(/<th scope="row">/g)?.length

  const { text } = await boss.get('/console/usage')
  assert.equal(rowsIn(text), 50)
  assert.doesNotMatch(text, />Till 1\.</)
  const [, next = ''] = /href="(\/console\/usage\?after=\d+)"/.exec(text) ?? []
  const last = (await boss.get(next)).text
  assert.equal(rowsIn(last), 10)
  assert.match(last, />Till 60\.</)
})
