import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doJobs } from '../testing/jobs.ts'
import { startApp, UNLIMITED } from '../testing/start-app.ts'
import { MEMBERS } from './fields.ts'

/** An animal with every member, in the order of responses. */
const WHOLE = {
  name: 'Rex',
  categoryId: 1,
  status: 'available',
  species: 'Sheepdog',
  breed: { primary: 'Border Collie', secondary: 'Kelpie', mixed: true, unknown: false },
  colors: ['Black', 'White'],
  coat: 'long',
  age: 'young',
  sex: 'male',
  size: 'medium',
  weightGrams: 18_500,
  description: 'Likes water.\nAnd "quotes", \u2028 and 🐾.',
  traits: {
    spayedNeutered: true,
    houseTrained: true,
    declawed: false,
    specialNeeds: false,
    vaccinated: true,
  },
  goodWith: { children: true, dogs: true, cats: false },
  tags: ['Runner', 'Swimmer'],
  fee: { amount: 25_000, currency: 'EUR' },
  videos: ['https://videos.example/rex?a=1&b=%20'],
  contact: { name: 'Front desk', email: 'desk@shelter.example', phone: '+31 20 000 0000' },
  place: {
    city: 'Utrecht',
    region: 'UT',
    postcode: '3511',
    country: 'NL',
    latitude: 52.09083,
    longitude: 5.12222,
  },
  staff: {
    microchip: '528140000000000',
    intakeDate: '2026-01-05',
    intakeKind: 'stray',
    intakeNote: 'Found at the\nstation.',
    kennel: 'B2',
    notes: 'Pulls on the lead.',
    fosterName: 'Sam Foster',
    fosterEmail: 'sam@foster.example',
    fosterPhone: '555 0101',
    datedNotes: [{ date: '2026-02-01', kind: 'medical', text: 'Vaccinated.\nNext in a year.' }],
  },
}
const NOW = Date.UTC(2026, 10, 23, 12)

const start = (t: Parameters<typeof startApp>[0]) => startApp(t, { key: UNLIMITED, now: NOW })

test('every member is returned as it was sent, for one animal and in lists', async (t) => {
  const { post, get } = await start(t)
  assert.deepEqual(
    MEMBERS.filter((member) => !(member in WHOLE)),
    ['externalId', 'organizationId', 'birthDate', 'birthDateExact', 'bondedWith'],
  )
  const expected = { id: 1, ...WHOLE }

  const created = await post('/v1/pets', WHOLE)

  assert.equal(created.status, 201)
  for (const { body } of [created, await get('/v1/pets/1')]) {
    assert.equal(JSON.stringify(body), JSON.stringify(expected))
  }
  for (const path of ['/v1/pets', '/v1/pets?sort=id', '/v1/pets?id=1'])
    assert.equal(JSON.stringify((await get(path)).body), JSON.stringify([expected]))
})

test('an animal created with the required members only is returned without other members', async (t) => {
  const { post, get } = await start(t)
  const { text } = await post('/v1/pets', { name: 'Rex', categoryId: 1, traits: {}, unknown: 1 })

  assert.equal(text, '{"id":1,"name":"Rex","categoryId":1}')
  assert.equal((await get('/v1/pets')).text, `[${text}]`)
})

test('PATCH merges into nested members, and null removes a member', async (t) => {
  const { post, patch, get } = await start(t)
  await post('/v1/pets', WHOLE)
  const body = {
    breed: { secondary: null, primary: 'Kelpie' },
    traits: null,
    goodWith: { cats: true },
    staff: { notes: null },
    tags: ['Digger'],
    weightGrams: null,
  }
  const { traits: _, weightGrams: __, ...rest } = WHOLE
  const { notes: ___, ...staff } = WHOLE.staff

  const { status, body: after } = await patch('/v1/pets/1', body)

  assert.equal(status, 200)
  assert.deepEqual(after, {
    ...{ id: 1, ...rest, staff, tags: ['Digger'] },
    breed: { primary: 'Kelpie', mixed: true, unknown: false },
    goodWith: { children: true, dogs: true, cats: true },
  })
  assert.deepEqual((await get('/v1/pets/1')).body, after)
  const all = Object.fromEntries(MEMBERS.slice(3).map((member) => [member, null]))
  assert.deepEqual((await patch('/v1/pets/1', all)).body, {
    ...{ id: 1, name: 'Rex', categoryId: 1, status: 'available' },
  })
  const unchanged = await patch('/v1/pets/1', all)
  assert.equal(unchanged.headers.etag, (await get('/v1/pets/1')).headers.etag)
  assert.equal((await get('/v1/pets/1/history')).body.length, 2)
})

const text = (length: number): string => 'x'.repeat(length)

/** Invalid members, with the pointer in the error. */
const REFUSED: [pointer: string, body: object][] = [
  ['/species', { species: text(61) }],
  ['/species', { species: ' ' }],
  ['/species', { species: 'two\nlines' }],
  ['/breed', { breed: 'Beagle' }],
  ['/breed/primary', { breed: { mixed: true } }],
  ['/breed/primary', { breed: { primary: text(81) } }],
  ['/breed/mixed', { breed: { primary: 'Beagle', mixed: 'yes' } }],
  ['/colors', { colors: [] }],
  ['/colors', { colors: ['a', 'b', 'c', 'd'] }],
  ['/colors/1', { colors: ['Black', 5] }],
  ['/coat', { coat: 'fluffy' }],
  ['/birthDate', { birthDate: '2026-02-30' }],
  ['/birthDate', { birthDate: '1949-12-31' }],
  ['/birthDate', { birthDate: '2026-11-25' }],
  ['/birthDate', { birthDate: 'yesterday' }],
  ['/birthDateExact', { birthDateExact: true }],
  ['/age', { age: 'old' }],
  ['/age', { age: 'young', birthDate: '2026-01-01' }],
  ['/sex', { sex: 'm' }],
  ['/size', { size: 'Large' }],
  ['/weightGrams', { weightGrams: 0 }],
  ['/weightGrams', { weightGrams: 2_000_001 }],
  ['/weightGrams', { weightGrams: 1.5 }],
  ['/description', { description: text(20_001) }],
  ['/description', { description: 'bell \u0007' }],
  ['/traits', { traits: ['vaccinated'] }],
  ['/traits/vaccinated', { traits: { vaccinated: 1 } }],
  ['/goodWith/cats', { goodWith: { cats: 'no' } }],
  ['/tags', { tags: Array.from({ length: 21 }, (_, index) => `tag ${index}`) }],
  ['/tags/1', { tags: ['calm', 'CALM'] }],
  ['/tags/0', { tags: [text(41)] }],
  ['/fee/currency', { fee: { amount: 100 } }],
  ['/fee/currency', { fee: { amount: 100, currency: 'euro' } }],
  ['/fee/amount', { fee: { amount: -1, currency: 'EUR' } }],
  ['/videos/0', { videos: ['http://videos.example/rex'] }],
  ['/videos/0', { videos: ['https://videos.example/<script>'] }],
  ['/contact/email', { contact: { email: 'nobody' } }],
  ['/contact/phone', { contact: { phone: 5 } }],
  ['/place/country', { place: { country: 'Netherlands' } }],
  ['/place/country', { place: { country: 'XX' } }],
  ['/fee/currency', { fee: { amount: 1, currency: 'ZZZ' } }],
  ['/videos/0', { videos: ['https://a:b:c'] }],
  ['/place/longitude', { place: { latitude: 52 } }],
  ['/place/latitude', { place: { latitude: 91, longitude: 5 } }],
  ['/staff/intakeDate', { staff: { intakeDate: '2030-01-01' } }],
  ['/staff/microchip', { staff: { microchip: '' } }],
]

test('an invalid member: 400 with an error that points at the member, and nothing is stored', async (t) => {
  const { post, patch, get } = await start(t)
  const before = (await post('/v1/pets', { name: 'Rex', categoryId: 1 })).text
  for (const [pointer, body] of REFUSED) {
    for (const { status, body: error } of [
      await post('/v1/pets', { name: 'Tom', categoryId: 2, ...body }),
      await patch('/v1/pets/1', body),
    ]) {
      const context = `${JSON.stringify(body).slice(0, 80)}: ${JSON.stringify(error)}`
      assert.deepEqual([status, error.code], [400, 'validation_failed'], context)
      assert.deepEqual(
        error.details.map((detail: { pointer: string }) => detail.pointer),
        [pointer],
        context,
      )
      assert.doesNotMatch(JSON.stringify(error), /undefined/, context)
    }
  }
  assert.equal((await get('/v1/pets')).text, `[${before}]`)
  for (const member of ['name', 'categoryId', 'status'])
    assert.equal((await patch('/v1/pets/1', { [member]: null })).status, 400)
})

test('errors of the schema, of the rules and of unknown ids are returned together', async (t) => {
  const { post, patch } = await start(t)
  await post('/v1/pets', { name: 'Rex', categoryId: 1 })
  const unknown = { categoryId: 99, organizationId: 99 }
  const pointersOf = ({ body }: { body: { details: { pointer: string }[] } }) =>
    body.details.map(({ pointer }) => pointer).toSorted()
  const late = { ...unknown, birthDate: '2090-01-01' }
  const all = ['/birthDate', '/categoryId', '/organizationId']
  assert.deepEqual(pointersOf(await post('/v1/pets', { name: 'Tom', ...late })), all)
  assert.deepEqual(pointersOf(await patch('/v1/pets/1', late)), all)
  // Together with errors of the schema.
  assert.deepEqual(pointersOf(await post('/v1/pets', { name: 7, ...late })), [...all, '/name'].toSorted())
  assert.deepEqual(pointersOf(await patch('/v1/pets/1', { name: 7, ...unknown })), [
    '/categoryId',
    '/name',
    '/organizationId',
  ])
})

test('numbers beyond the safe integers get 400', async (t) => {
  const { post, patch } = await start(t)
  await post('/v1/pets', { name: 'Rex', categoryId: 1 })
  for (const [pointer, member] of [
    ['/weightGrams', '"weightGrams":9007199254740993'],
    ['/fee/amount', '"fee":{"amount":9007199254740993,"currency":"EUR"}'],
    ['/place/latitude', '"place":{"latitude":9007199254740993,"longitude":1e400}'],
  ]) {
    for (const answer of [
      await post('/v1/pets', `{"name":"Rex","categoryId":1,${member}}`),
      await patch('/v1/pets/1', `{${member}}`),
    ]) {
      assert.equal(answer.status, 400, member)
      assert.equal(answer.body.details[0].pointer, pointer)
    }
  }
})

test('age is derived from birthDate by category, and a job keeps it current', async (t) => {
  const { post, patch, get, clock, service } = await startApp(t, {
    key: { ...UNLIMITED, access: 'admin' },
    now: NOW,
  })
  const ageOf = async (body: object) => (await post('/v1/pets', { name: 'Rex', ...body })).body.age
  assert.equal(await ageOf({ categoryId: 1, birthDate: '2026-11-23' }), 'baby')
  assert.equal(await ageOf({ categoryId: 1, birthDate: '2025-11-23' }), 'young')
  assert.equal(await ageOf({ categoryId: 2, birthDate: '2023-11-24' }), 'young')
  assert.equal(await ageOf({ categoryId: 2, birthDate: '2018-11-23', birthDateExact: true }), 'senior')
  assert.equal(await ageOf({ categoryId: 5, birthDate: '2018-11-23' }), 'adult')

  // The name of a property that every object has.
  const { id: categoryId } = (await post('/v1/categories', { name: 'constructor' })).body
  assert.equal((await patch('/v1/pets/5', { categoryId })).body.age, 'senior')
  assert.equal((await patch('/v1/pets/5', { categoryId: 1 })).body.age, 'senior')
  assert.equal((await patch('/v1/pets/5', { age: 'baby' })).body.details[0].pointer, '/age')
  const stated = await patch('/v1/pets/5', { age: 'adult', birthDate: null })
  assert.deepEqual([stated.body.age, 'birthDate' in stated.body], ['adult', false])
  const withoutBirthDate = await patch('/v1/pets/4', { birthDate: null })
  assert.deepEqual(
    ['birthDateExact' in withoutBirthDate.body, 'age' in withoutBirthDate.body],
    [false, false],
  )

  // Three months after 30 November there is no 30 February: 1 March counts.
  clock.now = Date.UTC(2026, 2, 1)
  assert.equal(await ageOf({ categoryId: 4, birthDate: '2025-11-30' }), 'young')
  clock.now = Date.UTC(2026, 10, 24)
  await doJobs(service.context)
  assert.equal((await get('/v1/pets/3')).body.age, 'adult')
  clock.now = Date.UTC(2040, 0, 1)
  await doJobs(service.context)
  assert.deepEqual(
    (await get('/v1/pets')).body.map(({ age }: { age?: string }) => age),
    ['senior', 'adult', undefined, 'senior', 'senior', 'senior'],
  )
})

test('an animal that is sent back as it was returned is accepted, with its derived age', async (t) => {
  const { post, patch, get } = await startApp(t, { key: { ...UNLIMITED, access: 'admin' }, now: NOW })
  const rex = { name: 'Rex', categoryId: 1, birthDate: '2023-11-24' }
  assert.equal((await post('/v1/pets', { ...rex, age: 'young' })).status, 201)
  const { id, ...answered } = (await get('/v1/pets/1')).body

  assert.equal((await patch('/v1/pets/1', { ...answered, name: 'Max' })).status, 200)
  const younger = await patch('/v1/pets/1', { ...answered, birthDate: '2026-11-23' })
  assert.equal(younger.body.age, 'baby', 'the age of the old birth date is ignored')

  for (const { body, status } of [
    await post('/v1/pets', { ...rex, age: 'senior' }),
    await post('/v1/pets', { ...rex, age: 'senior', bondedWith: [1] }),
    await patch('/v1/pets/1', { age: 'senior' }),
  ]) {
    assert.deepEqual([status, body.details[0].pointer], [400, '/age'])
  }
  assert.equal((await post('/v1/pets', { ...rex, age: 'young', bondedWith: [1] })).status, 201)
})
