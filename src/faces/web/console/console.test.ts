import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ROLES, type Role } from '../../../access.ts'
import { browseAs, signIn } from '../../../testing/console.ts'
import { startApp, type TestApp } from '../../../testing/start-app.ts'
import { PAGES } from './pages.ts'
import { returnPath } from './visit.ts'

const ALL = Object.keys(PAGES).map((name) => {
  const [method = '', path = ''] = name.split(' ')
  return { name, method, path: `/console${path.replace(/:\w+/g, '1')}` }
})

/** The lowest role for each page. Repeats PAGES on purpose, to detect a page that is opened by mistake. */
const PAGES_BY_MIN_ROLE = {
  anybody: 'GET /sign-in, POST /sign-in, POST /sign-out, GET /join/:token, POST /join/:token',
  viewer: `GET /, GET /animals, GET /animals.csv, GET /animals/:id, GET /animals/:id/notes,
    GET /animals/:id/poster, GET /animals/:id/kennel-card, GET /events, GET /statistics, GET /statistics/:name,
    GET /account, POST /account, POST /account/password, POST /account/sign-out`,
  staff: `POST /animals/selected,
    GET /animals/new, POST /animals/new, POST /animals/:id, POST /animals/:id/status,
    POST /animals/:id/outcome, POST /animals/:id/notes, POST /animals/:id/notes/remove,
    GET /animals/:id/adopted, POST /animals/:id/adopted,
    GET /animals/:id/delete, POST /animals/:id/delete, POST /animals/:id/photos,
    POST /animals/:id/photos/:photoId, POST /animals/:id/orders/:orderId, GET /applications,
    GET /applications/:id, GET /applications/:id/record, POST /applications/:id, POST /applications/:id/order,
    GET /import, POST /import, POST /import/columns, POST /import/confirm, GET /import/refused.csv`,
  manager: `GET /organizations/:id/questions, POST /organizations/:id/questions,
    GET /organizations/:id/website, GET /organizations,
    GET /organizations/:id, POST /organizations/:id, POST /organizations/:id/photos,
    POST /organizations/:id/photos/:photoId, GET /usage, GET /people, GET /people/new, POST /people/new,
    GET /people/:id, POST /people/:id, POST /people/:id/link, GET /people/:id/remove,
    POST /people/:id/remove, GET /keys, GET /keys/new, POST /keys/new, GET /keys/:id,
    POST /keys/:id/rotate, GET /keys/:id/revoke, POST /keys/:id/revoke,
    GET /webhooks, GET /webhooks/new, POST /webhooks/new, GET /webhooks/:id, GET /webhooks/:id/change,
    POST /webhooks/:id/change, POST /webhooks/:id/enabled, POST /webhooks/:id/secret,
    GET /webhooks/:id/remove, POST /webhooks/:id/remove, POST /webhooks/:id/test, POST /webhooks/:id/recover,
    POST /webhooks/:id/deliveries/:deliveryId`,
  admin: 'GET /organizations/new, POST /organizations/new',
}
const pagesOf = (role: keyof typeof PAGES_BY_MIN_ROLE): string[] => PAGES_BY_MIN_ROLE[role].split(/,\s+/)

/** Pages for signed-in people. */
const INSIDE = ALL.filter(({ name }) => !pagesOf('anybody').includes(name))

function ask(app: TestApp, { method, path }: { method: string; path: string }, cookie?: string) {
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
  const headers = { authorization: undefined, cookie, ...(method === 'POST' && form) }
  return app.request(path, { method, headers, ...(method === 'POST' && { body: '' }) })
}

test('every console page requires the right that PAGES lists; without a session it redirects to the sign-in with 303', async (t) => {
  const app = await startApp(t)
  const named = (['anybody', ...ROLES] as const).flatMap(pagesOf)
  assert.deepEqual(named.toSorted(), ALL.map(({ name }) => name).toSorted(), 'each page is in the table once')
  for (const page of INSIDE) {
    const { status, headers } = await ask(app, page)
    if (page.method === 'GET') {
      assert.equal(status, 303, page.name)
      assert.equal(headers.location, `/console/sign-in?to=${encodeURIComponent(page.path)}`, page.name)
    } else assert.equal(status, 403, page.name)
  }
  for (const [rank, role] of ROLES.entries()) {
    const allowed = new Set(ROLES.slice(0, rank + 1).flatMap(pagesOf))
    for (const page of INSIDE) {
      // Some of these requests end the session.
      const { token } = await signIn(app, { role })
      const { status, text } = await ask(app, page, `__Host-session=${token}`)
      const isRefused = status === 403
      assert.equal(
        isRefused,
        !allowed.has(page.name),
        `${role} ${page.name}: ${status} ${text.slice(0, 300)}`,
      )
      assert.ok(status < 500, `${role} ${page.name}: ${status}`)
    }
  }
})

test('every console page and error is no-store, allows no frames and loads no foreign scripts', async (t) => {
  const app = await startApp(t)
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1 })
  const others = [
    '/console/nothing',
    '/console/animals/99',
    '/console/animals/x',
    '/console/%zz',
    '/console//',
  ]
  const pages = [...ALL, ...others.map((path) => ({ name: path, method: 'GET', path }))]
  for (const page of pages) {
    const { token } = await signIn(app, { role: 'admin' })
    for (const sent of [`__Host-session=${token}`, undefined]) {
      const { headers, text } = await ask(app, page, sent)
      assert.equal(headers['cache-control'], 'no-store', page.name)
      assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'/, page.name)
      assert.equal(headers['x-frame-options'], 'DENY', page.name)
      assert.doesNotMatch(
        text,
        /<script(?! type="module" src="\/assets\/)|<style| style="| on\w+="/,
        page.name,
      )
    }
  }
})

test('a POST to the console from another origin or port, or without an Origin, gets 403', async (t) => {
  const app = await startApp(t, { settings: { BASE_URL: 'https://pets.example/v1' } })
  const ana = await signIn(app)
  const host = `127.0.0.1:${app.port}`
  const send = (headers: Record<string, string | undefined>) =>
    ana.send('/console/animals/new', { name: 'Rex', categoryId: '1' }, { host, ...headers })
  const none = { 'sec-fetch-site': undefined }
  const refused: Record<string, string | undefined>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'cross-site', origin: `http://${host}` },
    none,
    { ...none, origin: 'null' },
    { ...none, origin: 'https://elsewhere.example' },
    { ...none, origin: `http://127.0.0.1:${app.port + 1}` },
    { ...none, origin: `https://${host}` },
    { ...none, origin: `http://${host}.elsewhere.example` },
  ]
  for (const headers of refused) {
    const { status, text } = await send(headers)
    assert.equal(status, 403, JSON.stringify(headers))
    assert.match(text, /<h1>/)
  }
  assert.deepEqual((await app.get('/v1/pets')).body, [])

  assert.equal((await send({ ...none, origin: `http://${host}` })).status, 303)
  assert.equal((await send({ ...none, host: 'pets.example', origin: 'https://pets.example' })).status, 303)
  assert.equal((await app.get('/v1/pets')).body.length, 2)
})

test('a POST after the session has ended gets 403, changes nothing and explains how to send the form again', async (t) => {
  const app = await startApp(t)
  const ana = await signIn(app)
  const fields = { name: 'Rex', categoryId: '1' }
  app.clock.now += 13 * 3_600_000
  const { status, text } = await ana.send('/console/animals/new', fields)

  assert.equal(status, 403)
  assert.match(text, /signed out/)
  assert.deepEqual((await app.get('/v1/pets')).body, [])
  assert.equal((await browseAs(app, 'x'.repeat(43)).get('/console/')).status, 303)
})

test('GET /console redirects to /console/ with 308', async (t) => {
  const app = await startApp(t)
  const ana = await signIn(app)
  assert.equal((await ana.get('/console/')).status, 200)
  const { status, headers } = await ana.get('/console?done=saved')
  assert.deepEqual([status, headers.location], [308, '/console/?done=saved'])
})

test('?done= and ?to= with unknown values show no notice and redirect to no other site', async (t) => {
  const app = await startApp(t)
  const ana = await signIn(app)
  assert.match((await ana.get('/console/?done=saved')).text, /class="notice"/)
  for (const done of ['toString', '__proto__', '<b>x</b>', 'constructor', ''])
    assert.doesNotMatch(
      (await ana.get(`/console/?done=${encodeURIComponent(done)}`)).text,
      /class="notice"/,
      done,
    )

  assert.equal(returnPath('/console/animals?q=a'), '/console/animals?q=a')
  const elsewhere = [
    'https://elsewhere.example/console/',
    '//elsewhere.example/console/',
    '/\\elsewhere.example',
    '/console/\\elsewhere',
    '/console/..//elsewhere.example',
    '/console/../../v1',
    '/console/%2e%2e/%2e%2e/v1',
    '/console/\t/elsewhere.example',
    'javascript:alert(1)',
    '/console',
    '',
    undefined,
    ['/console/a', '/console/b'],
    `/console/${'a'.repeat(3_000)}`,
  ]
  for (const to of elsewhere) assert.equal(returnPath(to), '/console/', String(to))
})

test('a signed-in person has a rate limit of 600 requests a minute, separate from the limit of the address', async (t) => {
  const app = await startApp(t, { settings: { ANONYMOUS_PER_MINUTE: '2' } })
  const ana = await signIn(app)
  for (let count = 0; count < 600; count += 1) assert.equal((await ana.get('/console/')).status, 200)

  const { status, headers, text } = await ana.get('/console/')

  assert.equal(status, 429)
  assert.ok(Number(headers['retry-after']) > 0)
  assert.match(text, /<h1>/)
  assert.equal((await (await signIn(app)).get('/console/')).status, 200)
  assert.equal((await app.request('/console/', { headers: { authorization: undefined } })).status, 303)
})

const PAGES_OF_ROLES: [Role, string[]][] = [
  ['viewer', ['Overview', 'Animals']],
  ['staff', ['Overview', 'Animals', 'Applications']],
]

test('Accept-Language chooses the language of the console; each page names the signed-in person', async (t) => {
  const app = await startApp(t)
  for (const [role, links] of PAGES_OF_ROLES) {
    const person = await signIn(app, { role, name: 'Ana <b>Ruiz</b>' })
    const { text } = await person.get('/console/')
    for (const link of links) assert.match(text, new RegExp(`>${link}</a>`))
    assert.match(text, /Ana &lt;b&gt;Ruiz&lt;\/b&gt;/)
    const spanish = await person.get('/console/', { 'accept-language': 'es-MX,es;q=0.9' })
    assert.match(spanish.text, /<html lang="es">/)
    assert.match(spanish.text, />Animales<\/a>/)
  }
})
