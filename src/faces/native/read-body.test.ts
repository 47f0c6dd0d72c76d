import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { assertUnchanged, list, REX, startUnlimited } from '../../testing/bodies.ts'
import { assertError } from '../../testing/client.ts'
import { startApp, type TestApp } from '../../testing/start-app.ts'

/** Problems as "pointer code", in the order of the response. */
async function assertInvalid({ post }: TestApp, body: string, problems: string[]): Promise<void> {
  const answer = await post('/v1/pets', body)
  const about = body.slice(0, 100)
  assertError(answer, 400, 'validation_failed', about)
  const { details } = answer.body as { details: { pointer: string; code: string; message: string }[] }
  assert.deepEqual(
    details.map(({ pointer, code }) => `${pointer} ${code}`),
    problems,
    about,
  )
  for (const { message } of details) assert.match(message, /^[A-Z].*\.$/, about)
}

/** A body with raw JSON for one member. */
function bodyWith(member: keyof typeof REX | 'status', json: string): string {
  const members = { name: '"Rex"', categoryId: '1', [member]: json }
  return `{${Object.entries(members).map(([name, value]) => `"${name}":${value}`)}}`
}

test('POST /v1/pets with a member of the wrong type: 400; the value is not converted, and nothing is stored', async (t) => {
  const app = await startUnlimited(t)
  const others = list('null|true|false|[]|{}|["x"]|[1]|["available"]|{"a":1}|{"valueOf":1}')
  for (const json of [...others, '1', '0', '1.5', '9007199254740993']) {
    await assertInvalid(app, bodyWith('name', json), ['/name invalid_type'])
    await assertInvalid(app, bodyWith('status', json), ['/status invalid_type'])
  }
  for (const json of [...others, ...list('""|"1"|"x"|" 1 "|1.5|-0.5|1e-1|12345678901234567.5|1e-400')]) {
    await assertInvalid(app, bodyWith('categoryId', json), ['/categoryId invalid_type'])
  }
  for (const json of list('""|"Available"|" available"|"available "|"adopted"|"available\\u0000"|"null"')) {
    await assertInvalid(app, bodyWith('status', json), ['/status invalid_value'])
  }
  await assertUnchanged(app)
})

test('POST /v1/pets with a categoryId at the limits of int64: 400; the id is not rounded to another category', async (t) => {
  const app = await startUnlimited(t)
  const within = list(
    '9223372036854775807|-9223372036854775808|9007199254740991|9007199254740992|9007199254740993',
    '-9007199254740993|9.007199254740993e15|0|-0|-1|9|1e15|1e18',
  )
  for (const json of within) {
    await assertInvalid(app, bodyWith('categoryId', json), ['/categoryId unknown_category'])
  }
  const beyond = list('9223372036854775808|-9223372036854775809|18446744073709551617|1e19|1e30|-1e30|1e400')
  for (const json of [...beyond, '-1e400', '1e999999999', '9'.repeat(500), `-${'9'.repeat(60_000)}`]) {
    await assertInvalid(app, bodyWith('categoryId', json), ['/categoryId out_of_range'])
  }
  await assertUnchanged(app)
})

test('POST /v1/pets with a categoryId such as 8.0 or 8e0: 201', async (t) => {
  const { post } = await startUnlimited(t)
  for (const json of ['8', '8.0', '8e0', '80e-1', '0.8E+1', `8.${'0'.repeat(1_000)}`]) {
    const answer = await post('/v1/pets', bodyWith('categoryId', json))
    assert.equal(answer.status, 201, json)
    assert.match(answer.text, /"categoryId":8[,}]/, json)
  }
})

test('POST /v1/pets with an empty, blank or too long name gets 400; with the longest allowed name it gets 201', async (t) => {
  const app = await startUnlimited(t)
  for (const name of ['', ' ', '   ', '\u00a0', '\u2003\u3000', '\ufeff', '\u2028']) {
    await assertInvalid(app, JSON.stringify({ ...REX, name }), ['/name invalid_value'])
  }
  // Lengths are in code points: a flag has 2, a family 7, and a letter with a combining accent 2.
  for (const name of [
    'a'.repeat(201),
    '🐶'.repeat(201),
    'e\u0301'.repeat(101),
    '👨‍👩‍👧‍👦'.repeat(29),
    'a'.repeat(60_000),
    ' '.repeat(201),
  ]) {
    await assertInvalid(app, JSON.stringify({ ...REX, name }), ['/name too_long'])
  }
  await assertUnchanged(app)
  for (const name of [
    'a',
    ' a ',
    '🐶',
    'a'.repeat(200),
    '🐶'.repeat(200),
    'e\u0301'.repeat(100),
    `${'🇩🇪'.repeat(99)}ab`,
  ]) {
    const answer = await app.post('/v1/pets', { ...REX, name })
    assert.equal(answer.status, 201, name)
    assert.equal(answer.body.name, name)
    assert.equal((await app.get(`/v1/pets/${answer.body.id}`)).body.name, name)
  }
})

test('POST /v1/pets with a control character in the name: 400, and nothing is stored', async (t) => {
  const app = await startUnlimited(t)
  const codes = [...Array(0x20).keys(), ...Array.from({ length: 0x21 }, (_, index) => 0x7f + index)]
  for (const code of codes) {
    const escaped = `\\u${code.toString(16).padStart(4, '0')}`
    for (const name of [`a${escaped}b`, escaped, `a${escaped}`]) {
      await assertInvalid(app, bodyWith('name', `"${name}"`), ['/name invalid_value'])
    }
    const bare = bodyWith('name', `"a${String.fromCharCode(code)}b"`)
    if (code < 0x20) assertError(await app.post('/v1/pets', bare), 400, 'invalid_json', escaped)
    else await assertInvalid(app, bare, ['/name invalid_value'])
  }
  await assertUnchanged(app)
})

test('POST /v1/pets with a lone surrogate in the name: 400, and nothing is stored', async (t) => {
  const app = await startUnlimited(t)
  for (const name of list(
    '\\ud800|\\udfff|a\\udbffb|a\\udc00|\\ude00\\ud83d|\\ud83d\\ud83d\\ude00|\\ud83d\\\\ude00',
  )) {
    await assertInvalid(app, bodyWith('name', `"${name}"`), ['/name invalid_value'])
  }
  await assertUnchanged(app)
  assert.equal((await app.post('/v1/pets', bodyWith('name', '"\\ud83d\\uDE00"'))).body.name, '😀')
})

test('POST /v1/pets with bytes that are not UTF-8: 400, and nothing is stored', async (t) => {
  const app = await startUnlimited(t)
  for (const bytes of [
    [0xff, 0xfe],
    [0xc0, 0xaf],
    [0xed, 0xa0, 0x80],
    [0xf4, 0x90, 0x80, 0x80],
    [0xe9],
    [0x80],
  ]) {
    const body = Buffer.concat([
      Buffer.from('{"categoryId":1,"name":"a'),
      Buffer.from(bytes),
      Buffer.from('"}'),
    ])
    assertError(await app.post('/v1/pets', body), 400, 'invalid_json', String(bytes))
  }
  for (const body of [
    Buffer.from(`\ufeff${JSON.stringify(REX)}`),
    Buffer.from(JSON.stringify(REX), 'utf16le'),
  ]) {
    assertError(await app.post('/v1/pets', body), 400, 'invalid_json', body.toString('hex'))
  }
  await assertUnchanged(app)
})

test('POST /v1/pets with unusual characters in the name: 201, and the name is returned byte for byte', async (t) => {
  const { get, post } = await startUnlimited(t)
  const names = list(
    'Zoë|Zoe\u0308|\ufeffRex|a\u2028b\u2029c|\u202exeR|\u200b|\uffff\ufffe|\ufffd|\u{10ffff}|ﷺ|a\u0301\u0302\u0303',
    "\"\\/<>&'%|'; drop table pet; --|$(name)|__proto__|null",
  )
  for (const name of names) {
    const { status, body } = await post('/v1/pets', { ...REX, name })
    assert.equal(status, 201, name)
    for (const text of [
      (await get(`/v1/pets/${body.id}`)).text,
      (await get('/v1/pets?limit=1')).text.slice(1, -1),
    ]) {
      assert.deepEqual(JSON.parse(text), { id: body.id, ...REX, name })
    }
  }
})

test('POST /v1/pets with a body that is not an object, or not JSON: 400', async (t) => {
  const app = await startUnlimited(t)
  const rex = JSON.stringify(REX)
  const others = list('[]|[1]|null|true|false|0|1|9007199254740993|""|"x"')
  for (const body of [...others, `[${rex}]`, JSON.stringify(rex)]) {
    await assertInvalid(app, body, [' invalid_type'])
  }
  await assertInvalid(app, '{}', ['/name missing', '/categoryId missing'])
  await assertInvalid(app, '{"Name":"a","category_id":1}', ['/name missing', '/categoryId missing'])
  await assertInvalid(app, '{"name":1,"status":2}', [
    '/categoryId missing',
    '/name invalid_type',
    '/status invalid_type',
  ])
  await assertInvalid(app, '{"name":"","categoryId":9007199254740993,"status":"x"}', [
    '/name invalid_value',
    '/status invalid_value',
    '/categoryId unknown_category',
  ])

  const broken = list(
    `| |{|${rex.slice(0, -1)}|${rex}}|${rex}${rex}|${rex},|{'name':'a'}|{"name":"a",}|name=a`,
  )
  const twice = [
    '{"name":"a","name":"b","categoryId":1}',
    '{"name":"a","n\\u0061me":"b","categoryId":1}',
    '{"name":"a","categoryId":1,"x":{"y":1,"y":1}}',
  ]
  const deep = `{"name":"a","categoryId":1,"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
  for (const body of [...broken, ...twice, deep, `{"name":"${'\\"'.repeat(32_000)}`]) {
    assertError(await app.post('/v1/pets', body), 400, 'invalid_json', body.slice(0, 100))
  }
  assertError(await app.post('/v1/pets', undefined), 400, 'invalid_json', 'no body')
  const bare = await app.request('/v1/pets', { method: 'POST' })
  assertError(bare, 400, 'validation_failed', 'neither body nor type')
  await assertUnchanged(app)
})

test('POST and PATCH with a status of the wrong type: 400 that names the allowed values', async (t) => {
  const { post, request } = await startUnlimited(t)
  const headers = { 'content-type': 'application/json' }
  for (const status of [null, 7, true, [], {}, ['sold']]) {
    for (const answer of [
      await post('/v1/pets', { ...REX, status }),
      await request('/v1/pets/1', { method: 'PATCH', body: { status }, headers }),
    ]) {
      assertError(answer, 400, 'validation_failed', JSON.stringify(status))
      const message = 'This must be one of: available, pending, sold.'
      assert.deepEqual(answer.body.details, [{ pointer: '/status', code: 'invalid_type', message }])
    }
    const { body } = await request('/v1/store/orders/1', { method: 'PATCH', body: { status }, headers })
    assert.equal(body.details[0].message, 'This must be one of: placed, approved, completed, cancelled.')
  }
})

test('POST /v1/pets with unknown members: 201, and the unknown members are not stored', async (t) => {
  const { get, post } = await startUnlimited(t)
  const prototype = Reflect.ownKeys(Object.prototype)
  const unknown = list(
    '"id":77|"id":null,"ID":1|"a":null,"b":[1,{"c":1e400}],"d":1e-400',
    '"constructor":{"prototype":{"polluted":1}}',
    '"prototype":{"polluted":1},"toString":"x","valueOf":1,"hasOwnProperty":0',
    '"toJSON":"x","then":"y","length":3,"inspect":1',
    '"":1,"/name":2,"name ":3,"Status":"sold","\\u0000":4',
  )
  let id = 1
  for (const members of unknown) {
    const answer = await post('/v1/pets', `{"name":"Rex","categoryId":1,${members}}`)
    id += 1
    assert.equal(answer.status, 201, members)
    assert.equal(answer.text, `{"id":${id},"name":"Rex","categoryId":1}`, members)
    assert.equal((await get(`/v1/pets/${id}`)).text, answer.text, members)
    assert.deepEqual(Reflect.ownKeys(Object.prototype), prototype, members)
    assert.equal(({} as { polluted?: unknown }).polluted, undefined)
  }
})

test('256 concurrent POST /v1/pets with many unknown members: each gets 201', async (t) => {
  const { post } = await startUnlimited(t)
  // The largest object that fits in 64 KiB: it takes 1.4 MB of memory.
  const body = `{"name":"Rex","categoryId":1,"x":[${Array(21_000).fill('{}').join()}]}`
  const answers = await Promise.all(Array.from({ length: 256 }, () => post('/v1/pets', body)))
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201])
})

test('POST /v1/pets with a member named __proto__: 400, and no prototype is changed', async (t) => {
  const app = await startUnlimited(t)
  const prototype = Reflect.ownKeys(Object.prototype)
  await assertInvalid(app, '{"name":"a","categoryId":1,"__proto__":{"polluted":1}}', [
    '/__proto__ invalid_value',
  ])
  await assertInvalid(app, '{"\\u005f_proto__":{"name":"a","categoryId":1}}', ['/__proto__ invalid_value'])
  await assertInvalid(app, '{"name":"a","categoryId":1,"x":[{"__proto__":{"polluted":1}}]}', [
    ' invalid_value',
  ])
  assert.deepEqual(Reflect.ownKeys(Object.prototype), prototype)
  await assertUnchanged(app)
})

test('POST /v1/pets with a body of 64 KiB gets 201; with one byte more it gets 413', async (t) => {
  const app = await startUnlimited(t)
  const rex = JSON.stringify(REX)
  const chunked = { 'transfer-encoding': 'chunked' }
  for (const headers of [{}, chunked]) {
    for (const size of [65_537, 70_000, 1_000_000]) {
      assertError(
        await app.post('/v1/pets', rex.padEnd(size), headers),
        413,
        'payload_too_large',
        String(size),
      )
    }
    assertError(await app.post('/v1/pets', 'x'.repeat(65_536), headers), 400, 'invalid_json', 'no JSON')
  }
  await assertUnchanged(app)
  for (const headers of [{}, chunked])
    assert.equal((await app.post('/v1/pets', rex.padEnd(65_536), headers)).status, 201)
})

test('POST /v1/pets with a Content-Encoding: 415, and nothing is stored', async (t) => {
  const app = await startUnlimited(t)
  const rex = JSON.stringify(REX)
  const bomb = gzipSync(Buffer.alloc(10_000_000))
  for (const coding of list(
    'gzip|GZIP|deflate|br|zstd|x|identity, gzip|gzip, identity|identity,identity||utf-8',
  )) {
    for (const body of [rex, gzipSync(rex), bomb]) {
      const answer = await app.post('/v1/pets', body, { 'content-encoding': coding })
      assertError(answer, 415, 'unsupported_media_type', coding)
    }
  }
  await assertUnchanged(app)
  assert.equal((await app.post('/v1/pets', rex, { 'content-encoding': 'Identity' })).status, 201)
})

test('POST /v1/pets with no Content-Type, or with two: 415, and nothing is stored', async (t) => {
  const app = await startUnlimited(t)
  const types = [
    undefined,
    ['application/json', 'application/json'],
    ['application/json', 'text/plain'],
    ['text/plain', 'application/json'],
  ]
  for (const type of types as (string | undefined)[]) {
    const answer = await app.request('/v1/pets', {
      method: 'POST',
      body: REX,
      headers: { 'content-type': type },
    })
    assertError(answer, 415, 'unsupported_media_type', String(type))
  }
  await assertUnchanged(app)
})

test('POST /v1/pets in another charset gets 415, and with a byte order mark 400; the message says so', async (t) => {
  const { post } = await startApp(t)
  for (const charset of ['utf8', 'latin1', '"UTF8"', 'utf-16']) {
    const type = `application/json; charset=${charset}`
    const answer = await post('/v1/pets', REX, { 'content-type': type })
    assertError(answer, 415, 'unsupported_media_type', type)
    assert.match(answer.body.message, /charset=utf-8/, type)
  }
  const text = await post('/v1/pets', REX, { 'content-type': 'text/plain; charset=utf8' })
  assert.match(text.body.message, /application\/json/)
  const marked = await post('/v1/pets', `\ufeff${JSON.stringify(REX)}`)
  assertError(marked, 400, 'invalid_json', 'BOM')
  assert.match(marked.body.message, /byte order mark/)
})
