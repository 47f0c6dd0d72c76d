import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changes } from '../../../../db/change.ts'
import * as keys from '../../../../keys/store.ts'
import { formIn, signIn } from '../../../../testing/console.ts'
import { makeKey, startApp, UNLIMITED } from '../../../../testing/start-app.ts'
import { FIELDS } from './organization.ts'

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
    ...{
      name: 'North Shelter',
      phone: '',
      'hours.monday': '10 to 16',
      'hours.sunday': 'by appointment',
      mission: 'We care.\r\nFor all.',
    },
    ...{ 'address.city': 'Denver', 'address.region': 'CO', 'address.country': 'us' },
  })

  assert.equal(saved.headers.location, `${path}?done=saved`)
  const { body } = await app.get('/v1/organizations/1')
  assert.deepEqual([body.name, body.phone, body.mission], ['North Shelter', undefined, 'We care.\nFor all.'])
  assert.deepEqual(body.hours, { monday: '10:00-16:00', sunday: 'by appointment' })
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

test('GET /console/usage shows 50 keys per page, without revoked keys', async (t) => {
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

test('the form of an organization accepts what people type', async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  await app.post('/v1/organizations', { name: 'North', code: 'N1' })
  const ana = await signIn(app, { role: 'manager', organizationId: 1 })
  const path = '/console/organizations/1'
  const after = async (fields: Record<string, string>) => {
    const { status, text } = await ana.fill(path, fields)
    assert.equal(status, 303, text)
    return (await app.get('/v1/organizations/1')).body
  }
  const countries = {
    USA: 'US',
    'united states': 'US',
    'EE. UU.': 'US',
    Germany: 'DE',
    españa: 'ES',
    gb: 'GB',
  }
  for (const [typed, code] of Object.entries({ ...countries, MEXICO: 'MX', Holland: 'NL' }))
    assert.equal((await after({ 'address.country': typed })).address.country, code, typed)

  const { website, adoptionUrl, social } = await after({
    ...{ website: 'example.org', adoptionUrl: 'www.example.org/adopt?a=b' },
    ...{ 'social.facebook': 'facebook.com/harbour', 'social.instagram': '@har.bour', 'social.x': 'harbour' },
    ...{ 'social.tiktok': '@harbour', 'social.mastodon': '@harbour@social.example' },
    ...{ 'social.bluesky': '@harbour', 'social.youtube': 'https://youtube.com/c/harbour' },
  })
  assert.deepEqual([website, adoptionUrl], ['https://example.org', 'https://www.example.org/adopt?a=b'])
  assert.deepEqual(social, {
    facebook: 'https://facebook.com/harbour',
    instagram: 'https://www.instagram.com/har.bour',
    tiktok: 'https://www.tiktok.com/@harbour',
    x: 'https://x.com/harbour',
    youtube: 'https://youtube.com/c/harbour',
    mastodon: 'https://social.example/@harbour',
    bluesky: 'https://bsky.app/profile/harbour.bsky.social',
  })

  const times = {
    '10-4': '10:00-16:00',
    '9am to 5:30 p.m.': '09:00-17:30',
    '1-5pm': '13:00-17:00',
    '10 a 14 y 16:30 a 20': '10:00-14:00, 16:30-20:00',
    '10h30 - 18h': '10:30-18:00',
    '6pm-12am': '18:00-24:00',
    '25-26': '25-26',
    closed: 'closed',
  }
  for (const [typed, stored] of Object.entries(times))
    assert.equal((await after({ 'hours.monday': typed })).hours.monday, stored, typed)

  const refused = await ana.fill(path, {
    ...{ website: 'http://example.org', 'address.country': 'Atlantis', 'social.mastodon': '@harbour' },
  })
  assert.equal(refused.status, 400)
  assert.match(refused.text, /id="problem-website">Website must be a web address that starts with https/)
  assert.match(refused.text, /id="problem-address.country">Country: enter its name, e.g. Germany/)
  assert.match(refused.text, /id="problem-social.mastodon">Mastodon: enter the name of the account/)
})
