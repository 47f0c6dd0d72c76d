import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeKey } from '../../src/testing/start-app.ts'
import { AdoptableClient, AdoptableError } from './client.ts'
import { startFront, startWithFront } from './testing/front.ts'
import { answered, limited, startClient } from './testing/start-client.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

const REX = { name: 'Rex', categoryId: 1 }

/** The error that a call must reject with. */
async function errorOf(call: Promise<unknown>): Promise<AdoptableError> {
  const error = await call.then(
    () => undefined,
    (caught) => caught,
  )
  assert.ok(error instanceof AdoptableError, String(error))
  return error
}

test('a request over the limit is sent again after the limit resets and succeeds', async (t) => {
  const { app, client, waits } = await startClient(t, { key: limited(2) })
  await client.listPets()
  await client.listPets()
  app.clock.now += 1_500
  const before = app.clock.now

  await client.deletePet({ petId: 9 }).catch(({ code }) => assert.equal(code, 'pet_not_found'))

  // 1.5 s of the 60 s window have passed and the service rounds up. The random wait adds half of 0.5 s.
  assert.deepEqual(waits, [59_250])
  assert.equal(app.clock.now, before + 59_250)
  assert.equal(answered(app, 429), 1)
})

test('300 concurrent requests with a key limited to 60 a minute all succeed, with at most one 429 per minute', async (t) => {
  const { app, client } = await startClient(t, {
    key: limited(60),
    settings: { BAN_AFTER_REFUSALS: '2' },
  })
  const start = app.clock.now

  const all = await Promise.all(Array.from({ length: 300 }, () => client.createPet(REX)))

  assert.equal(new Set(all.map(({ data }) => data.id)).size, 300)
  const late = app.clock.now - start - 4 * 60_000
  assert.ok(late >= 0 && late <= 4 * 500, `${late} ms later than the windows allow`)
  assert.equal(answered(app, 201), 300)
  assert.ok(answered(app, 429) <= 4, `${answered(app, 429)} refused`)
})

test('responses that arrive out of order do not raise the number of concurrent requests', async () => {
  const answers: ((remaining: number) => void)[] = []
  const send = () =>
    new Promise<Response>((resolve) => {
      answers.push((remaining) => {
        const headers = { 'x-ratelimit-limit': '60', 'x-ratelimit-reset': '60' }
        resolve(Response.json([], { headers: { ...headers, 'x-ratelimit-remaining': `${remaining}` } }))
      })
    })
  const client = new AdoptableClient({ baseUrl: 'http://127.0.0.1/v1', key: 'a', fetch: send })
  const calls = Array.from({ length: 20 }, () => client.listPets())
  await turn()
  const first = answers.splice(0)
  first.pop()?.(1)
  await calls[first.length]
  first.shift()?.(16)
  await calls[0]
  await turn()
  assert.equal(answers.length, 0)

  for (const answer of first) answer(2)
  for (let count = 16; count < 20; count += 1) {
    while (answers.length === 0) await turn()
    answers.shift()?.(1)
  }
  await Promise.all(calls)
})

test('clients that share a key and send many requests at once are not banned', async (t) => {
  const { app, settings } = await startClient(t, { key: limited(10), client: { retries: 20 } })
  const clients = Array.from({ length: 3 }, () => new AdoptableClient(settings))

  const all = await Promise.all(clients.flatMap((one) => Array.from({ length: 60 }, () => one.listPets())))

  assert.equal(all.length, 180)
  // A ban would last longer than any of them waits.
  assert.ok(answered(app, 429) > 0)
})

test('a Retry-After above maxWaitSeconds rejects the call immediately, and nothing more is sent', async (t) => {
  const { app, client, waits } = await startClient(t, {
    key: { plan: 'enterprise', limits: { perMinute: 1e9, perDay: 1 } },
  })
  await client.listPets()

  const refused = await errorOf(client.listPets())
  assert.deepEqual([refused.code, refused.status, refused.retryAfter], ['rate_limit_exceeded', 429, 86_400])
  app.clock.now += 10_000
  for (let count = 0; count < 300; count += 1) {
    const later = await errorOf(client.createPet(REX))
    assert.deepEqual([later.code, later.status, later.retryAfter], ['rate_limit_exceeded', 429, 86_390])
  }
  assert.equal(answered(app, 429), 1)
  assert.deepEqual(waits, [])

  app.clock.now += 86_390_000
  await client.listPets()
})

test('a later request waits for the Retry-After of an earlier 429', async (t) => {
  const { app, client, waits } = await startClient(t, { key: limited(1), client: { retries: 0 } })
  await client.listPets()
  assert.equal((await errorOf(client.listPets())).retryAfter, 60)
  app.clock.now += 20_000

  await client.listPets()

  assert.deepEqual(waits, [40_250])
  assert.equal(answered(app, 429), 1)
})

test('the number of attempts is limited, even after a 429', async (t) => {
  const { front, client, waits } = await startWithFront(t)
  const body = JSON.stringify({ code: 'rate_limit_exceeded', message: 'Wait.', status: 429 })
  front.replies = Array.from({ length: 9 }, () => ({ status: 429, headers: { 'retry-after': '1' }, body }))

  const { code, retryAfter } = await errorOf(client.createPet(REX))

  assert.deepEqual([code, retryAfter, front.seen.length], ['rate_limit_exceeded', 1, 3])
  assert.deepEqual(waits, [1_250, 1_500])
})

for (const status of [429, 503]) {
  test(`${status}: each wait is Retry-After plus a growing random time`, async (t) => {
    const { app, settings, waits } = await startClient(t)
    const front = await startFront(t, app.port)
    const replies = Array.from({ length: 5 }, () => ({ status, headers: { 'retry-after': '5' } }))

    for (const chance of [0, 0.5, 0.75]) {
      // maxWaitSeconds limits the named wait, not the random time.
      const own = { baseUrl: front.baseUrl, retries: 5, maxWaitSeconds: 5, random: () => chance }
      front.replies = [...replies]
      await new AdoptableClient({ ...settings, ...own }).listPets()
    }

    assert.deepEqual(waits.slice(0, 5), [5_000, 5_000, 5_000, 5_000, 5_000])
    assert.deepEqual(waits.slice(5, 10), [5_250, 5_500, 6_000, 7_000, 9_000])
    assert.deepEqual(waits.slice(10), [5_375, 5_750, 6_500, 8_000, 11_000])
  })
}

test('several 429s: the client waits until the latest Retry-After, plus the random wait of its first 429', async (t) => {
  const { settings, waits } = await startClient(t)
  const replies = ['5', '9', '9', '7'].map((seconds) => ({
    status: 429,
    headers: { 'retry-after': seconds },
  }))
  const answers = replies.map((reply) => new Response(null, reply))
  const chances = [0.9, 0.5, 0.1, 0.9]
  const client = new AdoptableClient({
    ...settings,
    retries: 0,
    random: () => chances.shift() ?? 0,
    fetch: async (...request) => answers.shift() ?? fetch(...request),
  })

  await Promise.all(replies.map(() => errorOf(client.listPets())))
  await client.listPets()

  assert.deepEqual(waits, [9_250])
})

test('503: waits for Retry-After in seconds or as a date, or a growing random time, and keeps the Idempotency-Key', async (t) => {
  const { front, client, app, waits } = await startWithFront(t, { retries: 5 })
  const date = new Date(app.clock.now + 3_000 + 7_000).toUTCString()
  front.replies = [
    { status: 503, headers: { 'retry-after': '3' } },
    { status: 503, headers: { 'retry-after': date } },
    { status: 502, body: 'Bad gateway' },
    { status: 503, headers: { 'retry-after': 'soon' } },
    { status: 504 },
  ]

  const { data } = await client.createPet(REX)

  assert.equal(data.id, 1)
  // Plus half of the current bound, because the test's random number is 0.5.
  assert.deepEqual(waits, [3_250, 7_500, 1_000, 2_000, 4_000])
  const keys = front.seen.map(({ headers }) => headers['idempotency-key'])
  assert.match(String(keys[0]), /^[0-9a-f]{32}$/)
  assert.deepEqual(new Set(keys).size, 1)
})

test('a DELETE is not sent again after a 503', async (t) => {
  const { front, client } = await startWithFront(t)
  front.replies = [{ status: 503, headers: { 'retry-after': '1' } }]

  assert.deepEqual((await errorOf(client.deletePet({ petId: 1 }))).status, 503)
  assert.equal(front.seen.length, 1)
})

test('a connection lost after a POST arrived: the animal is added once and returned', async (t) => {
  // Waits take no time here, so the first attempt may still be running during many later attempts.
  const { proxy, client } = await startClient(t, { client: { retries: 1_000 } })
  let sent = 0
  proxy.onSend = (bytes) => bytes.includes('POST /v1/pets') && ++sent === 1

  const { data, headers } = await client.createPet(REX)

  assert.ok(sent >= 2)
  assert.equal((await client.listPets()).data.length, 1)
  assert.deepEqual([data.id, headers.get('idempotent-replayed')], [1, 'true'])
})

test('after a lost connection GET and PATCH are sent again, DELETE is not', async (t) => {
  const { proxy, client } = await startClient(t, { client: { retries: 1_000 } })
  await client.createPet(REX)
  const sent = { GET: 0, PATCH: 0, DELETE: 0 }
  proxy.onSend = (bytes) => {
    const [method] = String(bytes).split(' ') as [keyof typeof sent]
    sent[method] += 1
    return sent[method] === 1
  }

  assert.equal((await client.listPets()).data.length, 1)
  assert.equal((await client.updatePet({ petId: 1, name: 'Max' })).data.name, 'Max')
  const { code, status } = await errorOf(client.deletePet({ petId: 1 }))
  assert.deepEqual([code, status], ['connection_failed', 0])
  assert.deepEqual([sent.GET, sent.PATCH >= 2, sent.DELETE], [2, true, 1])
})

test('on a plain http page each call gets its own Idempotency-Key', async (t) => {
  const { front, client } = await startWithFront(t)
  // Available only on https and localhost pages.
  t.mock.property(Crypto.prototype, 'randomUUID', undefined)

  await client.createPet(REX)
  await client.createPet(REX)
  await client.updatePet({ petId: 1, name: 'Max' })

  const keys = front.seen.map(({ headers }) => headers['idempotency-key'])
  assert.equal(new Set(keys).size, 3)
  for (const key of keys) assert.match(String(key), /^[0-9a-f]{32}$/)
})

test('an idempotencyKey passed to a call is sent, so repeating the call changes nothing', async (t) => {
  const { client } = await startClient(t)
  const options = { idempotencyKey: 'intake-4711' }

  const first = await client.createPet(REX, options)
  const again = await client.createPet(REX, options)

  assert.deepEqual(again.data, first.data)
  assert.equal(
    (await errorOf(client.createPet({ ...REX, name: 'Max' }, options))).code,
    'idempotency_key_reused',
  )
})

test('a 409 idempotency_key_in_use is sent again after a short wait', async (t) => {
  const { front, client, waits } = await startWithFront(t)
  const body = JSON.stringify({ code: 'idempotency_key_in_use', message: 'Again.', status: 409 })
  front.replies = [{ status: 409, body }]

  assert.equal((await client.createPet(REX)).data.id, 1)
  assert.deepEqual(waits, [250])
})

test('a response after timeoutSeconds counts as a lost connection', async (t) => {
  const { proxy, settings } = await startClient(t)
  proxy.mode = 'stall'
  const client = new AdoptableClient({ ...settings, timeoutSeconds: 0.05, retries: 1 })

  const { code, cause } = await errorOf(client.listPets())

  assert.deepEqual([code, String(cause)], ['connection_failed', 'Error: The response took too long.'])
})

test('a client waits until a ban caused by other clients of its key has ended', async (t) => {
  const { app, client, waits } = await startClient(t, {
    key: limited(1),
    settings: { BAN_AFTER_REFUSALS: '1' },
    client: { maxWaitSeconds: 900 },
  })
  for (let count = 0; count < 3; count += 1) await app.get('/v1/pets')

  await client.listPets()

  assert.deepEqual(waits, [900_250])
})

test('clients with different keys do not wait for each other', async (t) => {
  const { app, settings, client, waits } = await startClient(t, { key: limited(1), client: { retries: 0 } })
  const other = new AdoptableClient({ ...settings, key: await makeKey(app.databaseUrl) })
  await client.listPets()
  await errorOf(client.listPets())

  await other.listPets()

  assert.deepEqual(waits, [])
})
