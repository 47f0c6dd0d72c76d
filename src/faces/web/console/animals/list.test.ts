import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Person, signIn } from '../../../../testing/console.ts'
import { JPEG, picture } from '../../../../testing/pictures.ts'
import { startApp, type TestApp, UNLIMITED } from '../../../../testing/start-app.ts'

const NOW = Date.UTC(2026, 10, 23, 12)
const LIST = '/console/animals'

const ANIMALS = [
  {
    name: 'Rex',
    status: 'available',
    externalId: 'A-10',
    staff: { kennel: 'B 2', intakeDate: '2026-11-20' },
  },
  { name: 'Tom', status: 'pending', externalId: 'A-9', staff: { kennel: 'A 1' } },
  { name: 'Zoe', staff: { intakeDate: '2026-12-24' } },
  { name: 'Ada', status: 'sold', externalId: 'a-11', staff: { intakeDate: '2025-01-01' } },
  { name: 'Moe', status: 'available', staff: { intakeDate: '2026-01-01', microchip: '985-112 000.111.222' } },
  { name: 'Lea', staff: { intakeDate: '2020-01-01', outcomeKind: 'died', outcomeDate: '2026-02-02' } },
]

async function startWithAnimals(t: TestContext) {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' }, now: NOW })
  for (const animal of ANIMALS) {
    const { status, text } = await app.post('/v1/pets', { categoryId: 1, ...animal })
    assert.equal(status, 201, text)
  }
  return { app, ana: await signIn(app) }
}

const namesIn = (text: string): string =>
  [...text.matchAll(/<th scope="row"><a href="[^"]*">([^<]*)</g)].map(([, name]) => name).join(' ')

const list = async (person: Person, query: string): Promise<string> =>
  namesIn((await person.get(`${LIST}?${query}`)).text)

/** Sends the form for selected animals. */
const select = (person: Person, ids: number[], fields: Record<string, string>, to = LIST) =>
  person.send(`${LIST}/selected`, { to, ...fields, id: ids.map(String) })

const statusesOf = async (app: TestApp, ids: number[]) =>
  Promise.all(ids.map(async (id) => (await app.get(`/v1/pets/${id}`)).body.status))

test('GET /console/animals sorts by each column in both directions; animals that are not in care come last', async (t) => {
  const { ana } = await startWithAnimals(t)
  assert.equal(await list(ana, ''), 'Lea Moe Ada Zoe Tom Rex')
  assert.equal(await list(ana, 'sort=name'), 'Ada Lea Moe Rex Tom Zoe')
  assert.equal(await list(ana, 'sort=-name'), 'Zoe Tom Rex Moe Lea Ada')
  assert.match(await list(ana, 'sort=number'), /^Tom Rex Ada /)
  assert.match(await list(ana, 'sort=-number'), / Ada Rex Tom$/)
  assert.match(await list(ana, 'sort=kennel'), /^Tom Rex /)
  assert.match(await list(ana, 'sort=intake'), /^Moe Rex Tom Zoe (Ada Lea|Lea Ada)$/)
  assert.match(await list(ana, 'sort=-intake'), / Zoe Tom Rex Moe$/)
  assert.equal(await list(ana, 'sort=status'), 'Moe Rex Tom Zoe Ada Lea')
  assert.equal(await list(ana, 'sort=-status'), 'Lea Ada Zoe Tom Moe Rex')
  const { text } = await ana.get(`${LIST}?sort=intake&status=available`)
  assert.equal(namesIn(text), 'Moe Rex')
  assert.match(text, /<th scope="col" aria-sort="ascending"><a href="[^"]*sort=-intake[^"]*">Days in care/)
  assert.equal(await list(ana, 'status=unlisted&sort=name'), 'Zoe')
  assert.equal(await list(ana, 'status=left'), 'Lea')
})

test('a list sorted by any column pages through all animals once', async (t) => {
  const app = await startApp(t, { key: UNLIMITED, now: NOW })
  for (let number = 0; number < 30; number += 1) {
    const status = ['available', 'pending', 'sold', undefined][number % 4]
    const staff = { kennel: `K${number % 3}`, intakeDate: `2026-11-0${1 + (number % 5)}` }
    const animal = { name: `N${number % 7}`, categoryId: 1, status, externalId: `X${number}`, staff }
    assert.equal((await app.post('/v1/pets', animal)).status, 201)
  }
  const ana = await signIn(app)
  for (const sort of ['name', '-number', 'kennel', '-kennel', 'intake', '-intake', 'status', '-status']) {
    const first = (await ana.get(`${LIST}?sort=${sort}`)).text
    const [, next = ''] = /rel="next" href="([^"]*)"/.exec(first) ?? []
    const second = (await ana.get(next.replaceAll('&amp;', '&'))).text
    const ids = [...`${first}${second}`.matchAll(/name="id" value="(\d+)"/g)].map(([, id]) => Number(id))
    assert.deepEqual(
      ids.toSorted((one, other) => one - other),
      Array.from({ length: 30 }, (_, i) => i + 1),
      sort,
    )
  }
})

test('GET /console/animals and an animal’s page count days in care from the intake date, which may be planned', async (t) => {
  const { app } = await startWithAnimals(t)
  app.clock.now += 86_400_000
  const ana = await signIn(app)
  const { text } = await ana.get(LIST)
  const daysOf = (name: string) =>
    new RegExp(`>${name}<.*?data-label="Days in care"[^>]*>(.*?)</td>`, 's').exec(text)?.[1]
  assert.deepEqual(['Rex', 'Moe', 'Zoe', 'Ada', 'Lea'].map(daysOf), [
    '4',
    '327',
    'Planned: Dec 24, 2026',
    '',
    '',
  ])
  assert.match(String(daysOf('Tom')), /^1 <small>since added/)
  assert.match((await ana.get(`${LIST}/1`)).text, /In care for 4 days, since Nov 20, 2026\./)
  assert.match((await ana.get(`${LIST}/2`)).text, /1 day in care since the animal was added\./)
  assert.match((await ana.get(`${LIST}/3`)).text, /Intake planned for Dec 24, 2026\./)
  assert.doesNotMatch((await ana.get(`${LIST}/4`)).text, /[Ii]n care/)
  const start = (await ana.get('/console/')).text
  assert.match(start, /Moe.*In care for 327 days.*Rex.*In care for 4 days/s)
})

test('GET /console/animals finds shelter ID, kennel and microchip in any spelling', async (t) => {
  const { ana } = await startWithAnimals(t)
  for (const [q, names] of [
    ['a10', 'Rex'],
    ['A 9', 'Tom'],
    ['b2', 'Rex'],
    ['985112000111222', 'Moe'],
    ['985 112', 'Moe'],
  ] as const)
    assert.equal(await list(ana, `q=${encodeURIComponent(q)}`), names, q)
})

test('POST /console/animals/selected changes the selected animals and returns to the list', async (t) => {
  const { app, ana } = await startWithAnimals(t)
  const to = `${LIST}?sort=name`
  const published = await select(ana, [1, 3], { action: 'publish' }, to)
  assert.deepEqual(
    [published.status, published.headers.location],
    [303, `${to}&done=selectedChanged&published=1&published=3`],
  )
  assert.deepEqual(await statusesOf(app, [1, 3]), ['available', 'available'])
  await select(ana, [1, 3], { action: 'reserve' })
  assert.deepEqual(await statusesOf(app, [1, 3]), ['pending', 'pending'])
  await select(ana, [1, 3, 5], { action: 'unlist' })
  assert.deepEqual(await statusesOf(app, [1, 3, 5]), [undefined, undefined, undefined])
  assert.equal(await list(ana, 'status=unlisted&sort=name'), 'Moe Rex Zoe')
  for (const tag of ['shy', 'Shy'])
    assert.equal((await select(ana, [1, 6], { action: 'tag', tag })).status, 303)
  assert.deepEqual((await app.get('/v1/pets/6')).body.tags, ['shy'])
})

test('POST /console/animals/selected reports animals that cannot be changed, changes the others and keeps the rest selected', async (t) => {
  const { app, ana } = await startWithAnimals(t)
  const order = await app.post('/v1/store/orders', {
    petId: 1,
    adopter: { name: 'A', email: 'a@example.org' },
  })
  assert.equal(order.status, 201)

  const { status, text } = await select(ana, [1, 4, 5, 6, 999], { action: 'unlist' }, `${LIST}?sort=name`)

  assert.equal(status, 409)
  assert.deepEqual(await statusesOf(app, [1, 4, 5, 6]), ['pending', 'sold', undefined, undefined])
  assert.match(text, /Done for 1 animal\./)
  assert.match(text, /Not possible for 4 animals/)
  assert.match(text, /animals\/1">Rex<\/a>: [^<]*order|adoption/)
  assert.match(text, /Ada<\/a>: The status is “Adopted”/)
  assert.match(text, /Lea<\/a>: The status is “Died”/)
  assert.equal(namesIn(text), 'Ada Lea Moe Rex Tom Zoe', 'the order of the list')
  const checked = [...text.matchAll(/name="id" value="(\d+)" checked/g)].map(([, id]) => id)
  assert.deepEqual(checked, ['4', '6', '1'])
  assert.match(text, /<option value="unlist" selected>/)
})

test('GET /console/ does not count an animal with an outcome as unpublished', async (t) => {
  const { ana } = await startWithAnimals(t)
  const counts = [...(await ana.get('/console/')).text.matchAll(/\?status=(\w+)"><b>(\d+)</g)]
  assert.deepEqual(
    counts.map(([, status, count]) => `${status} ${count}`),
    ['available 2', 'pending 1', 'unlisted 1', 'sold 1'],
  )
})

test('an animal on hold cannot be published or reserved from the list, which has no button for it', async (t) => {
  const { app, ana } = await startWithAnimals(t)
  const publishes = /aria-label="Publish Zoe"/
  assert.match((await ana.get(LIST)).text, publishes)
  await app.patch('/v1/pets/3', { staff: { holdReason: 'Bite case.' } })
  assert.doesNotMatch((await ana.get(LIST)).text, publishes)
  for (const action of ['publish', 'reserve']) {
    const { status, text } = await select(ana, [3], { action })
    assert.equal(status, 409, action)
    assert.match(text, /Zoe<\/a>: The status is “On hold”/)
  }
  const { body } = await app.get('/v1/pets/3')
  assert.deepEqual([body.status, body.staff.holdReason], [undefined, 'Bite case.'])
  assert.equal((await select(ana, [3], { action: 'unlist' })).status, 303)
})

test('POST /console/animals/selected puts animals on hold, except those adopted, gone or on hold for another reason', async (t) => {
  const { app, ana } = await startWithAnimals(t)
  await app.patch('/v1/pets/5', { staff: { holdReason: 'Bite case.' } })
  const hold = (ids: number[]) => select(ana, ids, { action: 'hold', 'staff.holdReason': 'Kennel cough.' })
  const holdsOf = async (ids: number[]) =>
    Promise.all(
      ids.map(async (id) => {
        const { status, staff } = (await app.get(`/v1/pets/${id}`)).body
        return [status, staff?.holdReason]
      }),
    )

  const { status, text } = await hold([1, 2, 3, 4, 5, 6])

  assert.equal(status, 409)
  assert.match(text, /Done for 3 animals\./)
  assert.match(text, /Ada<\/a>: The status is “Adopted”/)
  assert.match(text, /Moe<\/a>: The status is “On hold”/)
  assert.match(text, /Lea<\/a>: The status is “Died”/)
  assert.match(text, /name="staff\.holdReason" type="text" value="Kennel cough\."/)
  assert.deepEqual(await holdsOf([1, 2, 3]), Array(3).fill([undefined, 'Kennel cough.']))
  assert.deepEqual(await holdsOf([4, 5, 6]), [
    ['sold', undefined],
    [undefined, 'Bite case.'],
    [undefined, undefined],
  ])
  assert.equal((await hold([1, 2, 3])).status, 303, 'already on hold for this reason')
})

test('the list warns about animals that it publishes without an organization or a photo, until they have both', async (t) => {
  const { app, ana } = await startWithAnimals(t)
  await app.post('/v1/organizations', { name: 'North', code: 'N1' })
  await app.post('/v1/pets', { name: 'Max', categoryId: 1, organizationId: 1 })
  const body = await picture({ number: 1, width: 64, height: 64 })
  await app.request('/v1/pets/3/photos', { method: 'POST', headers: JPEG, body })
  const warnings = (text: string) =>
    [...text.matchAll(/<p class="summary problem" role="status">(.*?)<\/p>/gs)].map(([, one = '']) => one)

  const { headers } = await select(ana, [3, 7], { action: 'publish' })

  const next = String(headers.location)
  assert.equal(next, `${LIST}?done=selectedChanged&published=3&published=7`)
  assert.deepEqual(warnings((await ana.get(next)).text), [
    'In the gallery without an organization, so people do not see which shelter to contact: ' +
      '<a href="/console/animals/3#field-organizationId">Zoe</a>',
    'In the gallery without a photo, although animals with photos find a home sooner: ' +
      '<a href="/console/animals/7#photos">Max</a>',
  ])
  const [, spanish] = warnings((await ana.get(next, { 'accept-language': 'es' })).text)
  assert.match(String(spanish), /^En la galería sin foto, .*: <a href="[^"]*">Max</)
  const page = warnings((await ana.get(`${LIST}/7`)).text)
  assert.deepEqual(page, [
    'In the gallery without a photo, although animals with photos find a home sooner. <a href="#photos">Add photos</a>',
  ])
  const stranger = await signIn(app, { organizationId: 1 })
  assert.doesNotMatch((await stranger.get(next)).text, /Zoe/)

  await app.request('/v1/pets/7/photos', { method: 'POST', headers: JPEG, body })
  await app.patch('/v1/pets/3', { organizationId: 1 })
  assert.deepEqual(warnings((await ana.get(next)).text), [])

  const partly = await select(ana, [1, 4], { action: 'reserve' })
  assert.deepEqual([partly.status, warnings(partly.text).length], [409, 2])
  const single = await ana.send(`${LIST}/5/status`, { status: 'available', to: `${LIST}?sort=name` })
  assert.match(warnings((await ana.get(String(single.headers.location))).text).join(), />Moe<.*>Moe</s)
})

test('POST /console/animals/selected without animals, an action or a tag gets 400 and keeps the selection', async (t) => {
  const { ana } = await startWithAnimals(t)
  for (const [ids, fields, message] of [
    [[], { action: 'publish' }, /Select at least one animal\./],
    [[1], { action: '' }, /href="#field-action">Choose an action\./],
    [[1], { action: 'toString' }, /Choose an action\./],
    [[1], { action: 'tag', tag: ' ' }, /href="#field-tag">Enter a tag\./],
    [[1], { action: 'hold' }, /href="#field-staff\.holdReason">Enter why the animals are on hold\./],
    [[1], { action: 'assign', organizationId: '' }, /Choose an organization\./],
  ] as const) {
    const { status, text } = await select(ana, [...ids], fields)
    assert.equal(status, 400)
    assert.match(text, message)
    assert.equal(/value="1" checked/.test(text), ids.length > 0)
  }
  const long = await select(ana, [1], { action: 'tag', tag: 'x'.repeat(41) })
  assert.deepEqual([long.status, /Rex<\/a>: This animal cannot have this value/.test(long.text)], [409, true])
})

test('animals of another organization cannot be selected or exported; only people without an organization can assign animals', async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' }, now: NOW })
  for (const code of ['A1', 'B2']) await app.post('/v1/organizations', { name: code, code })
  const staff = { kennel: 'K 7' }
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1, organizationId: 1, staff })
  await app.post('/v1/pets', { name: 'Tom', categoryId: 1, staff })
  const [ben, boss, viewer] = [
    await signIn(app, { organizationId: 2 }),
    await signIn(app, { role: 'admin' }),
    await signIn(app, { role: 'viewer' }),
  ]
  const refused = await select(ben, [1, 2], { action: 'publish' })
  assert.deepEqual([refused.status, /Rex|Tom/.test(refused.text)], [409, false])
  assert.equal((await select(ben, [1], { action: 'assign', organizationId: '2' })).status, 400)
  for (const query of ['', 'id=1&id=2', 'q=k7', 'sort=kennel', 'organization=1'])
    assert.doesNotMatch((await ben.get(`${LIST}.csv?${query}`)).text, /Rex|Tom/, query)
  assert.equal((await select(viewer, [1], { action: 'publish' })).status, 403)
  assert.doesNotMatch((await viewer.get(LIST)).text, /type="checkbox"|animals\/selected/)

  const assigned = await select(boss, [1, 2], { action: 'assign', organizationId: '2' })
  assert.match(assigned.text, /Rex<\/a>: Already belongs to an organization\./)
  const organizations = await Promise.all([1, 2].map(async (id) => (await app.get(`/v1/pets/${id}`)).body))
  assert.deepEqual(
    organizations.map(({ organizationId }) => organizationId),
    [1, 2],
  )
  assert.deepEqual(organizations[0].staff, staff, 'nothing is lost')
})

test('GET /console/animals.csv has the animals of the list, safe from formulas; a selection is exported by its ids', async (t) => {
  const { app, ana } = await startWithAnimals(t)
  await app.post('/v1/pets', { name: '=1+1', categoryId: 1, staff: { kennel: '@cmd, "x"' } })
  const { text, headers } = await ana.get(`${LIST}.csv?sort=name`)
  assert.deepEqual(
    [headers['content-type'], headers['cache-control']],
    ['text/csv; charset=utf-8', 'no-store'],
  )
  const [heading, ...lines] = text.trimEnd().split('\r\n')
  assert.equal(
    heading?.replace('\uFEFF', ''),
    'id,Name,Shelter ID,Type,Breed,Age group,Sex,Kennel,Intake date,Days in care,Status',
  )
  assert.equal(lines[0], `7,'=1+1,,Dog,,,,"'@cmd, ""x""",,0,Not published`)
  assert.deepEqual(
    lines.map((line) => line.split(',')[0]),
    ['7', '4', '6', '5', '1', '2', '3'],
  )
  assert.ok(lines.includes('1,Rex,A-10,Dog,,,,B 2,2026-11-20,3,Available'))
  assert.ok(lines.includes('6,Lea,,Dog,,,,,2020-01-01,,Died'))

  const { headers: to } = await select(ana, [2, 5], { action: 'export' })
  assert.equal(to.location, `${LIST}.csv?id=2&id=5`)
  const some = (await ana.get(String(to.location))).text.trimEnd().split('\r\n')
  assert.deepEqual(
    some.slice(1).map((line) => line.split(',')[0]),
    ['5', '2'],
  )
  assert.match((await ana.get(`${LIST}.csv`, { 'accept-language': 'es' })).text, /Días en el refugio/)
})
