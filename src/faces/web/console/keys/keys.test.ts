import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import * as keys from '../../../../keys/store.ts'
import { signIn } from '../../../../testing/console.ts'
import { startApp, type TestApp, UNLIMITED } from '../../../../testing/start-app.ts'

const HOUR_MS = 3_600_000
const NEW = '/console/keys/new'
const OUR_SITE = { name: 'Our site', access: 'read', plan: 'free' }

async function startShelters(t: TestContext) {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  for (const code of ['CO12', 'NL1']) await app.post('/v1/organizations', { name: `Shelter ${code}`, code })
  const works = async (key: string) =>
    (await app.get('/v1/pets', { authorization: `Bearer ${key}` })).status === 200
  return { app, works, list: () => keys.list(app.service.context.db) }
}

/** The key in a page. */
const keyIn = (text: string): string => /<textarea id="secret"[^>]*>([^<]*)</.exec(text)?.[1] ?? ''

const lastKey = async (app: TestApp) => (await keys.list(app.service.context.db)).at(-1)

test('a new key is shown once, can be used, and is listed without its secret', async (t) => {
  const { app, works } = await startShelters(t)
  const admin = await signIn(app, { role: 'admin' })
  const made = await admin.send(NEW, OUR_SITE)
  assert.equal(made.status, 200)
  const key = keyIn(made.text)
  assert.match(key, /^adopt_live_[0-9A-Za-z]{36}$/)
  assert.ok(await works(key))
  const { id } = (await lastKey(app)) as keys.Key
  for (const path of ['/console/keys', `/console/keys/${id}`]) {
    const { text } = await admin.get(path)
    assert.match(text, /Our site/)
    assert.doesNotMatch(text, new RegExp(key))
  }
  assert.doesNotMatch(app.log.join(''), new RegExp(key))
})

test('POST /console/keys/new with invalid fields: 400 with problems at the fields, and no key is created', async (t) => {
  const { app, list } = await startShelters(t)
  const admin = await signIn(app, { role: 'admin' })
  const count = (await list()).length
  const wrong: [Record<string, string>, string[]][] = [
    [{}, ['name', 'access', 'plan']],
    [{ ...OUR_SITE, name: 'a\r\nb' }, ['name']],
    [{ ...OUR_SITE, plan: 'enterprise' }, ['perMinute', 'perDay']],
    [{ ...OUR_SITE, plan: 'enterprise', perMinute: '0', perDay: '1e9' }, ['perMinute', 'perDay']],
    [{ ...OUR_SITE, organizationId: '99' }, ['organizationId']],
    [{ ...OUR_SITE, organizationId: '-1' }, ['organizationId']],
    [{ ...OUR_SITE, access: 'admin', organizationId: '1' }, ['access']],
  ]
  for (const [fields, named] of wrong) {
    const { status, text } = await admin.send(NEW, fields)
    assert.equal(status, 400, JSON.stringify(fields))
    for (const field of named)
      assert.match(text, new RegExp(`href="#field-${field}"`), JSON.stringify(fields))
  }
  assert.equal((await list()).length, count)
  const made = await admin.send(NEW, { ...OUR_SITE, plan: 'enterprise', perMinute: '5', perDay: '70' })
  assert.equal(made.status, 200)
  const { per_minute, per_day } = (await lastKey(app)) as keys.Key
  assert.deepEqual([per_minute, per_day], [5, 70])
})

test('a manager creates and sees only keys of their own shelter, with at most their own access', async (t) => {
  const { app, list, works } = await startShelters(t)
  const manager = await signIn(app, { role: 'manager', organizationId: 1 })
  const everywhere = await signIn(app, { role: 'manager' })
  const made = await manager.send(NEW, { ...OUR_SITE, access: 'write', organizationId: '2' })
  assert.equal(made.status, 200)
  assert.equal((await lastKey(app))?.organization, 'CO12')
  for (const person of [manager, everywhere])
    for (const more of [{ access: 'admin' }, { plan: 'enterprise', perMinute: '9', perDay: '9' }])
      assert.equal((await person.send(NEW, { ...OUR_SITE, ...more })).status, 400, JSON.stringify(more))

  // The first key is an admin key without a shelter.
  const { text } = await manager.get('/console/keys')
  assert.doesNotMatch(text, /keys\/1"/)
  for (const [person, expected] of [
    [manager, 404],
    [everywhere, 403],
  ] as const)
    for (const action of ['rotate', 'revoke']) {
      const { status, text } = await person.send(`/console/keys/1/${action}`, { overlap: '0' })
      assert.equal(status, expected)
      assert.equal(keyIn(text), '')
    }
  assert.equal((await everywhere.get('/console/keys/1')).status, 200)
  assert.ok(await works(app.key))
  assert.equal((await list()).find(({ id }) => id === 1)?.revoked_at, null)
})

test('the old secret works for the chosen time after a rotation; a revoked key does not work', async (t) => {
  const { app, works } = await startShelters(t)
  const admin = await signIn(app, { role: 'admin' })
  const first = keyIn((await admin.send(NEW, OUR_SITE)).text)
  const path = `/console/keys/${(await lastKey(app))?.id}`
  const offered = [...(await admin.get(path)).text.matchAll(/<option value="(\d+[dh]?)"/g)].map(
    ([, one]) => one,
  )
  assert.deepEqual(offered, ['7d', '24h', '1h', '0'])
  const second = keyIn((await admin.send(`${path}/rotate`, { overlap: '1h' })).text)
  assert.deepEqual([await works(first), await works(second)], [true, true])
  app.clock.now += HOUR_MS
  assert.deepEqual([await works(first), await works(second)], [false, true])
  for (const overlap of ['constructor', 'toString', '__proto__'])
    assert.equal((await admin.send(`${path}/rotate`, { overlap })).status, 200, overlap)
  const third = keyIn((await admin.send(`${path}/rotate`, { overlap: '1h' })).text)

  assert.equal((await admin.get(`${path}/revoke`)).status, 200)
  assert.ok(await works(third), 'looking at the question revokes nothing')
  const revoked = await admin.send(`${path}/revoke`, {})
  assert.equal(revoked.headers.location, '/console/keys?done=keyRevoked')
  assert.equal(await works(third), false)
  assert.equal((await admin.send(`${path}/revoke`, {})).headers.location, '/console/keys?done=keyGone')
  assert.equal((await admin.send(`${path}/rotate`, {})).headers.location, '/console/keys?done=keyGone')
  assert.match((await admin.get(path)).text, /Revoked/)
})

test('the internal keys of staff accounts are not listed', async (t) => {
  const { app } = await startShelters(t)
  const admin = await signIn(app, { role: 'admin' })
  const all = await app.service.context.db.selectFrom('api_key').select(['id', 'for_staff']).execute()
  const { id } = all.find(({ for_staff }) => for_staff === 1) ?? { id: 0 }
  assert.equal((await admin.get(`/console/keys/${id}`)).status, 404)
  assert.equal((await admin.send(`/console/keys/${id}/rotate`, {})).status, 404)
})
