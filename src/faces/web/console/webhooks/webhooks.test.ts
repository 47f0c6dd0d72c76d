import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Person, signIn } from '../../../../testing/console.ts'
import { untilDelivery } from '../../../../testing/deliveries.ts'
import { startReceiver } from '../../../../testing/receiver.ts'
import { startApp, UNLIMITED } from '../../../../testing/start-app.ts'

const DAY_MS = 86_400_000
const NEW = '/console/webhooks/new'
const PATH = '/token-in-path'
const REX = { name: 'Rex', categoryId: 1, status: 'available' }

async function startShelters(t: TestContext) {
  const settings = { WEBHOOK_ALLOW_NETWORKS: 'loopback' }
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' }, settings })
  for (const code of ['CO12', 'NL1']) await app.post('/v1/organizations', { name: `Shelter ${code}`, code })
  const admin = await signIn(app, { role: 'admin' })
  const manager = await signIn(app, { role: 'manager', organizationId: 1 })
  const list = async () => (await app.get('/v1/webhooks')).body
  return { app, admin, manager, list }
}

/** The secret in a page. */
const secretIn = (text: string): string => /<textarea id="secret"[^>]*>([^<]*)</.exec(text)?.[1] ?? ''

test('POST /console/webhooks/new shows the secret once; a test then appears as a delivery with its response', async (t) => {
  const { app, manager, list } = await startShelters(t)
  const { received, until, url } = await startReceiver(t, () => ({ status: 500, body: '<b>out of order' }))
  const made = await manager.send(NEW, { url: url(PATH), types: ['pet.created', 'pet.deleted'] })
  const secret = secretIn(made.text)
  assert.match(secret, /^whsec_[\w+/]{43}=$/)
  const [webhook] = await list()
  assert.deepEqual(
    [webhook.organizationId, webhook.types, webhook.url],
    [1, ['pet.created', 'pet.deleted'], url(PATH)],
  )
  const tested = await manager.send('/console/webhooks/1/test', {})
  assert.equal(tested.headers.location, '/console/webhooks/1?done=testSent')
  await until(1)
  await untilDelivery(app, 1, ({ responseStatus }) => responseStatus === 500)
  const page = (await manager.get('/console/webhooks/1')).text
  assert.match(page, /Failing/)
  assert.match(page, /1 attempt/)
  assert.match(page, /next attempt/)
  assert.match(page, /&lt;b&gt;out of order/)
  assert.match(page, /response 500/)
  await manager.send('/console/webhooks/1/deliveries/1', {})
  await until(2)

  const rotated = secretIn((await manager.send('/console/webhooks/1/secret', {})).text)
  assert.match(rotated, /^whsec_/)
  assert.notEqual(rotated, secret)
  assert.doesNotMatch((await manager.get('/console/webhooks')).text + page, /whsec_/)
  assert.equal(new Set(received.map(({ headers }) => headers['webhook-id'])).size, 1)
  const log = app.log.join('')
  for (const hidden of [PATH, secret, rotated]) assert.ok(!log.includes(hidden), hidden)
})

test('a webhook form with a value that the API refuses is shown again with all values and a problem at the field', async (t) => {
  const { admin, list } = await startShelters(t)
  const url = 'https://hooks.example.org/'
  const wrong: [Record<string, string>, string][] = [
    [{}, 'url'],
    [{ url: 'https://10.1.2.3/' }, 'url'],
    [{ url: 'https://user:secret@hooks.example.org/' }, 'url'],
    [{ url: 'http://10.0.0.1/' }, 'url'],
    [{ url, types: 'pet.eaten' }, 'types'],
    [{ url, description: 'a'.repeat(201) }, 'description'],
    [{ url, organizationId: '99' }, 'organizationId'],
    [{ url, organizationId: 'x' }, 'organizationId'],
  ]
  for (const [fields, field] of wrong) {
    const { status, text } = await admin.send(NEW, { description: 'Ours', ...fields })
    assert.equal(status, 400, JSON.stringify(fields))
    assert.match(text, new RegExp(`href="#field-${field}"`), JSON.stringify(fields))
    if (fields.description === undefined) assert.match(text, />\nOurs</)
  }
  assert.deepEqual(await list(), [])
  const made = await admin.send(NEW, { url: 'hooks.example.org/a', types: 'pet.created' })
  assert.equal(made.status, 200)
  const [{ id }] = await list()
  const change = `/console/webhooks/${id}/change`
  assert.equal((await admin.fill(change, { url: 'https://10.0.0.1/' })).status, 400)
  await admin.fill(change, { description: 'Our website', types: undefined })
  const [{ url: stored, description, types }] = await list()
  assert.deepEqual([stored, description, types], ['https://hooks.example.org/a', 'Our website', []])
})

test('managers see and change only webhooks of their organization; managers without an organization see none', async (t) => {
  const { app, admin, manager, list } = await startShelters(t)
  const everywhere = await signIn(app, { role: 'manager' })
  for (const organizationId of ['1', '2', ''])
    await admin.send(NEW, { url: `https://hook${organizationId}.example.org/`, organizationId })
  const hostsFor = async (person: Person) =>
    [...(await person.get('/console/webhooks')).text.matchAll(/>https:\/\/(hook\d?)\./g)].map(
      ([, host]) => host,
    )
  assert.deepEqual(await hostsFor(admin), ['hook1', 'hook2', 'hook'])
  assert.deepEqual(await hostsFor(manager), ['hook1'])
  assert.deepEqual(await hostsFor(everywhere), [])
  const refused = await everywhere.send(NEW, { url: 'https://a.example.org/', organizationId: '1' })
  assert.equal(refused.status, 403)
  for (const person of [manager, everywhere])
    for (const id of [2, 3]) {
      assert.equal((await person.get(`/console/webhooks/${id}`)).status, 404)
      for (const action of ['change', 'enabled', 'secret', 'remove', 'test', 'recover', 'deliveries/1']) {
        const { status, text } = await person.send(`/console/webhooks/${id}/${action}`, {
          since: '2026-11-01',
        })
        assert.deepEqual([status, secretIn(text)], [404, ''], action)
      }
    }
  assert.equal((await list()).length, 3)
  // A manager cannot add a webhook to another organization.
  await manager.send(NEW, { url: 'https://own.example.org/', organizationId: '2' })
  assert.equal((await list()).at(-1).organizationId, 1)

  assert.equal((await manager.get('/console/webhooks/1/remove')).status, 200)
  assert.equal((await list()).length, 4, 'the page that asks for confirmation removes nothing')
  const removed = await manager.send('/console/webhooks/1/remove', {})
  assert.equal(removed.headers.location, '/console/webhooks?done=webhookRemoved')
  assert.equal((await list()).length, 3)
})

test('POST /console/webhooks/{id}/recover sends the undelivered events since a day, and refuses an invalid day', async (t) => {
  const { app, manager } = await startShelters(t)
  const { until, url } = await startReceiver(t)
  await manager.send(NEW, { url: url(PATH), types: 'pet.created' })
  await manager.send('/console/webhooks/1/enabled', { enabled: 'no' })
  assert.match((await manager.get('/console/webhooks/1')).text, /Nothing is sent while the webhook is off/)
  await app.post('/v1/pets', { ...REX, organizationId: 1 })
  app.clock.now += DAY_MS
  await app.post('/v1/pets', { ...REX, organizationId: 1 })
  // The first session expired during this day.
  const again = await signIn(app, { role: 'manager', organizationId: 1 })
  await again.send('/console/webhooks/1/enabled', { enabled: 'yes' })
  for (const since of ['', 'yesterday', '2026-13-01']) {
    const { status, text } = await again.send('/console/webhooks/1/recover', { since })
    assert.equal(status, 400, since)
    assert.match(text, /href="#field-since"/)
  }
  const since = new Date(app.clock.now).toISOString().slice(0, 10)
  await again.send('/console/webhooks/1/recover', { since })
  const [first] = await until(1)
  assert.equal(JSON.parse(String(first?.body)).data.petId, 2)
})

test('/console/ warns of a webhook that the service has switched off, until someone switches it on', async (t) => {
  const { app, admin, manager } = await startShelters(t)
  const staff = await signIn(app, { organizationId: 1 })
  const other = await signIn(app, { role: 'manager', organizationId: 2 })
  const { url } = await startReceiver(t, () => ({ status: 410 }))
  await manager.send(NEW, { url: url(PATH) })
  await manager.send('/console/webhooks/1/test', {})
  const line = /The service has switched off the webhook to 127\.0\.0\.1:\d+/
  await untilDelivery(app, 1, ({ responseStatus }) => responseStatus === 410)
  const page = (await manager.get('/console/')).text
  assert.match(page, line)
  assert.ok(!page.includes(PATH))
  assert.match((await admin.get('/console/')).text, line)
  for (const person of [staff, other]) assert.doesNotMatch((await person.get('/console/')).text, line)
  assert.match((await manager.get('/console/webhooks')).text, /Switched off by the service/)
  await manager.send('/console/webhooks/1/enabled', { enabled: 'yes' })
  assert.doesNotMatch((await manager.get('/console/')).text, line)
})

test('/console/events lists the events that the role may see, newest first with links, and filters by type', async (t) => {
  const { app, manager } = await startShelters(t)
  const viewer = await signIn(app, { role: 'viewer', organizationId: 1 })
  await app.post('/v1/pets', { ...REX, organizationId: 1 })
  await app.post('/v1/pets', { ...REX, name: 'Secret', organizationId: 2 })
  await app.patch('/v1/pets/1', { status: 'pending' })
  await app.patch('/v1/pets/1', { status: 'available' })
  await app.post('/v1/store/orders', { petId: 1, adopter: { name: 'Kim', email: 'kim@doe.example' } })
  await app.patch('/v1/pets/1', { staff: { notes: 'Shy' } })
  const { text } = await manager.get('/console/events')
  assert.match(text, /Adoption opened.*Animal added/s)
  assert.match(text, /href="\/console\/animals\/1">Rex</)
  assert.match(text, /Available → Reserved/)
  assert.match(text, /href="\/console\/animals\/1#orders"/)
  // An animal of another organization has neither a name nor a link.
  assert.match(text, /Animal 2/)
  assert.doesNotMatch(text, /Secret|animals\/2|kim/)
  assert.match((await viewer.get('/console/events')).text, /Animal changed/)
  assert.doesNotMatch((await viewer.get('/console/events')).text, /<b>Adoption opened/)

  const filtered = (await manager.get('/console/events?type=pet.status_changed')).text
  assert.match(filtered, /<b>Animal status changed/)
  assert.doesNotMatch(filtered, /<b>Animal added/)
  assert.match((await manager.get('/console/events?type=pet.deleted')).text, /No events found/)
})
