import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { readAnswers } from '../../testing/client.ts'
import type { Options } from '../../testing/start-app.ts'
import { ANIMAL_KEYS, startV2 } from '../../testing/v2.ts'

// The Petfinder API v2 for animals.

const DENVER = { city: 'Denver', region: 'CO', postcode: '80202', country: 'US' }
const ADA = {
  name: 'Ada <3',
  categoryId: 2,
  status: 'available',
  externalId: 'A-7',
  species: 'Cat',
  breed: { primary: 'Siamese', secondary: 'Bengal', mixed: true },
  colors: ['Black', 'White', 'orange'],
  coat: 'short',
  age: 'young',
  sex: 'female',
  size: 'extra_large',
  description: 'Loves "rain" & sun.\nAnd more.',
  traits: {
    spayedNeutered: true,
    houseTrained: true,
    declawed: false,
    specialNeeds: false,
    vaccinated: true,
  },
  goodWith: { children: true, dogs: false },
  tags: ['Calm', 'Loves laps'],
  videos: ['https://videos.example/ada?a=1&b=2'],
  staff: { notes: 'secret', microchip: '985' },
}

async function startAnimals(t: TestContext, options: Options = {}) {
  const app = await startV2(t, options)
  const { post } = app
  const shelter = {
    ...{ code: 'CO12', name: 'Hill Shelter', email: 'pets@hill.example', phone: '(303) 555-0100' },
    address: { street: '1 Hill Road', ...DENVER },
  }
  const { id: organizationId } = (await post('/v1/organizations', shelter)).body
  /** @returns the id of the animal */
  const add = async (animal: object = {}): Promise<number> => {
    const added = await post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'available', ...animal })
    assert.equal(added.status, 201, added.text)
    return added.body.id
  }
  const ids = async (query = ''): Promise<number[]> => {
    const answer = await app.read(`/animals${query && `?${query}`}`)
    assert.equal(answer.status, 200, `${query}: ${answer.text}`)
    return answer.body.animals.map(({ id }: { id: number }) => id)
  }
  return { ...app, organizationId, add, ids }
}

test('GET /v2/animals/{id} returns every key in order, null for unknown values, and no staff data', async (t) => {
  const { add, read, organizationId } = await startAnimals(t, { now: Date.UTC(2026, 11, 2, 3, 4, 5, 678) })
  const id = await add({ ...ADA, organizationId })
  const bare = await add()

  const { animals, pagination } = (await read('/animals')).body
  const [without, ada] = animals
  for (const animal of animals) assert.deepEqual(Object.keys(animal), ANIMAL_KEYS)
  assert.deepEqual((await read(`/animals/${id}`)).body, { animal: ada }, 'as in the list')
  assert.deepEqual(pagination, { count_per_page: 20, total_count: 2, current_page: 1, total_pages: 1 })
  assert.deepEqual(ada, {
    id,
    organization_id: 'CO12',
    url: `http://pets.example/animals/${id}`,
    type: 'Cat',
    species: 'Cat',
    breeds: { primary: 'Siamese', secondary: 'Bengal', mixed: true, unknown: false },
    colors: { primary: 'Black', secondary: 'White', tertiary: 'Orange / Red' },
    age: 'Young',
    gender: 'Female',
    size: 'Extra Large',
    coat: 'Short',
    attributes: {
      ...{ spayed_neutered: true, house_trained: true, declawed: false, special_needs: false },
      shots_current: true,
    },
    environment: { children: true, dogs: false, cats: null },
    tags: ['Calm', 'Loves laps'],
    name: 'Ada &lt;3',
    description: 'Loves &quot;rain&quot; &amp; sun.\nAnd more.',
    organization_animal_id: 'A-7',
    photos: [],
    primary_photo_cropped: null,
    videos: [
      {
        embed: '<iframe src="https://videos.example/ada?a=1&amp;b=2" title="Video" allowfullscreen></iframe>',
      },
    ],
    status: 'adoptable',
    status_changed_at: '2026-12-02T03:04:05+0000',
    published_at: '2026-12-02T03:04:05+0000',
    distance: null,
    contact: {
      email: 'pets@hill.example',
      phone: '(303) 555-0100',
      address: {
        ...{ address1: '1 Hill Road', address2: null, city: 'Denver', state: 'CO', postcode: '80202' },
        country: 'US',
      },
    },
    _links: {
      self: { href: `/v2/animals/${id}` },
      type: { href: '/v2/types/cat' },
      organization: { href: '/v2/organizations/co12' },
    },
  })
  assert.deepEqual(
    [without.id, without.organization_id, without.breeds, without.age, without.gender, without.size],
    [
      bare,
      'XX000',
      { primary: 'Dog', secondary: null, mixed: false, unknown: true },
      'Adult',
      'Unknown',
      'Medium',
    ],
  )
  assert.deepEqual(without.attributes.declawed, null, 'dogs have no declawed value')
  assert.doesNotMatch(JSON.stringify(animals), /secret|985/)
})

test('GET /v2/animals/{id} with text after the id: 200; with the id of an unknown or hidden animal: 404', async (t) => {
  const { add, read } = await startAnimals(t)
  const id = await add()
  const hidden = [await add({ status: 'pending' }), await add({ status: undefined })]
  const sold = await add({ status: 'sold' })
  assert.equal((await read(`/animals/${id}!`)).body.animal.id, id)
  assert.equal((await read(`/animals/${id}/`)).body.animal.id, id)
  assert.equal((await read(`/animals/${sold}`)).body.animal.status, 'adopted')
  for (const path of [...hidden, 'abcdefg', '0', '99', '9'.repeat(30), 'types'].map(
    (slug) => `/animals/${slug}`,
  )) {
    const answer = await read(path)
    assert.equal(answer.status, 404, path)
    assert.deepEqual(Object.keys(answer.body), ['type', 'status', 'title', 'detail'])
    assert.deepEqual([answer.body.title, answer.body.detail], ['Not Found', 'Not Found'])
    assert.ok(answer.body.type.endsWith('#ERR-404'))
  }
  const unknown = await read('/animal')
  assert.equal(unknown.status, 404)
  assert.match(unknown.body.detail, /No route found for/)
})

test('GET /v2/animals accepts filters with commas, repeats and brackets in any case, and ignores empty and unknown filters', async (t) => {
  const { add, ids, organizationId } = await startAnimals(t)
  const ada = await add({ ...ADA, organizationId })
  const tri = { colors: ['Tricolor (Brown, Black, & White)'], breed: { primary: 'Beagle' }, age: 'senior' }
  const rex = await add({
    name: 'Big Rexford',
    ...tri,
    sex: 'male',
    size: 'small',
    goodWith: { cats: false },
  })
  const hare = await add({ categoryId: 3, name: 'Hare', breed: { primary: 'Belgian Malinois' } })
  const sold = await add({ status: 'sold', name: 'Sold', breed: { primary: 'Domestic Shorthair' } })
  const snake = await add({ categoryId: 7, name: 'Kaa', breed: { primary: 'King / Milk' } })
  for (const [query, found] of [
    ['', [snake, hare, rex, ada]],
    ['type=dog', [rex]],
    ['type=Cat', [ada]],
    ['type=dog,cat', [rex, ada]],
    ['type=dog&type=rabbit', [hare, rex]],
    ['type[0]=dog&type[1]=rabbit', [hare, rex]],
    ['type%5B3%5D=dog&type%5B12%5D=cat', [rex, ada]],
    ['breed[0]=Siamese&breed[1]=Beagle&age[0]=young&age[1]=senior', [rex, ada]],
    ['organization[0]=CO12&organization[1]=XX9', [ada]],
    ['status[0]=adopted&status[1]=adoptable&type[0]=dog', [sold, rex]],
    ['gender[0]=male&gender[1]=female&size[0]=small&size[1]=xlarge', [rex, ada]],
    ['color[0]=Black&color[1]=Tricolor (Brown, Black, %26 White)', [rex, ada]],
    ['coat[0]=wire&coat[1]=short', [ada]],
    ['type[]=dog&type[]=cat', [rex, ada]],
    ['type=Small+%26+Furry', []],
    ['type=Scales, Fins %26 Other', [snake]],
    ['breed=siamese', [ada]],
    ['breed=Beagle,Bengal', [rex, ada]],
    ['breed=Domestic Short Hair&status=adopted', [sold]],
    ['breed=domestic-shorthair&status=adopted', [sold]],
    ['breed=domestic-short-hair,beagle&status=adopted,adoptable', [sold, rex]],
    ['breed=king-milk', [snake]],
    ['breed=belgian-shepherd-malinois', [hare]],
    ['breed=labrador-retriever', []],
    ['name=%F0%9F%90%B6', []],
    ['name=!!!', []],
    ['name=-', []],
    ['breed=%00', [snake, hare, rex, ada]],
    ['breed=a%00b', []],
    ['color=constructor,__proto__', []],
    ['color=Tricolor (Brown, Black, %26 White)', [rex]],
    ['color=Tricolor (Brown, Black, %26 White)&color=White / Cream', [rex, ada]],
    ['color=black,Tricolor (Brown, Black, %26 White)', [rex, ada]],
    ['gender=male', [rex]],
    ['age=Senior,young', [rex, ada]],
    ['size=xlarge', [ada]],
    ['size=extra-large,small', [rex, ada]],
    ['coat=Short', [ada]],
    ['status=adopted', [sold]],
    ['status=adopted,adoptable&type=dog', [sold, rex]],
    ['status=found', []],
    ['name=rex', [rex]],
    ['name=BIG+rex', [rex]],
    ['name[1]=rex', [rex]],
    ['name%5B12345%5D=rex', [rex]],
    ['type[1]=dog', [rex]],
    ['organization=co12', [ada]],
    ['organization=CO12,XX9', [ada]],
    ['organization=nobody1', []],
    ['organization=xx000', [snake, hare, rex]],
    ['good_with_children=1', [ada]],
    ['good_with_dogs=false', [ada]],
    ['good_with_cats=0', [rex]],
    ['house_trained=true', [ada]],
    ['declawed=1', []],
    ['breed=&coat=&animal_type=dog&', [snake, hare, rex, ada]],
    ['limit=2', [snake, hare]],
  ] as const) {
    const got = await ids(query)
    assert.deepEqual(got.toSorted(), found.toSorted(), query)
  }
})

test('GET /v2/animals with unknown or repeated parameters: they affect neither cached pages nor links', async (t) => {
  const { add, ids, read } = await startAnimals(t)
  const dog = await add({ categoryId: 1 })
  const cat = await add({ categoryId: 2 })
  for (const [query, found] of [
    ['limit=1&utm=1', [cat]],
    ['limit=1&page=1&page=2', [dog]],
    ['limit=1&page=2&page=1', [cat]],
    ['limit=1&page[1]=2', [dog]],
    ['limit=1&page[2]=2&page[5]=2', [dog]],
  ] as const)
    assert.deepEqual(await ids(query), found, query)
  assert.deepEqual((await read('/animals#a?type=dog')).body.animals.length, 2)
  assert.deepEqual(await ids(''), [cat, dog])
  const { next } = (await read('/animals?limit=1&utm=1&type=dog,cat')).body.pagination._links
  assert.deepEqual(next, { href: '/v2/animals?limit=1&type=dog,cat&page=2' })
  const ofPhp = (await read('/animals?type%5B0%5D=dog&type%5B1%5D=cat&limit=1&page%5B0%5D=1')).body.pagination
    ._links
  assert.deepEqual(next && ofPhp.next, { href: '/v2/animals?limit=1&type%5B0%5D=dog&type%5B1%5D=cat&page=2' })
})

test('GET /v2/animals with several values for a parameter that takes one: the last one counts, but a list is a 400', async (t) => {
  const { add, ids, read } = await startAnimals(t)
  const rex = await add({ name: 'Rex' })
  await add({ name: 'Ada' })
  for (const query of ['name=ada&name=rex', 'name[0]=rex', 'name[0]=rex&name[1]=rex', 'name[]=rex&name[]='])
    assert.deepEqual(await ids(query), [rex], query)
  for (const [path, names] of [
    [
      '/animals',
      ['name', 'page', 'limit', 'sort', 'location', 'distance', 'good_with_dogs', 'declawed', 'after'],
    ],
    [
      '/organizations',
      ['name', 'page', 'limit', 'sort', 'location', 'distance', 'query', 'state', 'country'],
    ],
  ] as const)
    for (const name of names)
      for (const [one, other] of [
        ['[0]', '[1]'],
        ['[]', '[]'],
      ]) {
        const { status, body } = await read(`${path}?${name}${one}=1&${name}${other}=2`)
        const problem = body['invalid-params']?.find(({ path: of }: { path: string }) => of === name)
        assert.deepEqual(
          [status, problem?.message],
          [400, 'This parameter takes one value, not a list.'],
          name,
        )
      }
})

test('GET /v2/animals sorts by recent, by distance in both directions, and at random', async (t) => {
  const { add, ids, clock, read } = await startAnimals(t)
  const at = (latitude: number) => ({ place: { latitude, longitude: -105 } })
  const all: number[] = []
  for (const latitude of [39.9, 39.5, 39.7]) {
    clock.now += 60_000
    all.push(await add(at(latitude)))
  }
  const [a, b, c] = all
  assert.deepEqual(await ids(), [c, b, a])
  assert.deepEqual(await ids('sort=recent'), [c, b, a])
  assert.deepEqual(await ids('sort=-recent'), [a, b, c])
  assert.deepEqual(await ids('location=39.9,-105&sort=distance'), [a, c, b])
  assert.deepEqual(await ids('location=39.9,-105&sort=-distance'), [b, c, a])
  assert.deepEqual(await ids('location=39.9,-105&sort=-distance&limit=2&page=2'), [a])
  assert.deepEqual((await ids('sort=random')).toSorted(), all)
  assert.deepEqual((await ids('sort=random&limit=1')).length, 1)
  const { animals } = (await read('/animals?location=39.9,-105&distance=20&sort=distance')).body
  assert.deepEqual(
    animals.map(({ distance }: { distance: number }) => distance),
    [0, 13.8187],
    'in miles, with up to four decimals',
  )
  assert.deepEqual(await ids(`after=${new Date(clock.now - 1).toISOString()}`), [c])
  assert.deepEqual(await ids('before=2026-12-01T00:02:00%2B00:00'), [a])
  assert.deepEqual(await ids('before=2026-12-01T00:02:00+00:00'), [a], 'with an unescaped plus')
  assert.deepEqual(await ids('after=2026-12-01T00:01:30+0000&before=2026-12-01T01:02:30%2B01:00'), [b])
  assert.deepEqual(await ids('after=2026-12-02'), [])
})

test('GET /v2/animals accepts a location as postcode, city with state, or coordinates', async (t) => {
  const { add, ids } = await startAnimals(t)
  const id = await add({ place: DENVER })
  const spellings = [
    'CO',
    'Colorado',
    'co',
    'Denver CO',
    'Denver, CO 80202',
    'Denver+CO+80202',
    '80202,CO',
    'Colo.',
    'Denver, CO, USA',
    'Denver/CO',
    '80202 Denver',
  ]
  for (const location of [
    '80202',
    'Denver, CO',
    'denver, colorado',
    '39.75,-104.99',
    '39.75%2C-104.99',
    ...spellings,
  ])
    assert.deepEqual(await ids(`location=${location}`), [id], location)
  assert.deepEqual(await ids('location=10001'), [])
  assert.deepEqual(await ids('location=WA'), [])
  const spokane = await add({ place: { city: 'Spokane', region: 'WA', country: 'US' } })
  assert.deepEqual(await ids('location=Spokane WA'), [spokane])
  assert.deepEqual(await ids('location=80521&distance=10'), [])
  assert.deepEqual(await ids('location=80521&distance=100'), [id])
})

test('a state or province alone is the whole region under /v1 and /v2, even if a city has its name', async (t) => {
  const { add, ids, get } = await startAnimals(t)
  const addIn = (city: string, region: string, country = 'US') => add({ place: { city, region, country } })
  const [, spokane] = [await addIn('Washington', 'DC'), await addIn('Spokane', 'WA')]
  const buffalo = await addIn('Buffalo', 'NY')
  const rimouski = await addIn('Rimouski', 'QC', 'CA')
  const ponce = await addIn('Ponce', 'PR')
  const found = async (path: string) => (await get(path)).body.map(({ id }: { id: number }) => id)
  for (const [name, id] of [
    ['Washington', spokane],
    ['WA', spokane],
    ['New York', buffalo],
    ['NY', buffalo],
    ['Quebec', rimouski],
    ['Québec', rimouski],
    ['PR', ponce],
    ['Puerto Rico', ponce],
    ['San Juan PR', ponce],
  ] as const) {
    const place = encodeURIComponent(name)
    const all = await found(`/v1/pets?near=${place}&within=100`)
    assert.ok(all.includes(id), name)
    assert.deepEqual(await ids(`location=${place}&distance=62`), all, name)
  }
  assert.deepEqual(await found('/v1/pets?near=Washington&within=1'), [spokane], 'not the city')
})

test('GET /v2/animals with invalid values: 400 that names each of them, with the messages of the original API', async (t) => {
  const { read } = await startAnimals(t)
  for (const [query, path, message] of [
    ['type=zebra', 'type', /^zebra is not a valid animal type\.$/],
    ['location=washington*', 'location', /^Could not determine location\.$/],
    ['location=denver', 'location', /^Could not determine location\.$/],
    ['location=Nowhere, XY', 'location', /^Could not determine location\.$/],
    ['location=34787!', 'location', /^Could not determine location\.$/],
    ['location=80202&distance=near', 'distance', /^This value should be a valid number\.$/],
    ['location=80202&distance=501', 'distance', /500 or less/],
    ['sort=distance', 'sort', /needs a location/],
    ['sort=best', 'sort', /one of: recent/],
    ['limit=101', 'limit', /100 or less/],
    ['limit=0', 'limit', /1 or more/],
    ['page=0', 'page', /1 or more/],
    ['page=x', 'page', /valid number/],
    ['status=lost', 'status', /not a valid status/],
    ['status=constructor', 'status', /not a valid status/],
    ['size=__proto__', 'size', /not a valid size/],
    ['size=huge', 'size', /not a valid size/],
    ['good_with_dogs=maybe', 'good_with_dogs', /true or false/],
    ['after=yesterday', 'after', /not a valid datetime/],
    [`breed=${Array.from({ length: 70 }, (_, index) => index).join()}`, 'breed', /at most 64/],
    [`name=${'a'.repeat(201)}`, 'name', /too long/],
    [`breed=x,${'a'.repeat(201)}`, 'breed', /too long/],
  ] as const) {
    const answer = await read(`/animals?${query}`)
    assert.equal(answer.status, 400, query)
    const { type, title, detail, 'invalid-params': invalid } = answer.body
    assert.deepEqual([title, detail], ['Invalid Request', 'The request contains invalid parameters.'])
    assert.ok(type.endsWith('#ERR-00002'))
    assert.deepEqual([invalid[0].in, invalid[0].path], ['query', path], query)
    assert.match(invalid[0].message, message, query)
  }
  assert.equal((await read(`/animals?breed=${'a,'.repeat(70)}`)).status, 200, 'repeated values count once')
  const both = (await read('/animals?type=zebra&limit=0')).body['invalid-params']
  assert.equal(both.length, 2)
})

test('GET /v2/animals page by page has page numbers and relative links, and each animal once', async (t) => {
  const { add, read } = await startAnimals(t)
  for (let count = 0; count < 25; count += 1) await add({ name: `Rex ${count}` })
  const first = (await read('/animals/?type=dog&limit=10&after=2020-01-01T00%3A00%3A00Z')).body.pagination
  const parameters = 'after=2020-01-01T00:00:00Z&limit=10'
  assert.deepEqual(first, {
    ...{ count_per_page: 10, total_count: 25, current_page: 1, total_pages: 3 },
    _links: { next: { href: `/v2/animals?${parameters}&type=dog&page=2` } },
  })
  const seen: number[] = []
  let next: string | undefined = '/v2/animals?limit=4'
  while (next !== undefined) {
    const answer = await read(next.slice('/v2'.length))
    seen.push(...answer.body.animals.map(({ id }: { id: number }) => id))
    next = answer.body.pagination._links?.next?.href
  }
  assert.deepEqual([seen.length, new Set(seen).size], [25, 25])
  const middle = (await read('/animals?page=2&limit=10')).body
  assert.deepEqual(Object.keys(middle.pagination._links), ['previous', 'next'])
  const last = (await read('/animals?page=3&limit=10')).body
  assert.deepEqual([last.animals.length, Object.keys(last.pagination._links)], [5, ['previous']])
  const beyond = (await read('/animals?page=9&limit=10')).body
  assert.deepEqual([beyond.animals, beyond.pagination.total_count], [[], 25])
  const none = (await read('/animals?type=horse')).body
  assert.deepEqual(none, {
    animals: [],
    pagination: { count_per_page: 20, total_count: 0, current_page: 1, total_pages: 0 },
  })
})

test('V2_TYPES shows categories as the configured type, and hides other categories without a type', async (t) => {
  const { post, read } = await startV2(t, {
    settings: { V2_TYPES: 'Ferrets=small-furry;Fish = scales-fins-other' },
  })
  for (const name of ['Ferrets', 'Dragons']) {
    const { body } = await post('/v1/categories', { name })
    await post('/v1/pets', { name, categoryId: body.id, status: 'available' })
  }
  const { animals, pagination } = (await read('/animals')).body
  assert.deepEqual(
    animals.map(({ name, type }: { name: string; type: string }) => [name, type]),
    [['Ferrets', 'Small & Furry']],
  )
  assert.equal(pagination.total_count, 1)
  assert.equal((await read('/animals?type=small-furry')).body.animals.length, 1)
})

test('GET /v2/animals with 64 values: 200, however many categories or breeds the values mean; with more values: 400', async (t) => {
  const names = Array.from({ length: 70 }, (_, index) => `Kind ${index}`)
  const settings = { V2_TYPES: names.map((name) => `${name}=small-furry`).join(';') }
  const { post, read } = await startV2(t, { settings })
  const categories: number[] = []
  for (const name of [...names, 'Dragons']) categories.push((await post('/v1/categories', { name })).body.id)
  const pet = { name: 'Rex', categoryId: categories[69], status: 'available' }
  assert.equal((await post('/v1/pets', pet)).status, 201)

  const breeds = Array.from({ length: 62 }, (_, index) => `One ${index} / Other ${index}`).join()
  for (const [query, count] of [
    ['', 1],
    ['type=small-furry', 1],
    [`type=small-furry&breed=${breeds},x`, 0],
  ] as const) {
    const { status, body, text } = await read(`/animals?${query}`)
    assert.deepEqual([status, body.animals?.length], [200, count], text)
  }
  const { 'invalid-params': invalid } = (await read(`/animals?breed=${breeds},x&size=small,large`)).body
  assert.deepEqual([invalid[0].path, invalid.length], ['size', 1])
  assert.match(invalid[0].message, /at most 64 values in all lists together/)

  const all = [
    ...['type=dog', 'breed=x', 'size=small', 'gender=male', 'age=baby', 'color=Black', 'coat=short'],
    ...['status=adoptable', 'name=x', 'organization=xx000', 'good_with_children=1', 'good_with_dogs=1'],
    ...['good_with_cats=1', 'house_trained=1', 'declawed=1', 'special_needs=1', 'location=80202'],
    ...['after=2020-01-01', 'before=2030-01-01'],
  ]
  assert.equal((await read(`/animals?${all.join('&')}`)).status, 200, 'all filters at once')
})

test('/v2 with a token of an admin key returns public data only, and 405 to changes', async (t) => {
  const { read, post, request, token } = await startV2(t, {}, { access: 'admin' })
  await post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'available', staff: { notes: 'secret' } })
  assert.doesNotMatch((await read('/animals')).text, /secret/)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const answer = await request('/v2/animals', { method, headers, body: '{}' })
    assert.equal(answer.status, 405, method)
    assert.equal(answer.headers['content-type'], 'application/problem+json')
  }
})

test('GET /v2 escapes all texts of shelters for HTML, but neither names of colors and types nor addresses', async (t) => {
  const { post, read } = await startV2(t)
  const script = '<script>alert("1")</script> & \'x\''
  const escaped = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;'
  const name = script.slice(0, 60)
  const shelter = {
    ...{
      code: 'CO12',
      name,
      mission: script,
      adoptionPolicy: script,
      phone: script,
      website: 'https://a.example/?a=1&b=2',
    },
    ...{
      hours: { monday: script },
      address: { street: script, city: script, region: script, postcode: '<b>' },
    },
  }
  const added = await post('/v1/organizations', shelter)
  assert.equal(added.status, 201, added.text)
  const pet = {
    ...{
      name,
      categoryId: 4,
      status: 'available',
      description: script,
      tags: [script.slice(0, 39)],
      organizationId: 1,
    },
    ...{
      species: script.slice(0, 40),
      breed: { primary: "Cirneco dell'Etna & <i>", secondary: script },
      externalId: '<b>',
    },
    colors: ['White', '<b>', 'Black & White'],
  }
  const stored = await post('/v1/pets', pet)
  assert.equal(stored.status, 201, stored.text)
  const [one, { organization }] = [
    (await read('/animals')).body.animals[0],
    (await read('/organizations/CO12')).body,
  ]
  for (const text of [
    one.name,
    one.description,
    organization.name,
    organization.mission_statement,
    one.contact.phone,
  ])
    assert.equal(text, escaped)
  assert.deepEqual(organization.hours.monday, escaped)
  assert.deepEqual([one.breeds.primary, one.type], ["Cirneco dell'Etna & &lt;i&gt;", 'Small & Furry'])
  assert.deepEqual(one.colors, { primary: 'White', secondary: '&lt;b&gt;', tertiary: 'Black & White' })
  assert.equal(organization.website, 'https://a.example/?a=1&b=2')
  assert.doesNotMatch(JSON.stringify([one, organization]), /<(?!iframe)/)
})

test('other versions than /v2 and /v1 answer 403 to every method and path', async (t) => {
  const { request, token } = await startV2(t)
  const headers = { authorization: `Bearer ${token}` }
  for (const path of ['/v3/types/cat', '/v3', '/v3/', '/v3/animals?page=1', '/v9/oauth2/token'])
    for (const method of ['GET', 'POST', 'DELETE', 'PROPFIND']) {
      const answer = await request(path, { method, headers })
      assert.equal(answer.status, 403, `${method} ${path}`)
      assert.equal(answer.headers['content-type'], 'application/problem+json')
      assert.ok(answer.body.type.endsWith('#ERR-403'))
      assert.deepEqual([answer.body.status, answer.headers['access-control-allow-origin']], [403, '*'])
    }
})

test('/v2 requested from another origin: CORS allows all responses, including errors', async (t) => {
  const { request, read } = await startV2(t)
  const origin = 'https://app.example'
  const preflight = await request('/v2/oauth2/token', {
    method: 'OPTIONS',
    headers: {
      ...{ authorization: undefined, origin, 'access-control-request-method': 'POST' },
      'access-control-request-headers': 'content-type,x-api-sdk,x-requested-with, baggage,bad name',
    },
  })
  assert.equal(preflight.status, 204)
  const allowed = String(preflight.headers['access-control-allow-headers'])
  for (const name of ['Authorization', 'Content-Type', 'X-Api-Sdk', 'x-requested-with', 'baggage'])
    assert.ok(allowed.split(', ').includes(name), name)
  assert.doesNotMatch(allowed, /bad/)
  for (const path of ['/animals', '/animals/99', '/nothing', '/animals?type=x']) {
    const answer = await read(path, { origin })
    assert.equal(answer.headers['access-control-allow-origin'], '*', path)
  }
})

test('/v2 with an absolute URL in the request line: CORS allows the response', async (t) => {
  const { raw, token } = await startV2(t)
  for (const [target, authorization, status] of [
    ['http://pets.example/v2/animals', `Bearer ${token}`, 200],
    ['HTTP://pets.example/v2/types', 'Bearer x', 401],
  ] as const) {
    const fields = `Host: pets.example\r\nAuthorization: ${authorization}\r\nConnection: close\r\n`
    const [answer] = readAnswers(await raw(`GET ${target} HTTP/1.1\r\n${fields}\r\n`))
    assert.deepEqual([answer?.status, answer?.headers['access-control-allow-origin']], [status, '*'], target)
  }
})

test('/v2 itself answers with an error of this API; /v22 is not part of it', async (t) => {
  const { request, token } = await startV2(t)
  const headers = { authorization: `Bearer ${token}`, accept: 'text/html' }
  for (const path of ['/v2', '/v2/', '/v2?a=/', '/%762']) {
    const answer = await request(path, { headers })
    assert.deepEqual([answer.status, answer.headers['content-type']], [404, 'application/problem+json'], path)
    assert.deepEqual(
      [answer.body.title, answer.body.detail.slice(0, 18)],
      ['Not Found', 'No route found for'],
    )
  }
  for (const path of ['/v2', '/v2?a=/'])
    assert.equal((await request(path, { headers })).headers['access-control-allow-origin'], '*', path)
  for (const path of ['/v22', '/v2%2Fanimals'])
    assert.match(String((await request(path, { headers })).headers['content-type']), /html/, path)
})

test('V2=off: every path under /v2 answers 404', async (t) => {
  const { request } = await startV2(t, { settings: { V2: 'off' } })
  for (const path of ['/v2/animals', '/v3/animals']) assert.equal((await request(path)).status, 404, path)
})
