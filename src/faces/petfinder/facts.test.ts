import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changes } from '../../db/change.ts'
import { hashKey } from '../../keys/key-format.ts'
import { generateAccessToken, hashAccessToken } from '../../keys/tokens.ts'
import { JPEG, picture } from '../../testing/pictures.ts'
import { ANIMAL_KEYS, startV2 } from '../../testing/v2.ts'

// Recorded or documented behavior of the original Petfinder API v2. The other tests of this folder are about
// what its clients need in addition.

type App = Awaited<ReturnType<typeof startFilled>>
type WireFacts = Record<string, (app: App) => Promise<void>>

const DENVER = { city: 'Denver', region: 'CO', postcode: '80202', country: 'US' }

const AGES = ['baby', 'young', 'adult', 'senior']
const SIZES = ['small', 'medium', 'large', 'extra_large']
const COATS = ['short', 'medium', 'long', 'wire', 'hairless', 'curly']

/**
 * Three organizations, 17 adoptable dogs, a cat with every member, and two adopted animals with few members.
 */
async function startFilled(t: Parameters<typeof startV2>[0]) {
  const app = await startV2(t, { now: Date.UTC(2026, 11, 2, 3, 4, 5, 678) })
  const { post, read, clock } = app
  const add = async (path: string, body: object): Promise<number> => {
    const answer = await post(path, body)
    assert.equal(answer.status, 201, answer.text)
    return answer.body.id
  }
  for (const [code, name] of [
    ['Co12', 'Second Chance Dog Rescue'],
    ['NY288', 'Dog Rescue of the Second Street'],
    ['ON591', 'Harbour'],
  ])
    await add('/v1/organizations', { code, name, ...(code === 'Co12' && { address: DENVER }) })
  for (let count = 0; count < 17; count += 1) {
    clock.now += 60_000
    const breed = { primary: count < 2 ? 'Golden Retriever' : 'Beagle' }
    await add('/v1/pets', {
      ...{ traits: { declawed: false } },
      ...{ name: `Rex ${count}`, categoryId: 1, status: 'available', organizationId: 2, breed },
      ...{ size: SIZES[count % 4], sex: count % 2 ? 'male' : 'female', age: AGES[count % 4] },
      ...{ coat: COATS[count % 6] },
    })
  }
  const cat = await add('/v1/pets', {
    ...{ name: 'Ada', categoryId: 2, status: 'available', organizationId: 1, coat: 'short' },
    ...{ traits: { declawed: true }, goodWith: { children: true }, tags: ['Calm'], description: 'Purrs.' },
    ...{ videos: ['https://videos.example/ada'], place: DENVER },
  })
  const photo = { method: 'POST', headers: JPEG, body: await picture({ width: 800, height: 600, number: 1 }) }
  assert.equal((await app.request(`/v1/pets/${cat}/photos`, photo)).status, 201)
  await add('/v1/pets', { name: 'Gone', categoryId: 1, status: 'sold', organizationId: 2 })
  await add('/v1/pets', { name: 'Nibbles', categoryId: 4, status: 'sold', species: 'Guinea Pig' })
  const body = async (path: string) => {
    const answer = await read(path)
    assert.equal(answer.status, 200, `${path}: ${answer.text}`)
    return answer.body
  }
  const count = async (query: string): Promise<number> =>
    (await body(`/animals?${query}`)).pagination.total_count
  const refused = async (path: string, parameter: string, message: string): Promise<void> => {
    const answer = await read(path)
    assert.equal(answer.status, 400, path)
    assert.deepEqual(answer.body['invalid-params'], [{ in: 'query', path: parameter, message }])
  }
  return { ...app, body, count, refused, cat }
}

const keys = Object.keys

const ENDPOINTS: WireFacts = {
  async 'GET /v2/animals has animals and pagination'({ body }) {
    assert.deepEqual(keys(await body('/animals')), ['animals', 'pagination'])
  },
  async 'GET /v2/animals/{id} has animal'({ body, cat }) {
    assert.deepEqual(keys(await body(`/animals/${cat}`)), ['animal'])
  },
  async 'GET /v2/types has types'({ body }) {
    assert.deepEqual(keys(await body('/types')), ['types'])
  },
  async 'GET /v2/types/{type} has type'({ body }) {
    assert.deepEqual(keys(await body('/types/dog')), ['type'])
  },
  async 'GET /v2/types/{type}/breeds has breeds, and no pagination'({ body }) {
    assert.deepEqual(keys(await body('/types/dog/breeds')), ['breeds'])
  },
  async 'GET /v2/organizations has organizations and pagination'({ body }) {
    assert.deepEqual(keys(await body('/organizations')), ['organizations', 'pagination'])
  },
  async 'GET /v2/organizations/{id} has organization'({ body }) {
    assert.deepEqual(keys(await body('/organizations/CO12')), ['organization'])
  },
  async 'path with a slash at the end: answered, not redirected'({ body, read, askToken, request }) {
    for (const path of ['/animals/', '/organizations/', '/types/', '/types/dog/']) await body(path)
    assert.equal((await read('/types/', { authorization: undefined })).status, 401)
    assert.equal((await askToken()).status, 200)
    const headers = { authorization: undefined, 'content-type': 'application/json' }
    assert.equal((await request('/v2/oauth2/token/', { method: 'POST', headers, body: {} })).status, 400)
  },
  async 'type by slug or name: the same'({ body }) {
    assert.deepEqual(await body('/types/dog'), await body('/types/Dog'))
  },
  async 'organization by id in any case: the same, with links in lower case'({ body }) {
    const { organization } = await body('/organizations/co12')
    assert.deepEqual(organization, (await body('/organizations/CO12')).organization)
    assert.equal(organization.id, 'CO12')
    assert.deepEqual(organization._links, {
      self: { href: '/v2/organizations/co12' },
      animals: { href: '/v2/animals?organization=co12' },
    })
  },
  async 'animal by id with text after the digits: 200; without digits: 404'({ body, read, cat }) {
    assert.equal((await body(`/animals/${cat}!`)).animal.id, cat)
    assert.equal((await read('/animals/abcdefg')).status, 404)
  },
}

const TOKENS: WireFacts = {
  async 'token request as a form: a Bearer token for 3600 seconds, no other members'({ askToken }) {
    const { body } = await askToken()
    assert.deepEqual(
      { ...body, access_token: typeof body.access_token },
      {
        token_type: 'Bearer',
        expires_in: 3_600,
        access_token: 'string',
      },
    )
  },
  async 'token response: JSON in UTF-8, no-store, open to all origins'({ askToken }) {
    const { headers } = await askToken()
    assert.match(String(headers['content-type']), /^application\/json; charset=utf-8$/i)
    assert.match(String(headers['cache-control']), /no-store/)
    assert.equal(headers.pragma, 'no-cache')
    assert.equal(headers['access-control-allow-origin'], '*')
  },
  async 'client credentials: an id of 50 letters and digits, a secret of 40'({ client }) {
    assert.match(client.id, /^[A-Za-z0-9]{50}$/)
    assert.match(client.secret, /^[A-Za-z0-9]{40}$/)
  },
  async 'unknown credentials: 401 with these keys and texts'({ askToken }) {
    const form = { grant_type: 'client_credentials', client_id: 'a', client_secret: 'b' }
    const { status, headers, body } = await askToken({ body: new URLSearchParams(form).toString() })
    assert.equal(body.status, 401)
    assert.match(body.type, /#ERR-401$/)
    assert.deepEqual([status, headers['content-type']], [401, 'application/problem+json'])
    assert.deepEqual(keys(body), ['type', 'status', 'title', 'detail', 'errors', 'hint'])
    assert.deepEqual([body.title, body.detail], ['invalid_client', 'Client authentication failed'])
    assert.deepEqual(keys(body.errors[0]), ['code', 'title', 'message', 'details', 'href'])
    assert.equal(body.hint, null)
  },
  async 'missing, wrong or expired token, or Basic: the same 401 with this detail'(app) {
    const { read, client, clock, service } = app
    const expired = generateAccessToken()
    const secretHash = hashKey(`${client.id}:${client.secret}`)
    const issuedAt = clock.now - 3_600_000
    await service.context.write(changes.insertToken, hashAccessToken(expired) as string, secretHash, issuedAt)
    for (const authorization of [undefined, 'Bearer x', `Bearer ${expired}`, 'Basic YTpi']) {
      const { status, body } = await read('/animals', { authorization })
      assert.deepEqual([status, body.detail], [401, 'Access token invalid or expired'])
    }
  },
}

const LISTS: WireFacts = {
  async 'type: a slug or name in any case'({ count }) {
    for (const type of ['dog', 'Dog', 'DOG']) assert.equal(await count(`type=${type}`), 17, type)
    for (const type of ['small-furry', 'Small+%26+Furry'])
      assert.equal(await count(`type=${type}&status=adopted`), 1, type)
  },
  async 'breed: a name of the list of breeds'({ count }) {
    assert.equal(await count('breed=Golden%20Retriever'), 2)
  },
  async 'size, gender, age and coat: lists separated by commas'({ count }) {
    assert.equal(await count('size=small,large&type=dog'), 9)
    assert.equal(await count('gender=male,female'), 17)
    assert.equal(await count('age=baby,adult'), 9)
    assert.equal(await count('coat=short,wire'), 7)
  },
  async 'no status: lists adoptable animals'({ count }) {
    assert.deepEqual(
      [await count(''), await count('status=adoptable'), await count('status=adopted')],
      [18, 18, 2],
    )
  },
  async 'organization: one or several ids in any case'({ count }) {
    assert.deepEqual([await count('organization=co12'), await count('organization=co12,NY288')], [1, 18])
  },
  async 'good_with_…: 1 or true'({ count }) {
    for (const yes of ['1', 'true'])
      assert.deepEqual(
        [await count(`good_with_children=${yes}`), await count(`good_with_dogs=${yes}`)],
        [1, 0],
      )
  },
  async 'location: a city with its state, abbreviated or not, a postcode or coordinates'({ count }) {
    for (const location of ['denver, colorado', 'Denver, CO', '80202', '39.74,-104.99'])
      assert.equal(await count(`location=${encodeURIComponent(location)}`), 1, location)
  },
  async 'distance: in miles, 100 by default and 500 at most'({ body, count, refused }) {
    assert.equal(await count('location=81001'), 0, 'Pueblo is 104 miles away')
    assert.equal(await count('location=81001&distance=150'), 1)
    const [{ distance }] = (await body('/animals?location=81001&distance=300')).animals
    assert.ok(distance > 100 && distance < 110, `${distance}`)
    assert.equal(distance, Number(distance.toFixed(4)))
    await refused('/animals?location=81001&distance=x', 'distance', 'This value should be a valid number.')
    assert.equal(await count('location=81001&distance=500'), 1)
    await refused('/animals?location=81001&distance=501', 'distance', 'This value should be 500 or less.')
  },
  async 'before and after: compared with published_at'({ count }) {
    assert.equal(await count('before=2026-12-02T03:06:30%2B00:00'), 2)
    assert.equal(await count('after=2026-12-02T03:06:30Z&type=dog'), 15)
  },
  async 'no sort, or sort=recent: newest published_at first'({ body }) {
    const dates = async (query: string): Promise<string[]> =>
      (await body(`/animals?${query}`)).animals.map(
        ({ published_at }: { published_at: string }) => published_at,
      )
    const recent = await dates('type=dog')
    assert.deepEqual(recent, recent.toSorted().reverse())
    assert.deepEqual(await dates('type=dog&sort=recent'), recent)
  },
  async 'unknown parameters: ignored'({ count }) {
    assert.equal(await count('animal_type=cat&type=cat&'), 1)
  },
  async 'name of organizations: matches all words'({ body }) {
    const { organizations } = await body('/organizations?name=Second%20Dog%20Rescue')
    assert.equal(organizations.length, 2)
    assert.equal((await body('/organizations?name=Second%20Chance%20Dog%20Rescue')).organizations.length, 1)
  },
  async 'unknown country: 400 with invalid-params'({ read }) {
    for (const country of ['Neverland', 'Foobar']) {
      const { status, body } = await read(`/organizations?country=${country}`)
      assert.deepEqual([status, body['invalid-params'][0].path], [400, 'country'])
    }
  },
}

const PAGES: WireFacts = {
  async 'pagination: these five members'({ body }) {
    assert.deepEqual((await body('/animals?type=dog&limit=5&page=2')).pagination, {
      ...{ count_per_page: 5, total_count: 17, current_page: 2, total_pages: 4 },
      _links: {
        previous: { href: '/v2/animals?limit=5&type=dog&page=1' },
        next: { href: '/v2/animals?limit=5&type=dog&page=3' },
      },
    })
  },
  async 'first page: only a next link; last page: only a previous link'({ body }) {
    const links = async (page: number) =>
      keys((await body(`/animals?type=dog&limit=5&page=${page}`)).pagination._links)
    assert.deepEqual([await links(1), await links(4)], [['next'], ['previous']])
  },
  async 'single page: no _links'({ body }) {
    assert.deepEqual((await body('/animals?type=dog')).pagination, {
      ...{ count_per_page: 20, total_count: 17, current_page: 1, total_pages: 1 },
    })
  },
  async 'no match: 200 with an empty list'({ body }) {
    assert.deepEqual((await body('/animals?type=horse')).animals, [])
  },
  async 'links: relative, parameters sorted by name with page last, commas and colons unescaped'({ body }) {
    const { pagination } = await body('/animals/?limit=5&gender=male,female&after=2020-01-01T00%3A00%3A00Z')
    const href = '/v2/animals?after=2020-01-01T00:00:00Z&gender=male,female&limit=5&page=2'
    assert.equal(pagination._links.next.href, href)
  },
}

const ANIMALS: WireFacts = {
  async 'keys: all of these in this order; unknown lists are empty'({ body }) {
    const { animals } = await body('/animals?limit=100&status=adoptable,adopted')
    assert.equal(animals.length, 20)
    for (const animal of animals) {
      assert.deepEqual(keys(animal), ANIMAL_KEYS)
      for (const [name, own] of Object.entries(KEYS_IN_ANIMAL))
        assert.deepEqual(keys(animal[name]), own, name)
      assert.deepEqual(keys(animal.contact.address), ADDRESS_KEYS)
      for (const name of ['tags', 'photos', 'videos']) assert.ok(Array.isArray(animal[name]), name)
    }
  },
  async 'values: the original types, null if unknown'({ body }) {
    const { animals } = await body('/animals?limit=100&status=adoptable,adopted')
    for (const { id, breeds, attributes, environment, colors, coat, ...animal } of animals) {
      const { declawed, ...flags } = attributes
      assert.ok(Number.isInteger(id))
      for (const value of [breeds.mixed, breeds.unknown, ...Object.values(flags)])
        assert.equal(typeof value, 'boolean')
      for (const value of [declawed, ...Object.values(environment)])
        assert.ok(value === null || typeof value === 'boolean')
      const { description, organization_animal_id, contact } = animal
      for (const value of [breeds.secondary, ...Object.values(colors), coat, description, contact.email])
        assert.ok(value === null || typeof value === 'string')
      assert.equal(organization_animal_id, null)
    }
  },
  async 'single animal: as in the list'({ body }) {
    for (const animal of (await body('/animals?limit=100')).animals)
      assert.deepEqual(await body(`/animals/${animal.id}`), { animal })
  },
  async 'tags: free text'({ body, cat }) {
    assert.deepEqual((await body(`/animals/${cat}`)).animal.tags, ['Calm'])
  },
  async 'declawed: null except for cats'({ body }) {
    const { animals } = await body('/animals?limit=100')
    for (const { type, attributes } of animals)
      assert.equal(attributes.declawed, type === 'Cat' ? true : null, type)
  },
  async 'ages, genders, sizes and coats: capitalized; status: in lower case'({ body }) {
    const { animals } = await body('/animals?limit=100&status=adoptable,adopted')
    const values = (name: string) =>
      [...new Set(animals.map((one: Record<string, string>) => one[name]))].sort()
    assert.deepEqual(values('age'), ['Adult', 'Baby', 'Senior', 'Young'])
    assert.deepEqual(values('gender'), ['Female', 'Male', 'Unknown'])
    assert.deepEqual(values('size'), ['Extra Large', 'Large', 'Medium', 'Small'])
    assert.deepEqual(values('coat'), ['Curly', 'Hairless', 'Long', 'Medium', 'Short', 'Wire', null])
    assert.deepEqual(values('status'), ['adoptable', 'adopted'])
  },
  async 'species: the type for dogs and cats, more specific for other animals'({ body }) {
    for (const { type, species } of (await body('/animals')).animals) assert.equal(species, type)
    const [{ type, species }] = (await body('/animals?type=small-furry&status=adopted')).animals
    assert.deepEqual([type, species], ['Small & Furry', 'Guinea Pig'])
  },
  async 'timestamps: 24 characters, no fraction, no colon in the offset'({ body }) {
    for (const { published_at, status_changed_at } of (await body('/animals')).animals)
      for (const time of [published_at, status_changed_at])
        assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/)
  },
  async 'photos and primary_photo_cropped: four URLs each'({ body, cat }) {
    const { photos, primary_photo_cropped } = (await body(`/animals/${cat}`)).animal
    assert.equal(photos.length, 1)
    for (const photo of [photos[0], primary_photo_cropped]) {
      assert.deepEqual(keys(photo), ['small', 'medium', 'large', 'full'])
      for (const address of Object.values(photo)) assert.match(String(address), /^https?:\/\//)
    }
  },
  async 'videos: HTML to embed'({ body, cat }) {
    const [video] = (await body(`/animals/${cat}`)).animal.videos
    assert.deepEqual(keys(video), ['embed'])
    assert.match(video.embed, /^<iframe src="https:\/\/videos\.example\/ada"/)
  },
  async 'distance without a location: null'({ body }) {
    for (const { distance } of (await body('/animals')).animals) assert.equal(distance, null)
  },
  async '_links: self, type and organization'({ body, cat }) {
    assert.deepEqual((await body(`/animals/${cat}`)).animal._links, {
      self: { href: `/v2/animals/${cat}` },
      type: { href: '/v2/types/cat' },
      organization: { href: '/v2/organizations/co12' },
    })
  },
  async 'breed, age, gender, size, city, state, postcode and country: never null'({ body }) {
    const { animals } = await body('/animals?limit=100&status=adoptable,adopted')
    for (const { breeds, age, gender, size, contact } of animals) {
      const { city, state, postcode, country } = contact.address
      for (const value of [breeds.primary, age, gender, size, city, state, postcode, country])
        assert.equal(typeof value, 'string')
    }
  },
}

/** Keys recorded in 2024. */
const KEYS_IN_ANIMAL = {
  breeds: ['primary', 'secondary', 'mixed', 'unknown'],
  colors: ['primary', 'secondary', 'tertiary'],
  attributes: ['spayed_neutered', 'house_trained', 'declawed', 'special_needs', 'shots_current'],
  environment: ['children', 'dogs', 'cats'],
  contact: ['email', 'phone', 'address'],
  _links: ['self', 'type', 'organization'],
}
const ADDRESS_KEYS = ['address1', 'address2', 'city', 'state', 'postcode', 'country']
const ORGANIZATION_KEYS = [
  ...['id', 'name', 'email', 'phone', 'address', 'hours', 'url', 'website', 'mission_statement', 'adoption'],
  ...['social_media', 'photos', 'distance', '_links'],
]
const KEYS_IN_ORGANIZATION = {
  address: ADDRESS_KEYS,
  hours: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'],
  adoption: ['policy', 'url'],
  social_media: ['facebook', 'twitter', 'youtube', 'instagram', 'pinterest'],
  _links: ['self', 'animals'],
}

const TYPES = ['Dog', 'Cat', 'Rabbit', 'Small & Furry', 'Horse', 'Bird', 'Scales, Fins & Other', 'Barnyard']
const SLUGS = ['dog', 'cat', 'rabbit', 'small-furry', 'horse', 'bird', 'scales-fins-other', 'barnyard']

const COLORS = [
  'Apricot / Beige; Bicolor; Black; Brindle; Brown / Chocolate; Golden; Gray / Blue / Silver; Harlequin; Merle (Blue); Merle (Red); Red / Chestnut / Orange; Sable; Tricolor (Brown, Black, & White); White / Cream; Yellow / Tan / Blond / Fawn',
  'Black; Black & White / Tuxedo; Blue Cream; Blue Point; Brown / Chocolate; Buff & White; Buff / Tan / Fawn; Calico; Chocolate Point; Cream / Ivory; Cream Point; Dilute Calico; Dilute Tortoiseshell; Flame Point; Gray & White; Gray / Blue / Silver; Lilac Point; Orange & White; Orange / Red; Seal Point; Smoke; Tabby (Brown / Chocolate); Tabby (Buff / Tan / Fawn); Tabby (Gray / Blue / Silver); Tabby (Leopard / Spotted); Tabby (Orange / Red); Tabby (Tiger Striped); Torbie; Tortoiseshell; White',
  'Agouti; Black; Blue / Gray; Brown / Chocolate; Cream; Lilac; Orange / Red; Sable; Silver Marten; Tan; Tortoiseshell; White',
  'Agouti; Albino; Black; Black Sable; Blue / Gray; Brown / Chocolate; Calico; Champagne; Cinnamon; Cream; Orange / Red; Sable; Tan; Tortoiseshell; White; White (Dark-Eyed)',
  'Appaloosa; Bay; Bay Roan; Black; Blue Roan; Brown; Buckskin; Champagne; Chestnut / Sorrel; Cremello; Dapple Gray; Dun; Gray; Grullo; Liver; Paint; Palomino; Perlino; Piebald; Pinto; Red Roan; Silver Bay; Silver Buckskin; Silver Dapple; White',
  'Black; Blue; Brown; Buff; Gray; Green; Olive; Orange; Pink; Purple / Violet; Red; Rust / Rufous; Tan; White; Yellow',
  'Black; Blue; Brown; Gray; Green; Iridescent; Orange; Purple; Red; Tan; White; Yellow',
  'Agouti; Black; Black & White; Brindle; Brown; Gray; Pink; Red; Roan; Spotted; Tan; White',
]
const COATS_OF = [
  ['Hairless', 'Short', 'Medium', 'Long', 'Wire', 'Curly'],
  ['Hairless', 'Short', 'Medium', 'Long'],
  ['Short', 'Long'],
  ['Hairless', 'Short', 'Long'],
  ...[[], [], []],
  ['Short', 'Long'],
]

const TYPE_FACTS: WireFacts = {
  async 'types: these eight in this order, each under its slug and name'({ body }) {
    const { types } = await body('/types')
    assert.deepEqual(
      types.map(({ name }: { name: string }) => name),
      TYPES,
    )
    for (const [index, slug] of SLUGS.entries()) {
      assert.deepEqual((await body(`/types/${slug}`)).type, types[index])
      const name = encodeURIComponent(TYPES[index] as string)
      assert.deepEqual((await body(`/types/${name}`)).type, types[index])
    }
  },
  async 'type: these keys, and links to itself and its breeds'({ body }) {
    for (const [index, type] of (await body('/types')).types.entries()) {
      assert.deepEqual(keys(type), ['name', 'coats', 'colors', 'genders', '_links'])
      const href = `/v2/types/${SLUGS[index]}`
      assert.deepEqual(type._links, { self: { href }, breeds: { href: `${href}/breeds` } })
    }
  },
  async 'type: these colors, coats and genders'({ body }) {
    for (const [index, { name, colors, coats, genders }] of (await body('/types')).types.entries()) {
      assert.deepEqual(colors, COLORS[index]?.split('; '), name)
      // The order of coats does not matter: some clients sort them.
      assert.deepEqual([...coats].sort(), [...(COATS_OF[index] ?? [])].sort(), name)
      const isUnsexed = name === 'Bird' || name.startsWith('Scales')
      assert.deepEqual(genders, ['Male', 'Female', ...(isUnsexed ? ['Unknown'] : [])], name)
    }
  },
  async 'breeds: name and link of the type, sorted without case'({ body }) {
    for (const slug of SLUGS) {
      const { breeds } = await body(`/types/${slug}/breeds`)
      assert.ok(breeds.length > 1, slug)
      for (const breed of breeds) {
        assert.deepEqual(keys(breed), ['name', '_links'])
        assert.deepEqual(breed._links, { type: { href: `/v2/types/${slug}` } })
      }
      const names: string[] = breeds.map(({ name }: { name: string }) => name.toLowerCase())
      assert.deepEqual(names, names.toSorted(), slug)
    }
  },
  async 'organization: all of these keys in this order'({ body }) {
    const { organizations } = await body('/organizations')
    assert.equal(organizations.length, 3)
    for (const organization of organizations) {
      assert.deepEqual(keys(organization), ORGANIZATION_KEYS)
      for (const [name, own] of Object.entries(KEYS_IN_ORGANIZATION))
        assert.deepEqual(keys(organization[name]), own, name)
      assert.deepEqual(organization.photos, [])
    }
  },
  async 'single organization: as in the list'({ body }) {
    const { organizations } = await body('/organizations')
    for (const organization of organizations)
      assert.deepEqual((await body(`/organizations/${organization.id}`)).organization, organization)
  },
}

const ERRORS: WireFacts = {
  async 'unknown animal or organization: 404 without invalid-params'({ read }) {
    for (const path of ['/animals/999', '/organizations/NY1', '/animals/types']) {
      const { status, headers, body } = await read(path)
      assert.deepEqual([status, headers['content-type']], [404, 'application/problem+json'], path)
      assert.deepEqual(keys(body), ['type', 'status', 'title', 'detail'])
      assert.deepEqual([body.status, body.title, body.detail], [404, 'Not Found', 'Not Found'])
      assert.match(body.type, /#ERR-404$/)
    }
  },
  async 'unknown route: 404, the detail says so'({ read }) {
    const { status, body } = await read('/animal')
    assert.deepEqual([status, body.title], [404, 'Not Found'])
    assert.match(body.detail, /No route found for/)
  },
  async 'invalid value: ERR-00002 with these texts'({ read }) {
    const { status, headers, body } = await read('/animals?type=zebra')
    assert.deepEqual([status, headers['content-type']], [400, 'application/problem+json'])
    assert.deepEqual(keys(body), ['type', 'status', 'title', 'detail', 'invalid-params'])
    assert.deepEqual(
      [body.title, body.detail],
      ['Invalid Request', 'The request contains invalid parameters.'],
    )
    assert.match(body.type, /#ERR-00002$/)
  },
  async 'unknown type: this message'({ refused }) {
    await refused('/animals?type=zebra', 'type', 'zebra is not a valid animal type.')
  },
  async 'unknown location: this message'({ refused }) {
    for (const location of ['denver', 'washington*', '34787!'])
      await refused(`/animals?location=${location}`, 'location', 'Could not determine location.')
  },
}

const MARK: WireFacts = {
  async 'name of the original API: only on the page of errors, in one sentence'(app) {
    const { read, askToken, body, cat, request } = app
    const paths = [
      '/animals',
      `/animals/${cat}`,
      '/types',
      '/types/dog',
      '/types/dog/breeds',
      '/organizations',
    ]
    const wrong = ['/organizations/co12', '/animals/0', '/animals?type=x', '/nothing']
    const answers = [await askToken(), await askToken({ body: '' })]
    for (const path of [...paths, ...wrong]) answers.push(await read(path))
    answers.push(await read('/animals', { authorization: undefined }))
    for (const { headers, text } of answers)
      assert.doesNotMatch(`${JSON.stringify(headers)}${text}`, /petfinder/i)
    assert.equal((await body('/types')).types.length, 8)
    const page = await request('/v2/errors', { headers: { authorization: undefined } })
    const mentions = page.text.match(/[^<>]*petfinder[^<>]*/gi)
    assert.deepEqual(mentions, ['Compatible with clients written for the Petfinder API v2; not affiliated.'])
  },
}

const ORIGINS: WireFacts = {
  async 'every response: open to all origins, including errors'({ read }) {
    for (const path of ['/animals', '/types', '/animals/0', '/nothing', '/animals?page=x']) {
      const { headers } = await read(path, { origin: 'https://pets.example' })
      assert.equal(headers['access-control-allow-origin'], '*', path)
    }
    const { headers } = await read('/animals', { authorization: undefined, origin: 'https://pets.example' })
    assert.equal(headers['access-control-allow-origin'], '*')
  },
}

const FACTS: Record<string, WireFacts> = {
  endpoints: ENDPOINTS,
  tokens: TOKENS,
  lists: LISTS,
  pages: PAGES,
  animals: ANIMALS,
  'types, breeds and organizations': TYPE_FACTS,
  errors: ERRORS,
  trademark: MARK,
  origins: ORIGINS,
}

test('the service behaves as recorded from the Petfinder API v2', async (t) => {
  const app = await startFilled(t)
  for (const [group, facts] of Object.entries(FACTS))
    for (const [fact, check] of Object.entries(facts)) await t.test(`${group}: ${fact}`, () => check(app))
})
