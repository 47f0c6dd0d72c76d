import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import sharp from 'sharp'
import { changes } from '../../db/change.ts'
import { ERRORS } from '../../errors.ts'
import { Html, html, joinList, renderProse } from '../../http/html.ts'
import { startApp, type TestApp } from '../../testing/start-app.ts'
import { type Call, callsOf } from './reference/description.ts'
import { EXAMPLES, PHOTO_HASH, PHOTOS, SECRET } from './reference/examples.ts'
import { pretty } from './reference/fields.ts'

const CALLS = callsOf(JSON.parse(readFileSync('openapi.json', 'utf8')))
const PICTURE = await sharp({ create: { width: 2_400, height: 1_800, channels: 3, background: 'teal' } })
  .jpeg()
  .toBuffer()
const ANONYMOUS = { authorization: undefined }
const BASE = 'http://pets.example/v1'

/** Read once, since all services have the same page, and making it takes longer than most tests. */
let page: Promise<string> | undefined

function openPage(t: TestContext): Promise<string> {
  page ??= startApp(t).then(readPage)
  return page
}

const readPage = async ({ get }: TestApp): Promise<string> => (await get('/docs', ANONYMOUS)).text

/** The text of a code element of the page, unescaped. */
function textIn(page: string, opening: string): string {
  const begin = page.indexOf(opening)
  assert.notEqual(begin, -1, opening)
  const inside = page.slice(begin + opening.length, page.indexOf('</code>', begin))
  const signs: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
  return inside.replace(/&([a-z]+|#39);/g, (_, name: string) => signs[name] as string)
}

test('GET /docs: has every operation with its parameters, responses and badges', async (t) => {
  const page = await openPage(t)
  assert.equal(CALLS.length, Object.keys(EXAMPLES).length)
  const entries = page.split('<details class="entry">')
  for (const { operationId, method, path, summary, parameters = [], responses, ...call } of CALLS) {
    const section = entries.find((text) => text.includes(`<div id="${operationId}">`)) ?? ''
    assert.ok(section.includes(`<b>${method}</b> ${path}</code>`), operationId)
    assert.ok(section.includes(`<h3>${summary}`), operationId)
    for (const { name } of parameters) assert.ok(section.includes(`<code>${name}</code>`), name)
    for (const status of Object.keys(responses)) {
      assert.ok(section.includes(`<th scope="row"><code>${status}</code></th>`), `${operationId} ${status}`)
    }
    const [, title = ''] = /<h3>(.*?)<\/h3>/s.exec(section) ?? []
    assert.equal(title.includes('>beta<'), call['x-stability'] === 'beta', operationId)
    assert.equal(title.includes('>experimental<'), call['x-stability'] === 'experimental', operationId)
    assert.equal(
      section.includes('Deprecated</a>: will be removed on'),
      call.deprecated === true,
      operationId,
    )
    assert.ok(section.includes(`data-method="${method}" data-path="${path}"`), operationId)
  }
  assert.match(page, /<time datetime="2030-12-05">2030-12-05<\/time>/)
  const places = CALLS.map(({ operationId }) => page.indexOf(`<div id="${operationId}">`))
  assert.deepEqual(
    places,
    places.toSorted((one, other) => one - other),
  )
})

test('GET /docs: fills in required parameters and shows examples of optional parameters as placeholders', async (t) => {
  const page = await openPage(t)
  assert.equal(page.includes('inputmode=&quot;'), false)
  const inputs = page.match(/<input [^>]*data-in="(?:path|query|header)"[^>]*>/g) ?? []
  assert.ok(inputs.some((input) => input.includes('placeholder="Mia asleep"')))
  assert.ok(inputs.some((input) => input.includes('inputmode="numeric"')))
  for (const input of inputs) {
    assert.ok(/ required| placeholder=/.test(input), input)
    assert.equal(/ value="[^"]/.test(input) && !input.includes(' required'), false, input)
  }
})

test('GET /docs: has every error code with its status, and no broken links', async (t) => {
  const page = await openPage(t)
  for (const [code, [status]] of Object.entries(ERRORS)) {
    assert.match(
      page,
      new RegExp(`<tr id="error-${code}">.*<code>${code}</code>\\s*<small>${status}</small>`),
    )
  }
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
  assert.equal(new Set(ids).size, ids.length, 'duplicate ids')
  for (const [, id] of page.matchAll(/ (?:href="#|for="|aria-describedby=")([^"]+)"/g)) {
    assert.ok(ids.includes(id), id)
  }
})

test('GET /docs: shows the limits and URLs of this installation', async (t) => {
  const settings = { BAN_AFTER_REFUSALS: '7', BAN_SECONDS: '5400', ANONYMOUS_PER_DAY: '4321' }
  const page = await readPage(await startApp(t, { settings }))

  assert.match(page, /More than 7 refused requests within 60 seconds\s+ban a key for 90 minutes\./)
  assert.match(page, /up to 24 hours\./)
  assert.match(page, /4,321 a day/)
  assert.match(page, /<td>1,000<\/td><td>100,000<\/td>/)
  assert.ok(page.includes(`<code>${BASE}</code>`))
  assert.match(page, /begins with\s+<code>adopt_live_<\/code>/)
})

test('GET /docs: loads all files from this server, without inline scripts or styles', async (t) => {
  const { get } = await startApp(t)
  const page = await get('/docs', ANONYMOUS)

  assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
  const loaded = [...page.text.matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]+)"/g)].map(([, to]) => to)
  assert.deepEqual(loaded, ['data:,', '/docs/reference.css', '/docs/reference.js'])
  assert.doesNotMatch(page.text, /<script[^>]*>[^<]|<style|\sstyle=|\son\w+=|javascript:/)
  for (const [path, type] of [
    ['/docs/reference.css', 'text/css'],
    ['/docs/reference.js', 'text/javascript'],
  ] as const) {
    const { status, headers, text } = await get(path, ANONYMOUS)
    assert.deepEqual([status, headers['content-type']], [200, `${type}; charset=utf-8`])
    assert.doesNotMatch(text, /https?:\/\/|localStorage|sessionStorage|cookie|innerHTML/)
  }
})

test('/docs has a strict content security policy, answers HEAD, and answers 304 to a known ETag', async (t) => {
  const { get, request } = await startApp(t)
  for (const path of ['/docs', '/docs/', '/docs/reference.css', '/docs/reference.js']) {
    const { headers, text } = await get(path, ANONYMOUS)
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/)
    assert.doesNotMatch(policy, /unsafe|\*|http/)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.equal(headers['cache-control'], 'no-cache')
    assert.equal(headers['x-ratelimit-limit'], undefined)

    const head = await request(path, { method: 'HEAD', headers: ANONYMOUS })
    assert.deepEqual([head.status, head.text], [200, ''])
    assert.equal(head.headers['content-length'], String(Buffer.byteLength(text)))
    const notModified = await get(path, { ...ANONYMOUS, 'if-none-match': headers.etag })
    assert.deepEqual(
      [notModified.status, notModified.text, notModified.headers.etag],
      [304, '', headers.etag],
    )
    assert.equal(notModified.headers['content-security-policy'], policy)
    assert.equal((await get(path, { ...ANONYMOUS, 'if-none-match': '"another"' })).status, 200)
  }
})

/** Requests with fetch, which decodes bodies. Content-Length is the encoded length. */
const CODINGS: [acceptEncoding: string, coding: string | null][] = [
  ['gzip, deflate, br', 'br'],
  ['gzip', 'gzip'],
  ['GZIP;q=1.0, br;q=0.5', 'gzip'],
  ['*', 'br'],
  ['br;q=0, *;q=0.1', 'zstd'],
  ['gzip, zstd', 'zstd'],
  ['identity', null],
  ['gzip;q=0', null],
  ['identity;q=1, gzip;q=0.5', null],
  ['deflate', null],
  ['', null],
]

test('GET /docs and /openapi.json with Accept-Encoding are compressed, and have an ETag per coding', async (t) => {
  const { port } = await startApp(t)
  for (const path of ['/docs', '/docs/reference.css', '/docs/reference.js', '/openapi.json']) {
    const ask = (headers: Record<string, string>) => fetch(`http://127.0.0.1:${port}${path}`, { headers })
    const plain = await ask({ 'accept-encoding': 'identity' })
    const text = await plain.text()
    const etags = new Map<string | null, string | null>()
    for (const [accepted, coding] of CODINGS) {
      const answer = await ask({ 'accept-encoding': accepted })
      const about = `${path} ${accepted}`
      assert.equal(answer.headers.get('content-encoding'), coding, about)
      assert.equal(answer.headers.get('vary'), 'Accept-Encoding, Origin', about)
      assert.equal(answer.headers.get('cache-control'), 'no-cache', about)
      assert.equal(await answer.text(), text, about)
      const length = Number(answer.headers.get('content-length'))
      assert.ok(coding === null ? length === Buffer.byteLength(text) : length < text.length / 2, about)
      const etag = String(answer.headers.get('etag'))
      assert.equal(etags.get(coding) ?? etag, etag, about)
      etags.set(coding, etag)

      const notModified = await ask({ 'accept-encoding': accepted, 'if-none-match': `"x", W/${etag}` })
      assert.deepEqual([notModified.status, await notModified.text()], [304, ''], about)
      assert.equal(notModified.headers.get('etag'), etag, about)
      assert.equal(notModified.headers.get('vary'), 'Accept-Encoding, Origin', about)
    }
    assert.equal(new Set(etags.values()).size, 4, path)
    const other = { 'accept-encoding': 'gzip', 'if-none-match': String(etags.get('br')) }
    assert.equal((await ask(other)).status, 200, path)
  }
})

/** Starts the service with the data that the examples need. */
async function startExemplary(t: TestContext) {
  const now = Date.parse('2026-12-01T10:00:00Z')
  const app = await startApp(t, { key: { access: 'admin' }, now })
  for (const [path, body] of [
    ['/v1/pets', { name: 'Rex', categoryId: 1, status: 'available' }],
    ['/v1/pets', { name: 'Mia', categoryId: 2, status: 'available' }],
    ['/v1/store/orders', EXAMPLES.createOrder.body],
    ['/v1/applications', EXAMPLES.getApplication.answer],
    ['/v1/categories', EXAMPLES.getCategory.answer],
    ['/v1/organizations', EXAMPLES.getOrganization.answer],
    ['/v1/webhooks', { ...(EXAMPLES.createWebhook.body as object), enabled: false }],
  ] as const) {
    const order = path.endsWith('orders') ? { petId: 2 } : {}
    assert.equal((await app.post(path, { ...(body as object), ...order })).status, 201, path)
  }
  assert.equal((await app.post('/v1/webhooks/1/test', {})).status, 202)
  const { write } = app.service.context
  for (const [kind, { id, alt }] of [
    ['pet', EXAMPLES.getPetPhoto.answer as { id: number; alt: string }],
    ['organization', EXAMPLES.getOrganizationPhoto.answer as { id: number; alt: string }],
  ] as const) {
    const photo = { hash: String(id).repeat(32), digest: 'x', width: 2_400, height: 1_800, alt }
    await write(changes.addPhoto, { kind, id: 1 }, photo, { keyId: 1 }, now)
  }
  return app
}

/** Splits a command into words like a shell, and replaces $KEY. */
function shellWords(command: string, key: string): string[] {
  const words = command.replaceAll('\\\n', ' ').match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []
  return words.map((word) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, (_, bare, open) => bare ?? open.replaceAll('$KEY', key)),
  )
}

/** The request that curl would send. */
function readCurl([program, ...words]: string[]): { url: string; init: RequestInit } {
  assert.equal(program, 'curl')
  const headers = new Headers()
  const init: RequestInit = { headers }
  let url = ''
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index]
    if (word === '-i') continue
    if (word?.startsWith('http')) url = word
    else if (word === '-X') init.method = words[++index] as string
    else if (word === '-d') init.body = words[++index] as string
    else if (word === '--data-binary') {
      assert.match(words[++index] ?? '', /^@\w+\.jpg$/)
      init.body = PICTURE
    } else if (word === '-H') headers.append(...((words[++index] ?? '').split(': ') as [string, string]))
    else assert.fail(`unknown curl option ${word}`)
  }
  return { url, init }
}

async function assertRuns(t: TestContext, { port, key }: TestApp, call: Call): Promise<void> {
  const { operationId, responses } = call
  const command = textIn(await openPage(t), `<code data-curl="${operationId}">`)
  const { url, init } = readCurl(shellWords(command, key))
  assert.ok(url.startsWith(`${BASE}/`), url)

  const answer = await fetch(url.replace(BASE, `http://127.0.0.1:${port}/v1`), init)

  const received = await answer.text()
  const text = received
    .replace(/http:\/\/pets\.example\/photos\/[0-9a-f]{32}/g, `${PHOTOS}/${PHOTO_HASH}`)
    .replace(/whsec_[\w+/=]+/, SECRET)
  assert.ok(answer.status < 300 && responses[answer.status], `${operationId}: ${answer.status} ${text}`)
  const { answer: example } = EXAMPLES[operationId as keyof typeof EXAMPLES]
  // Undefined members of the example are absent in the JSON.
  const expected = example && JSON.parse(JSON.stringify(example))
  assert.deepEqual(text === '' ? undefined : JSON.parse(text), expected, operationId)
  if (expected !== undefined) assert.deepEqual(JSON.parse(pretty(expected)), expected)
}

test('GET examples on /docs are answered as shown', async (t) => {
  const app = await startExemplary(t)
  // A stream has no end; src/events/stream.test.ts reads it.
  const calls = CALLS.filter(({ method, operationId }) => method === 'GET' && operationId !== 'streamEvents')
  for (const call of calls) await assertRuns(t, app, call)
})

for (const call of CALLS.filter(({ method }) => method !== 'GET')) {
  test(`the ${call.operationId} example on /docs is answered as shown`, async (t) => {
    await assertRuns(t, await startExemplary(t), call)
  })
}

test('html escapes values once', () => {
  const name = `<b a="1" b='2'>&`
  const escaped = '&lt;b a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;'

  assert.equal(
    html`<p title="${name}">${[name, html`<i>${name}</i>`, undefined, false, 0]}</p>`.text,
    `<p title="${escaped}">${escaped}<i>${escaped}</i>0</p>`,
  )
  assert.equal(renderProse('a `b<` c').text, 'a <code>b&lt;</code> c')
  assert.equal(joinList(['a', 'b', new Html('<i>c</i>')], 'or').text, 'a, b or <i>c</i>')
})
