import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import { test } from 'node:test'
import { formIn, signIn } from '../../../../testing/console.ts'
import { until } from '../../../../testing/redis.ts'
import { startApp, UNLIMITED } from '../../../../testing/start-app.ts'
import { upload } from '../../../../testing/upload.ts'

const FILE = 'name,category,status\nRex,Dog,available\nLuna,Cat,\n,Dog,\n<script>,Nothing,\n'

test('a file is shown as what it would do, and does it when that is confirmed', async (t) => {
  const app = await startApp(t)
  const ana = await signIn(app)

  const preview = await upload(app, ana, FILE)

  assert.equal(preview.status, 200)
  assert.match(preview.text, /<b>2<\/b> added/)
  assert.match(preview.text, /<b>2<\/b> refused/)
  assert.doesNotMatch(preview.text, /<script>/)
  assert.deepEqual((await app.get('/v1/pets')).body, [], 'nothing is changed yet')

  const confirm = '/console/import/confirm'
  const form = formIn(preview.text, confirm)
  const [one, other] = await Promise.all([ana.send(confirm, form), ana.send(confirm, form)])

  assert.deepEqual([one?.status, other?.status].sort(), [200, 409], 'two clicks do it once')
  const names = (await app.get('/v1/pets')).body.map(({ name }: { name: string }) => name)
  assert.deepEqual(names.sort(), ['Luna', 'Rex'])
  assert.equal((await ana.send(confirm, form)).status, 409)
  assert.match((await upload(app, ana, FILE)).text, /this file was imported before/)
})

test('a file that somebody else uploaded, or that was replaced, is not imported', async (t) => {
  const app = await startApp(t)
  const [ana, ben] = [await signIn(app), await signIn(app)]
  const confirm = '/console/import/confirm'
  const { ticket = '' } = formIn((await upload(app, ana, FILE)).text, confirm)

  assert.equal((await ben.send(confirm, { ticket })).status, 400)
  assert.equal((await ana.send(confirm, { ticket: `${ticket}x` })).status, 400)
  await upload(app, ana, FILE.replace('Rex', 'Max'))
  assert.equal((await ana.send(confirm, { ticket })).status, 409)
  assert.deepEqual((await app.get('/v1/pets')).body, [])
})

test('what is no file of animals is refused in words', async (t) => {
  const app = await startApp(t)
  const ana = await signIn(app)
  const wrong: [file: string, fields: Record<string, string>, status: number][] = [
    ['', {}, 400],
    ['{"name": "Rex"}', {}, 200],
    ['a,b\n1,2\n', {}, 200],
    [FILE, { from: 'petfinder' }, 200],
    [FILE, { category: 'None such' }, 200],
    [FILE, { organization: 'NONE' }, 200],
    ['x'.repeat(10_000_001), {}, 413],
  ]
  for (const [file, fields, status] of wrong) {
    const answer = await upload(app, ana, file, fields)
    assert.equal(answer.status, status, `${file.slice(0, 20)} ${JSON.stringify(fields)}`)
    assert.doesNotMatch(answer.text, /<b>[1-9]\d*<\/b> added/)
  }
})

test('people of an organization import into that alone', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  const { body: north } = await app.post('/v1/organizations', { name: 'North', code: 'N1' })
  await app.post('/v1/organizations', { name: 'South', code: 'S1' })
  const ana = await signIn(app, { organizationId: north.id })
  const file = 'name,category,organization\nRex,Dog,\nLuna,Cat,S1\n'
  const confirm = '/console/import/confirm'

  const preview = await upload(app, ana, file)
  assert.match(preview.text, /<b>1<\/b> refused/)
  await ana.send(confirm, formIn(preview.text, confirm))

  const pets = (await app.get('/v1/pets')).body
  assert.deepEqual(
    pets.map(({ name, organizationId }: { name: string; organizationId: number }) => [name, organizationId]),
    [['Rex', north.id]],
  )
})

const LARGE = `name,category,status\n${Array.from({ length: 4_500 }, (_, index) => `Pet ${index},Dog,available\n`).join('')}`
const CONFIRM = '/console/import/confirm'
test('the page of a large import comes while it goes on, with how far it is', async (t) => {
  const app = await startApp(t)
  const ana = await signIn(app)

  const { status, text } = await ana.send(CONFIRM, formIn((await upload(app, ana, LARGE)).text, CONFIRM))

  assert.equal(status, 200)
  assert.match(text, /2,000 lines so far.*4,000 lines so far.*The import is done.*<b>4500<\/b> added/s)
  assert.match(text, /<\/html>\s*$/)
})

test('an import goes on when the browser leaves its page', async (t) => {
  const app = await startApp(t, { key: UNLIMITED })
  const ana = await signIn(app)
  const form = formIn((await upload(app, ana, LARGE)).text, CONFIRM)
  const headers = {
    cookie: `__Host-session=${ana.token}`,
    'content-type': 'application/x-www-form-urlencoded',
    'sec-fetch-site': 'same-origin',
  }
  const request = http.request({ port: app.port, method: 'POST', path: CONFIRM, headers })
  request.end(String(new URLSearchParams(form)))
  const [response] = await once(request, 'response')
  response.destroy()

  await until(async () => (await app.get('/v1/inventory')).body.overall.available === 4_500)
})
