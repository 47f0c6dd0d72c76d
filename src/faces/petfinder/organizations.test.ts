import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startV2 } from '../../testing/v2.ts'

const KEYS = [
  ...['id', 'name', 'email', 'phone', 'address', 'hours', 'url', 'website', 'mission_statement', 'adoption'],
  ...['social_media', 'photos', 'distance', '_links'],
]

const place = (city: string, region: string, country: string, postcode?: string) => ({
  address: { city, region, country, ...(postcode && { postcode }) },
})

const DOG_COLORS = [
  ...[
    'Apricot / Beige',
    'Bicolor',
    'Black',
    'Brindle',
    'Brown / Chocolate',
    'Golden',
    'Gray / Blue / Silver',
  ],
  ...['Harlequin', 'Merle (Blue)', 'Merle (Red)', 'Red / Chestnut / Orange', 'Sable'],
  ...['Tricolor (Brown, Black, & White)', 'White / Cream', 'Yellow / Tan / Blond / Fawn'],
]

async function startOrganizations(t: TestContext) {
  const app = await startV2(t)
  const shelters = [
    { code: 'CO12', name: 'Second Chance Dog Rescue', ...place('Denver', 'CO', 'US', '80202') },
    { code: 'UT2', name: 'Hill Shelter', ...place('Moab', 'UT', 'US', '84532') },
    { code: 'ON591', name: 'Second Harbour', ...place('Ottawa', 'ON', 'CA', 'K1P 1J1') },
  ]
  for (const shelter of shelters) assert.equal((await app.post('/v1/organizations', shelter)).status, 201)
  const codes = async (query = ''): Promise<string[]> => {
    const answer = await app.read(`/organizations?${query}`)
    assert.equal(answer.status, 200, `${query}: ${answer.text}`)
    return answer.body.organizations.map(({ id }: { id: string }) => id)
  }
  return { ...app, codes }
}

test('GET /v2/organizations/{id} returns every key in order, as in the list, and accepts the id in any case', async (t) => {
  const { post, read } = await startV2(t)
  const full = {
    ...{
      code: 'Co12',
      name: 'Hill',
      email: 'pets@hill.example',
      phone: '1',
      website: 'https://hill.example',
    },
    address: { street: '1 Hill Road', city: 'Denver', region: 'CO', postcode: '80202', country: 'US' },
    hours: { monday: '9 to 5' },
    ...{ mission: 'Homes.', adoptionPolicy: 'Ask.', adoptionUrl: 'https://hill.example/adopt' },
    social: { facebook: 'https://facebook.example/hill', x: 'https://x.example/hill' },
  }
  await post('/v1/organizations', full)
  const { organizations } = (await read('/organizations')).body
  assert.deepEqual(Object.keys(organizations[0]), KEYS)
  assert.deepEqual(organizations[0], {
    ...{ id: 'CO12', name: 'Hill', email: 'pets@hill.example', phone: '1' },
    address: {
      ...{ address1: '1 Hill Road', address2: null, city: 'Denver', state: 'CO', postcode: '80202' },
      country: 'US',
    },
    hours: {
      ...{ monday: '9 to 5', tuesday: null, wednesday: null, thursday: null, friday: null, saturday: null },
      sunday: null,
    },
    ...{ url: 'http://pets.example/organizations/Co12', website: 'https://hill.example' },
    mission_statement: 'Homes.',
    adoption: { policy: 'Ask.', url: 'https://hill.example/adopt' },
    social_media: {
      ...{ facebook: 'https://facebook.example/hill', twitter: 'https://x.example/hill' },
      ...{ youtube: null, instagram: null, pinterest: null },
    },
    photos: [],
    distance: null,
    _links: {
      self: { href: '/v2/organizations/co12' },
      animals: { href: '/v2/animals?organization=co12' },
    },
  })
  for (const code of ['CO12', 'co12', 'Co12/'])
    assert.deepEqual((await read(`/organizations/${code}`)).body, { organization: organizations[0] })
  const installation = (await read('/organizations/xx000')).body.organization
  assert.deepEqual(
    [Object.keys(installation), installation.id, installation.url],
    [KEYS, 'XX000', 'http://pets.example/'],
  )
  const none = await read('/organizations/nobody')
  assert.deepEqual([none.status, none.body.detail], [404, 'Not Found'])
})

test('GET /v2/organizations with filters and sort returns the matching organizations in order', async (t) => {
  const { codes, read } = await startOrganizations(t)
  for (const [query, found] of [
    ['', ['UT2', 'CO12', 'ON591']],
    ['sort=-name', ['ON591', 'CO12', 'UT2']],
    ['sort=state', ['CO12', 'ON591', 'UT2']],
    ['sort=-country', ['CO12', 'UT2', 'ON591']],
    ['sort=recent', ['ON591', 'UT2', 'CO12']],
    ['name=second+chance', ['CO12']],
    ['name=SECOND', ['CO12', 'ON591']],
    ['query=second ottawa', ['ON591']],
    ['state=ut', ['UT2']],
    ['country=CA', ['ON591']],
    ['location=80202&distance=10', ['CO12']],
    ['location=80202&distance=500', ['CO12', 'UT2']],
    ['location=80202&distance=500&sort=-distance', ['UT2', 'CO12']],
    ['limit=1&page=2', ['CO12']],
    ['limit=1&page=7', []],
    ['state=&name=&what=ever&', ['UT2', 'CO12', 'ON591']],
  ] as const)
    assert.deepEqual(await codes(query), found, query)
  const { organizations, pagination } = (await read('/organizations/?location=80202&distance=500&limit=1'))
    .body
  assert.equal(organizations[0].distance, 0)
  assert.deepEqual(pagination, {
    ...{ count_per_page: 1, total_count: 2, current_page: 1, total_pages: 2 },
    _links: { next: { href: '/v2/organizations?distance=500&limit=1&location=80202&page=2' } },
  })
})

test('GET /v2/organizations with an invalid value: 400 that names the parameter', async (t) => {
  const { read } = await startOrganizations(t)
  for (const [query, path] of [
    ['country=Neverland', 'country'],
    ['country=Foobar', 'country'],
    ['sort=best', 'sort'],
    ['sort=distance', 'sort'],
    ['limit=101', 'limit'],
    ['location=Nowhere, XY', 'location'],
    ['location=80202&distance=x', 'distance'],
  ]) {
    const answer = await read(`/organizations?${query}`)
    assert.deepEqual([answer.status, answer.body['invalid-params']?.[0].path], [400, path], query)
  }
})

test('GET /v2/types returns eight types in order, with coats, colors, genders and breeds', async (t) => {
  const { read, post } = await startV2(t)
  const { types } = (await read('/types/')).body
  assert.deepEqual(
    types.map(({ name }: { name: string }) => name),
    ['Dog', 'Cat', 'Rabbit', 'Small & Furry', 'Horse', 'Bird', 'Scales, Fins & Other', 'Barnyard'],
  )
  for (const type of types)
    assert.deepEqual(Object.keys(type), ['name', 'coats', 'colors', 'genders', '_links'])
  const [dog] = types
  assert.deepEqual(dog.coats, ['Hairless', 'Short', 'Medium', 'Long', 'Wire', 'Curly'])
  assert.deepEqual(dog.genders, ['Male', 'Female'])
  assert.deepEqual(dog.colors, DOG_COLORS)
  assert.deepEqual(types[6].genders, ['Male', 'Female', 'Unknown'])
  assert.deepEqual(dog._links, {
    self: { href: '/v2/types/dog' },
    breeds: { href: '/v2/types/dog/breeds' },
  })
  for (const name of ['dog', 'Dog', 'DOG'])
    assert.deepEqual((await read(`/types/${name}`)).body, { type: dog })
  for (const name of ['small-furry', 'Small%20%26%20Furry', 'scales-fins-other'])
    assert.equal((await read(`/types/${name}`)).status, 200, name)

  await post('/v1/breeds', { categoryId: 1, name: 'aardvark hound' })
  const { breeds } = (await read('/types/Dog/breeds')).body
  assert.deepEqual(Object.keys((await read('/types/dog/breeds')).body), ['breeds'])
  assert.deepEqual(breeds[0], { name: 'aardvark hound', _links: { type: { href: '/v2/types/dog' } } })
  const names: string[] = breeds.map(({ name }: { name: string }) => name.toLowerCase())
  assert.deepEqual(names, names.toSorted())
  for (const path of ['/types/zebra', '/types/zebra/breeds', '/types/dog/colors'])
    assert.equal((await read(path)).status, 404, path)
})

test('the type of an error links to a page that explains the error', async (t) => {
  const { request, read } = await startV2(t)
  const { type } = (await read('/animals?type=x')).body
  const { pathname, hash } = new URL(type)
  const page = await request(pathname, { headers: { authorization: undefined } })
  assert.equal(page.status, 200)
  assert.match(page.text, new RegExp(`<dt id="${hash.slice(1)}">`))
  assert.match(page.text, /Compatible with clients written for the Petfinder API v2; not affiliated\./)
})
