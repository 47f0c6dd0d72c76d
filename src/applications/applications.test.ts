import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError } from '../testing/client.ts'
import { makeKey, startApp, type TestApp, UNLIMITED } from '../testing/start-app.ts'

const APPLICANT = {
  name: 'Ada Applicant',
  email: 'ada@example.org',
  phone: '+49 30 1',
  address: 'Street 1\nBerlin',
}
const WHOLE = {
  applicant: APPLICANT,
  message: 'We have\na garden.',
  answers: [{ question: 'Who is at home?', answer: 'I am.\nAlways.' }],
}
const AT = '2026-12-01T00:00:00.000Z'
const AT_ONE = '2026-12-01T00:01:00.000Z'

async function addPet({ post }: TestApp, members: object = {}): Promise<number> {
  return (await post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'available', ...members })).body.id
}

async function apply({ post }: TestApp, petId: unknown, members: object = WHOLE): Promise<number> {
  const answer = await post('/v1/applications', { petId, ...members })
  assert.equal(answer.status, 201, answer.text)
  return answer.body.id
}

const decide = ({ patch }: TestApp, id: number, body: object, headers = {}) =>
  patch(`/v1/applications/${id}`, body, headers)
const closeOrder = async ({ patch }: TestApp, id: number, status: 'completed' | 'cancelled') =>
  assert.equal((await patch(`/v1/store/orders/${id}`, { status })).status, 200)
const statusOf = async ({ get }: TestApp, petId: number) => (await get(`/v1/pets/${petId}`)).body.status

/** The status of each application by id, with the reason if the service has set one. */
async function statuses({ get }: TestApp): Promise<Record<number, string>> {
  const { body } = await get('/v1/applications?limit=100')
  return Object.fromEntries(
    body.map((one: { id: number; status: string; reason?: string }) => [
      one.id,
      [one.status, one.reason].filter(Boolean).join(': '),
    ]),
  )
}

test('PATCH /v1/applications/{id} to approved places an order; completing it declines the other applications', async (t) => {
  const app = await startApp(t)
  const petId = await addPet(app)
  const sent = await app.post('/v1/applications', { petId, ...WHOLE, status: 'approved', id: 7, note: 'x' })
  const received = { id: 1, petId, status: 'received', receivedAt: AT, ...WHOLE }
  assert.deepEqual([sent.status, sent.body], [201, received])
  assert.equal(sent.headers.location, 'http://pets.example/v1/applications/1')
  assert.equal(await statusOf(app, petId), 'available', 'an application does not reserve the animal')
  const others = [await apply(app, petId), await apply(app, petId), await apply(app, petId)]
  app.clock.now += 60_000

  const looked = await decide(app, 1, { status: 'in_review', note: 'Called.' })
  assert.deepEqual(looked.body, { ...received, status: 'in_review', note: 'Called.' })
  const approved = await decide(app, 1, { status: 'approved' })

  const decided = { status: 'approved', decidedAt: AT_ONE, decidedBy: 1, orderId: 1, note: 'Called.' }
  assert.deepEqual([approved.status, approved.body], [200, { ...received, ...decided }])
  assert.deepEqual(
    (await decide(app, 1, { status: 'approved' })).body,
    approved.body,
    'the same status again changes nothing',
  )
  const { address: _, ...adopter } = APPLICANT
  assert.deepEqual((await app.get('/v1/store/orders/1')).body, {
    ...{ id: 1, petId, status: 'approved', placedAt: AT_ONE, decidedAt: AT_ONE },
    adopter: { ...adopter, message: WHOLE.message },
  })
  assert.equal(await statusOf(app, petId), 'pending')
  await decide(app, others[0] ?? 0, { status: 'declined', reply: 'Too small a flat.' })
  await decide(app, others[1] ?? 0, { status: 'in_review' })
  await closeOrder(app, 1, 'completed')
  assert.deepEqual(await statuses(app), {
    1: 'approved',
    2: 'declined',
    3: 'declined: adopted',
    4: 'declined: adopted',
  })
  assert.equal(await statusOf(app, petId), 'sold')
  assert.deepEqual((await app.get('/v1/applications/1')).body, approved.body)
  for (const id of [1, 2, 3])
    assertError(await decide(app, id, { status: 'withdrawn' }), 409, 'application_closed', String(id))
  assert.equal((await decide(app, 1, { note: 'A happy home.' })).body.note, 'A happy home.')
  const refused = await app.post('/v1/applications', { petId, ...WHOLE })
  assertError(refused, 409, 'pet_not_available', 'a sold animal')
})

test('cancelling the order puts the approved application back in review and leaves the others', async (t) => {
  const app = await startApp(t)
  const petId = await addPet(app)
  for (let count = 0; count < 3; count += 1) await apply(app, petId)
  await decide(app, 2, { status: 'in_review' })
  await decide(app, 1, { status: 'approved' })

  await closeOrder(app, 1, 'cancelled')

  assert.deepEqual(await statuses(app), { 1: 'in_review', 2: 'in_review', 3: 'received' })
  assert.equal(await statusOf(app, petId), 'available')
  const { body } = await app.get('/v1/applications/1')
  assert.deepEqual([body.orderId, body.decidedAt, body.decidedBy], [undefined, undefined, undefined])
  assert.equal((await decide(app, 1, { status: 'approved' })).body.orderId, 2)
  assert.equal((await app.delete('/v1/store/orders/2')).status, 204)
  assert.equal((await decide(app, 3, { status: 'approved' })).body.orderId, 3)
})

test('PATCH /v1/applications/{id} from approved to another status cancels its order', async (t) => {
  const app = await startApp(t)
  for (const [status, becomes] of [
    ['declined', 'declined'],
    ['withdrawn', 'withdrawn'],
    ['in_review', 'in_review'],
  ] as const) {
    const petId = await addPet(app)
    const id = await apply(app, petId)
    const { orderId } = (await decide(app, id, { status: 'approved' })).body
    const after = await decide(app, id, { status, reply: 'Something came up.' })
    assert.deepEqual([after.status, after.body.status, after.body.orderId], [200, becomes, undefined])
    assert.equal((await app.get(`/v1/store/orders/${orderId}`)).body.status, 'cancelled')
    assert.equal(await statusOf(app, petId), 'available')
  }
})

test('approving an application for an animal with an order: 409 pet_not_available', async (t) => {
  const app = await startApp(t)
  const petId = await addPet(app)
  const adopter = { name: 'Ada', email: 'ada@example.org' }
  const [first, second] = [await apply(app, petId), await apply(app, petId)]
  await app.post('/v1/store/orders', { petId, adopter })
  assert.equal(await apply(app, petId), 3, 'people may still apply for a pending animal')
  assertError(await decide(app, first, { status: 'approved' }), 409, 'pet_not_available', 'ordered')
  await app.delete('/v1/store/orders/1')
  await decide(app, first, { status: 'approved' })
  assertError(
    await decide(app, second, { status: 'approved', note: 'x' }),
    409,
    'pet_not_available',
    'approved',
  )
  assert.deepEqual(await statuses(app), { 1: 'approved', 2: 'received', 3: 'received' })
  assert.equal((await app.get('/v1/applications/2')).body.note, undefined)
})

test('12 applications for one animal are approved at once: one gets 200, the others get 409 pet_not_available', async (t) => {
  const app = await startApp(t, { key: UNLIMITED })
  const petId = await addPet(app)
  const ids = await Promise.all(Array.from({ length: 12 }, () => apply(app, petId)))
  assert.equal(new Set(ids).size, 12)

  const answers = await Promise.all(ids.map((id) => decide(app, id, { status: 'approved' })))

  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  for (const answer of answers.filter(({ status }) => status !== 200))
    assertError(answer, 409, 'pet_not_available', 'all others')
  assert.equal((await app.get('/v1/store/orders')).body.length, 1)
})

test('one application is approved 8 times at once: every request gets 200, and one order is placed', async (t) => {
  const app = await startApp(t, { key: UNLIMITED })
  const id = await apply(app, await addPet(app))
  const answers = await Promise.all(Array.from({ length: 8 }, () => decide(app, id, { status: 'approved' })))
  assert.deepEqual([...new Set(answers.map(({ status, body }) => `${status} ${body.orderId}`))], ['200 1'])
  assert.equal((await app.get('/v1/store/orders')).body.length, 1)
})

test('POST /v1/applications while the order is completed: the application is declined or gets 409, and no application stays open', async (t) => {
  const app = await startApp(t, { key: UNLIMITED })
  for (let round = 0; round < 5; round += 1) {
    const petId = await addPet(app)
    const id = await apply(app, petId)
    const { orderId } = (await decide(app, id, { status: 'approved' })).body
    const sending = Array.from({ length: 10 }, () => app.post('/v1/applications', { petId, ...WHOLE }))
    const [, ...answers] = await Promise.all([closeOrder(app, orderId, 'completed'), ...sending])
    for (const { status, text } of answers) assert.ok(status === 201 || status === 409, text)
    assert.deepEqual((await app.get(`/v1/applications?petId=${petId}&status=received`)).body, [])
  }
})

test('PATCH /v1/applications/{id} with an impossible status: 409 that names the possible statuses', async (t) => {
  const app = await startApp(t)
  const id = await apply(app, await addPet(app))
  await decide(app, id, { status: 'in_review' })
  const back = await decide(app, id, { status: 'received' })
  assertError(back, 409, 'invalid_status_transition', 'in_review to received')
  assert.match(back.body.message, /approved or declined or withdrawn/)
  await decide(app, id, { status: 'approved' })
  assertError(await decide(app, id, { status: 'received' }), 409, 'invalid_status_transition', 'approved')
  assert.equal((await decide(app, id, {})).status, 200)
  assert.equal((await decide(app, id, { note: null })).status, 200)
})

test('removing or selling an animal declines its open applications and keeps its decided applications', async (t) => {
  const app = await startApp(t)
  for (const end of ['removed', 'sold'] as const) {
    const petId = await addPet(app)
    const [first, second] = [await apply(app, petId), await apply(app, petId)]
    await decide(app, first, { status: 'declined' })
    if (end === 'removed') assert.equal((await app.delete(`/v1/pets/${petId}`)).status, 204)
    else assert.equal((await app.patch(`/v1/pets/${petId}`, { status: 'sold' })).status, 200)
    const { [first]: early, [second]: late } = await statuses(app)
    assert.deepEqual(
      [early, late],
      ['declined', `declined: ${end === 'sold' ? 'adopted' : 'animal_removed'}`],
    )
    assert.equal((await app.get(`/v1/applications/${second}`)).body.decidedBy, 1)
  }
})

test('DELETE or PATCH of an animal refused with order_open leaves its applications open', async (t) => {
  const app = await startApp(t)
  const petId = await addPet(app)
  await apply(app, petId)
  await app.post('/v1/store/orders', { petId, adopter: { name: 'Ada', email: 'ada@example.org' } })
  assertError(await app.delete(`/v1/pets/${petId}`), 409, 'order_open', 'DELETE')
  assertError(await app.patch(`/v1/pets/${petId}`, { status: 'sold' }), 409, 'order_open', 'PATCH')
  assert.deepEqual(await statuses(app), { 1: 'received' })
})

test('approving an application for a bonded animal orders all bonded animals; completing declines the other applications', async (t) => {
  const app = await startApp(t)
  const one = await addPet(app)
  const other = await addPet(app, { bondedWith: [one] })
  for (const petId of [one, other, other]) await apply(app, petId)

  const { orderId } = (await decide(app, 2, { status: 'approved' })).body

  const order = (await app.get(`/v1/store/orders/${orderId}`)).body
  assert.deepEqual([order.petId, order.alsoPetIds], [other, [one]])
  assert.equal(await statusOf(app, one), 'pending')
  await closeOrder(app, orderId, 'completed')
  assert.deepEqual(await statuses(app), { 1: 'declined: adopted', 2: 'approved', 3: 'declined: adopted' })
})

test('GET /v1/applications returns pages, filtered by status and animal', async (t) => {
  const app = await startApp(t, { key: UNLIMITED })
  const pets = [await addPet(app), await addPet(app)]
  for (let count = 1; count <= 7; count += 1) {
    await apply(app, pets[count % 2])
    if (count % 3 === 0) await decide(app, count, { status: 'in_review' })
  }
  const readPages = async (query: string): Promise<number[]> => {
    const ids: number[] = []
    let next: string | undefined = `/v1/applications?${query}`
    while (next !== undefined) {
      const { body, headers } = await app.get(next)
      ids.push(...body.map(({ id }: { id: number }) => id))
      next = /<http:\/\/pets\.example([^>]*)>; rel="next"/.exec(String(headers.link))?.[1]
    }
    return ids
  }
  assert.deepEqual(await readPages('limit=2'), [7, 6, 5, 4, 3, 2, 1])
  assert.deepEqual(await readPages('limit=1&status=in_review'), [6, 3])
  assert.deepEqual(await readPages(`limit=1&petId=${pets[0]}`), [6, 4, 2])
  assert.deepEqual(await readPages(`petId=${pets[1]}&status=received`), [7, 5, 1])
  const { headers } = await app.get('/v1/applications?limit=2')
  const [, cursor] = /cursor=([^>&]+)/.exec(String(headers.link)) ?? []
  for (const [query, code] of [
    [`status=received&cursor=${cursor}`, 'invalid_cursor'],
    ['status=open', 'invalid_parameter'],
    ['petId=x', 'invalid_parameter'],
    ['limit=101', 'invalid_parameter'],
  ] as const)
    assertError(await app.get(`/v1/applications?${query}`), 400, code, query)
  assertError(
    await app.get(`/v1/store/orders?cursor=${cursor}`),
    400,
    'invalid_cursor',
    'a cursor of another list',
  )
})

test('POST or PATCH of an application with an invalid member: 400 that names it, and nothing is stored', async (t) => {
  const app = await startApp(t, { key: UNLIMITED })
  const petId = await addPet(app)
  const one = { question: 'Why?', answer: 'So.' }
  for (const [members, pointer] of [
    [{ applicant: undefined }, '/applicant'],
    [{ applicant: 'Ada' }, '/applicant'],
    [{ applicant: { ...APPLICANT, name: ' ' } }, '/applicant/name'],
    [{ applicant: { ...APPLICANT, name: 'x'.repeat(201) } }, '/applicant/name'],
    [{ applicant: { ...APPLICANT, email: 'ada' } }, '/applicant/email'],
    [{ applicant: { ...APPLICANT, email: 'ada@example.org\nBcc: b@example.org' } }, '/applicant/email'],
    [{ applicant: { ...APPLICANT, phone: null } }, '/applicant/phone'],
    [{ applicant: { ...APPLICANT, address: 'x'.repeat(501) } }, '/applicant/address'],
    [{ message: 'x'.repeat(2_001) }, '/message'],
    [{ message: 'a\u0000' }, '/message'],
    [{ answers: 'x' }, '/answers'],
    [{ answers: [] }, '/answers'],
    [{ answers: Array.from({ length: 31 }, () => one) }, '/answers'],
    [{ answers: [one, { question: 'Why?' }] }, '/answers/1/answer'],
    [{ answers: [{ ...one, question: 'a\nb' }] }, '/answers/0/question'],
    [{ answers: [{ ...one, answer: 'x'.repeat(2_001) }] }, '/answers/0/answer'],
    [{ petId: '1' }, '/petId'],
    [{ petId: undefined }, '/petId'],
    [{ petId: 1.5 }, '/petId'],
  ] as const) {
    const answer = await app.post('/v1/applications', { petId, ...WHOLE, ...members })
    assertError(answer, 400, 'validation_failed', JSON.stringify(members).slice(0, 200))
    const pointers = answer.body.details.map((detail: { pointer: string }) => detail.pointer)
    assert.ok(pointers.includes(pointer), answer.text)
    assert.doesNotMatch(answer.text, /Ada|example\.org/)
  }
  for (const id of [0, 77, -1, Number.MAX_SAFE_INTEGER])
    assertError(await app.post('/v1/applications', { ...WHOLE, petId: id }), 404, 'pet_not_found', String(id))
  const exact = `{"petId": 9007199254740993, "applicant": ${JSON.stringify(APPLICANT)}}`
  assertError(await app.post('/v1/applications', exact), 404, 'pet_not_found', exact)
  const unlisted = await addPet(app, { status: undefined })
  assertError(await app.post('/v1/applications', { ...WHOLE, petId: unlisted }), 409, 'pet_not_available', '')
  assert.deepEqual((await app.get('/v1/applications')).body, [])
  await apply(app, petId)
  for (const [body, pointer] of [
    [{ status: null }, '/status'],
    [{ status: 'adopted' }, '/status'],
    [{ note: 7 }, '/note'],
    [{ reply: 'x'.repeat(5_001) }, '/reply'],
  ] as const) {
    const answer = await decide(app, 1, body)
    assertError(answer, 400, 'validation_failed', pointer)
    assert.equal(answer.body.details[0].pointer, pointer)
  }
  for (const id of ['x', '0', '2', '9223372036854775808'])
    assertError(await app.get(`/v1/applications/${id}`), 404, 'application_not_found', id)
  assert.deepEqual(await statuses(app), { 1: 'received' })
})

test('POST /v1/applications with unknown members does not store them', async (t) => {
  const app = await startApp(t)
  const petId = await addPet(app)
  const more = { secret: 'Unexpected.' }
  const body = {
    ...WHOLE,
    petId,
    applicant: { ...APPLICANT, ...more },
    answers: [{ ...WHOLE.answers[0], ...more }],
  }
  const { body: stored } = await app.post('/v1/applications', body)
  assert.deepEqual([stored.applicant, stored.answers], [APPLICANT, WHOLE.answers])
})

test('POST /v1/applications twice with one Idempotency-Key: one application, and its stored result has no personal data', async (t) => {
  const app = await startApp(t)
  const petId = await addPet(app)
  const send = () => app.post('/v1/applications', { petId, ...WHOLE }, { 'idempotency-key': 'once' })
  const [first, second] = [await send(), await send()]
  assert.deepEqual([second.status, second.headers['idempotent-replayed']], [201, 'true'])
  assert.equal(second.text, first.text)
  const approve = () =>
    decide(
      app,
      1,
      { status: 'approved', note: 'Ada is kind.', reply: 'Welcome, Ada.' },
      { 'idempotency-key': 'a' },
    )
  const [approved, again] = [await approve(), await approve()]
  assert.deepEqual([again.text, again.headers['idempotent-replayed']], [approved.text, 'true'])
  assert.equal((await app.get('/v1/store/orders')).body.length, 1)
  assert.deepEqual(await statuses(app), { 1: 'approved' })
  const results = await app.service.context.db.selectFrom('idempotency').select('result').execute()
  assert.equal(results.length, 2)
  assert.doesNotMatch(JSON.stringify(results), /ada|garden|kind|welcome|always/i)
  assert.doesNotMatch(app.log.join(), /Ada|example\.org|garden/)
})

test('GET /v1/applications is sent with no-store, without an ETag and without compression', async (t) => {
  const app = await startApp(t, { key: UNLIMITED })
  const petId = await addPet(app)
  for (let count = 0; count < 20; count += 1) await apply(app, petId)
  for (const path of ['/v1/applications', '/v1/applications/1']) {
    const { status, headers } = await app.get(path, { 'accept-encoding': 'br, gzip' })
    assert.deepEqual(
      [status, headers['cache-control'], headers['content-encoding']],
      [200, 'no-store', undefined],
    )
    assert.equal(headers.etag, undefined)
  }
})

test('a key sees the applications that it sent, an organization sees those for its animals, an admin key sees all', async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  for (const code of ['CO1', 'UT2']) await app.post('/v1/organizations', { name: code, code })
  const keyOf = async (access: 'read' | 'write', organizationId?: number) => ({
    authorization: `Bearer ${await makeKey(app.databaseUrl, { ...UNLIMITED, access, organizationId })}`,
  })
  const callers = {
    admin: {},
    write: await keyOf('write'),
    other: await keyOf('write'),
    read: await keyOf('read'),
    one: await keyOf('write', 1),
    two: await keyOf('write', 2),
    readOne: await keyOf('read', 1),
  }
  const pets = [
    await addPet(app),
    await addPet(app, { organizationId: 1 }),
    await addPet(app, { organizationId: 2 }),
  ]
  const send = (petId: number | undefined, as: object) =>
    app.post('/v1/applications', { petId, ...WHOLE }, { ...as })
  // Keys without an organization sent 1 to 3, keys of organizations sent 4 and 5, the admin key sent 6.
  for (const petId of pets) assert.equal((await send(petId, callers.write)).status, 201)
  assert.equal((await send(pets[1], callers.one)).status, 201)
  assert.equal((await send(pets[2], callers.two)).status, 201)
  assert.equal((await send(pets[1], callers.admin)).status, 201)
  for (const petId of [pets[0], pets[2]])
    assertError(await send(petId, callers.one), 403, 'other_organization', String(petId))

  const seen: Record<string, number[]> = {
    admin: [6, 5, 4, 3, 2, 1],
    write: [3, 2, 1],
    other: [],
    read: [],
    one: [6, 4, 2],
    two: [5, 3],
    readOne: [],
  }
  for (const [name, as] of Object.entries(callers)) {
    const idsIn = async (query: string) =>
      (await app.get(`/v1/applications${query}`, as)).body.map(({ id }: { id: number }) => id)
    assert.deepEqual(await idsIn(''), seen[name], name)
    const ids = []
    for (const petId of pets) ids.push(...(await idsIn(`?petId=${petId}`)))
    assert.deepEqual(ids.toSorted(), seen[name]?.toSorted(), name)
    for (const id of [1, 2, 3, 4, 5, 6]) {
      const isSeen = seen[name]?.includes(id)
      const got = await app.get(`/v1/applications/${id}`, as)
      if (isSeen) assert.equal(got.status, 200)
      else assertError(got, 404, 'application_not_found', `${name} ${id}`)
      if (name.startsWith('read')) continue
      const patched = await decide(app, id, { note: `By ${name}` }, as)
      if (isSeen) assert.equal(patched.status, 200)
      else assertError(patched, 404, 'application_not_found', `${name} ${id}`)
    }
  }
  assert.equal((await decide(app, 4, { status: 'approved' }, callers.one)).status, 200)
  assert.equal((await app.get('/v1/store/orders', callers.one)).body.length, 1)
  assert.deepEqual((await app.get('/v1/store/orders', callers.two)).body, [])
})

test('PATCH of organizationId moves the open applications of the animal, but not its decided applications', async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  for (const code of ['CO1', 'UT2']) await app.post('/v1/organizations', { name: code, code })
  const of = async (organizationId: number) => ({
    authorization: `Bearer ${await makeKey(app.databaseUrl, { ...UNLIMITED, organizationId })}`,
  })
  const [one, two] = [await of(1), await of(2)]
  const petId = await addPet(app, { organizationId: 1 })
  for (let count = 0; count < 2; count += 1) await apply(app, petId)
  await decide(app, 1, { status: 'declined' })
  const look = () =>
    decide(
      app,
      2,
      { status: 'in_review', note: 'By one.', reply: 'Dear Ada.' },
      { ...one, 'idempotency-key': 'look' },
    )
  assert.equal((await look()).body.note, 'By one.')

  assertError(
    await app.patch(`/v1/pets/${petId}`, { organizationId: 9 }),
    400,
    'validation_failed',
    'unknown',
  )
  assert.equal((await app.patch(`/v1/pets/${petId}`, { organizationId: 2 })).status, 200)

  const idsSeenBy = async (as: object) =>
    (await app.get('/v1/applications', { ...as })).body.map(({ id }: { id: number }) => id)
  assert.deepEqual([await idsSeenBy(one), await idsSeenBy(two)], [[1], [2]])
  const { text } = await app.get('/v1/applications', { ...two })
  assert.match(text, /Dear Ada/, 'the applicant can read the reply')
  assert.doesNotMatch(text, /By one/, 'the note was for staff of the first organization')
  assert.doesNotMatch((await app.get('/v1/applications/2')).text, /By one/)
  const approved = await decide(app, 2, { status: 'approved', note: 'By two.' }, two)
  assert.deepEqual([approved.status, approved.body.note], [200, 'By two.'])
  const replayed = await look()
  assert.deepEqual([replayed.status, replayed.headers['idempotent-replayed']], [200, 'true'])
  assert.doesNotMatch(
    replayed.text,
    /By|Ada/,
    'a replay shows no data that now belongs to another organization',
  )
  assertError(await app.delete('/v1/organizations/2'), 409, 'organization_in_use', 'DELETE')
})

test('GET /v1/applications reads at most 25 rows at once, and pages of every size have all applications', async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  const petId = await addPet(app)
  for (let count = 0; count < 60; count += 1) await apply(app, petId, { applicant: APPLICANT })
  const executor = app.service.context.db.getExecutor()
  const execute = executor.executeQuery
  let maxRows = 0
  executor.executeQuery = async (query, ...more) => {
    const result = await execute.call(executor, query, ...more)
    if (query.sql.includes('from "application"')) maxRows = Math.max(maxRows, result.rows.length)
    return result as never
  }
  const newestFirst = Array.from({ length: 60 }, (_, index) => 60 - index)
  for (const limit of [20, 24, 25, 26, 50, 59, 60, 100]) {
    const ids: number[] = []
    for (let path: string | undefined = `/v1/applications?limit=${limit}`; path; ) {
      const { body, headers } = await app.get(path)
      assert.ok(body.length <= limit)
      ids.push(...body.map(({ id }: { id: number }) => id))
      const [, next] = /<[^>]*(\/v1\/applications[^>]*)>; rel="next"/.exec(String(headers.link)) ?? []
      path = next
    }
    assert.deepEqual(ids, newestFirst, String(limit))
  }
  assert.equal(maxRows, 25)
})
