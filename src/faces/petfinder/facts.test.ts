import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changes } from '../../db/change.ts'
import { hashKey } from '../../keys/key-format.ts'
import { generateToken, hashOfToken } from '../../keys/tokens.ts'
import { JPEG, picture } from '../../testing/pictures.ts'
import { ANIMAL_KEYS, startV2 } from '../../testing/v2.ts'

// What was recorded of the wire, or asserted of the service that was: one fact after the other. What its
// clients need beside it is in the other tests of this folder.

type App = Awaited<ReturnType<typeof startFilled>>
type Facts = Record<string, (app: App) => Promise<void>>

const DENVER = { city: 'Denver', region: 'CO', postcode: '80202', country: 'US' }

const AGES = ['baby', 'young', 'adult', 'senior']
const SIZES = ['small', 'medium', 'large', 'extra_large']
const COATS = ['short', 'medium', 'long', 'wire', 'hairless', 'curly']

/**
 * Three organizations, 17 adoptable dogs, a cat with all that one can have, and two that have homes, of whom
 * next to nothing is known.
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

const ENDPOINTS: Facts = {
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
  async 'a slash at the end is answered, not redirected'({ body, read, askToken, request }) {
    for (const path of ['/animals/', '/organizations/', '/types/', '/types/dog/']) await body(path)
    assert.equal((await read('/types/', { authorization: undefined })).status, 401)
    assert.equal((await askToken()).status, 200)
    const headers = { authorization: undefined, 'content-type': 'application/json' }
    assert.equal((await request('/v2/oauth2/token/', { method: 'POST', headers, body: {} })).status, 400)
  },
  async 'a type is its slug or its name'({ body }) {
    assert.deepEqual(await body('/types/dog'), await body('/types/Dog'))
  },
  async 'the id of an organization has no case, and its links are in lower case'({ body }) {
    const { organization } = await body('/organizations/co12')
    assert.deepEqual(organization, (await body('/organizations/CO12')).organization)
    assert.equal(organization.id, 'CO12')
    assert.deepEqual(organization._links, {
      self: { href: '/v2/organizations/co12' },
      animals: { href: '/v2/animals?organization=co12' },
    })
  },
  async 'the id of an animal is a leading integer, and letters are a 404'({ body, read, cat }) {
    assert.equal((await body(`/animals/${cat}!`)).animal.id, cat)
    assert.equal((await read('/animals/abcdefg')).status, 404)
  },
}

const TOKENS: Facts = {
  async 'a form with id and secret gets a Bearer for 3600 seconds, and nothing else is told'({ askToken }) {
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
  async 'its answer is JSON in UTF-8, kept by nobody, and open to all origins'({ askToken }) {
    const { headers } = await askToken()
    assert.match(String(headers['content-type']), /^application\/json; charset=utf-8$/i)
    assert.match(String(headers['cache-control']), /no-store/)
    assert.equal(headers.pragma, 'no-cache')
    assert.equal(headers['access-control-allow-origin'], '*')
  },
  async 'a client id has 50 letters and digits, its secret 40'({ client }) {
    assert.match(client.id, /^[A-Za-z0-9]{50}$/)
    assert.match(client.secret, /^[A-Za-z0-9]{40}$/)
  },
  async 'credentials that are not known are a 401 with these keys and texts'({ askToken }) {
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
  async 'no token, another, an expired one and Basic are the same 401, whose detail is this text'(app) {
    const { read, client, clock, service } = app
    const expired = generateToken()
    const secretHash = hashKey(`${client.id}:${client.secret}`)
    const asked = clock.now - 3_600_000
    await service.context.write(changes.insertToken, hashOfToken(expired) as string, secretHash, asked)
    for (const authorization of [undefined, 'Bearer x', `Bearer ${expired}`, 'Basic YTpi']) {
      const { status, body } = await read('/animals', { authorization })
      assert.deepEqual([status, body.detail], [401, 'Access token invalid or expired'])
    }
  },
}

const LISTS: Facts = {
  async 'type is a slug or a name, in any case'({ count }) {
    for (const type of ['dog', 'Dog', 'DOG']) assert.equal(await count(`type=${type}`), 17, type)
    for (const type of ['small-furry', 'Small+%26+Furry'])
      assert.equal(await count(`type=${type}&status=adopted`), 1, type)
  },
  async 'breed is a name as the breeds have it'({ count }) {
    assert.equal(await count('breed=Golden%20Retriever'), 2)
  },
  async 'size, gender, age and coat are lists by comma'({ count }) {
    assert.equal(await count('size=small,large&type=dog'), 9)
    assert.equal(await count('gender=male,female'), 17)
    assert.equal(await count('age=baby,adult'), 9)
    assert.equal(await count('coat=short,wire'), 7)
  },
  async 'without a status the adoptable are listed'({ count }) {
    assert.deepEqual(
      [await count(''), await count('status=adoptable'), await count('status=adopted')],
      [18, 18, 2],
    )
  },
  async 'an organization is found in lower case, and several are a list'({ count }) {
    assert.deepEqual([await count('organization=co12'), await count('organization=co12,NY288')], [1, 18])
  },
  async 'good with somebody is 1 or true'({ count }) {
    for (const yes of ['1', 'true'])
      assert.deepEqual(
        [await count(`good_with_children=${yes}`), await count(`good_with_dogs=${yes}`)],
        [1, 0],
      )
  },
  async 'a location is a city with its state, spelled out or not'({ count }) {
    for (const location of ['denver, colorado', 'Denver, CO', '80202', '39.74,-104.99'])
      assert.equal(await count(`location=${encodeURIComponent(location)}`), 1, location)
  },
  async 'a distance is miles, 100 where none is given and 500 at most'({ body, count, refused }) {
    assert.equal(await count('location=81001'), 0, 'Pueblo is 104 miles away')
    assert.equal(await count('location=81001&distance=150'), 1)
    const [{ distance }] = (await body('/animals?location=81001&distance=300')).animals
    assert.ok(distance > 100 && distance < 110, `${distance}`)
    assert.equal(distance, Number(distance.toFixed(4)))
    await refused('/animals?location=81001&distance=x', 'distance', 'This value should be a valid number.')
    assert.equal(await count('location=81001&distance=500'), 1)
    await refused('/animals?location=81001&distance=501', 'distance', 'This value should be 500 or less.')
  },
  async 'before and after are compared with when it was published'({ count }) {
    assert.equal(await count('before=2026-12-02T03:06:30%2B00:00'), 2)
    assert.equal(await count('after=2026-12-02T03:06:30Z&type=dog'), 15)
  },
  async 'the newest published come first, and also with sort=recent'({ body }) {
    const dates = async (query: string): Promise<string[]> =>
      (await body(`/animals?${query}`)).animals.map(
        ({ published_at }: { published_at: string }) => published_at,
      )
    const recent = await dates('type=dog')
    assert.deepEqual(recent, recent.toSorted().reverse())
    assert.deepEqual(await dates('type=dog&sort=recent'), recent)
  },
  async 'what nobody knows is ignored'({ count }) {
    assert.equal(await count('animal_type=cat&type=cat&'), 1)
  },
  async 'the name of an organization has all words asked for'({ body }) {
    const { organizations } = await body('/organizations?name=Second%20Dog%20Rescue')
    assert.equal(organizations.length, 2)
    assert.equal((await body('/organizations?name=Second%20Chance%20Dog%20Rescue')).organizations.length, 1)
  },
  async 'a country that there is not is a 400 with invalid-params'({ read }) {
    for (const country of ['Neverland', 'Foobar']) {
      const { status, body } = await read(`/organizations?country=${country}`)
      assert.deepEqual([status, body['invalid-params'][0].path], [400, 'country'])
    }
  },
}

const PAGES: Facts = {
  async 'a page tells these five'({ body }) {
    assert.deepEqual((await body('/animals?type=dog&limit=5&page=2')).pagination, {
      ...{ count_per_page: 5, total_count: 17, current_page: 2, total_pages: 4 },
      _links: {
        previous: { href: '/v2/animals?limit=5&type=dog&page=1' },
        next: { href: '/v2/animals?limit=5&type=dog&page=3' },
      },
    })
  },
  async 'the first has a next one only, the last a previous one only'({ body }) {
    const links = async (page: number) =>
      keys((await body(`/animals?type=dog&limit=5&page=${page}`)).pagination._links)
    assert.deepEqual([await links(1), await links(4)], [['next'], ['previous']])
  },
  async 'where one page is all there are no _links'({ body }) {
    assert.deepEqual((await body('/animals?type=dog')).pagination, {
      ...{ count_per_page: 20, total_count: 17, current_page: 1, total_pages: 1 },
    })
  },
  async 'nothing found is an empty list and a 200'({ body }) {
    assert.deepEqual((await body('/animals?type=horse')).animals, [])
  },
  async 'a link is relative, sorted by name, with the page last, and leaves commas and colons'({ body }) {
    const { pagination } = await body('/animals/?limit=5&gender=male,female&after=2020-01-01T00%3A00%3A00Z')
    const href = '/v2/animals?after=2020-01-01T00:00:00Z&gender=male,female&limit=5&page=2'
    assert.equal(pagination._links.next.href, href)
  },
}

const ANIMALS: Facts = {
  async 'these keys in this order, none left out, and lists where nothing is known empty'({ body }) {
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
  async 'each value is of the kind that it was, and what is not known is null'({ body }) {
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
  async 'the same in a list and alone'({ body }) {
    for (const animal of (await body('/animals?limit=100')).animals)
      assert.deepEqual(await body(`/animals/${animal.id}`), { animal })
  },
  async 'its tags are free text'({ body, cat }) {
    assert.deepEqual((await body(`/animals/${cat}`)).animal.tags, ['Calm'])
  },
  async 'declawed is null for all but cats'({ body }) {
    const { animals } = await body('/animals?limit=100')
    for (const { type, attributes } of animals)
      assert.equal(attributes.declawed, type === 'Cat' ? true : null, type)
  },
  async 'ages, genders, sizes and coats are words with a capital, a status has none'({ body }) {
    const { animals } = await body('/animals?limit=100&status=adoptable,adopted')
    const values = (name: string) =>
      [...new Set(animals.map((one: Record<string, string>) => one[name]))].sort()
    assert.deepEqual(values('age'), ['Adult', 'Baby', 'Senior', 'Young'])
    assert.deepEqual(values('gender'), ['Female', 'Male', 'Unknown'])
    assert.deepEqual(values('size'), ['Extra Large', 'Large', 'Medium', 'Small'])
    assert.deepEqual(values('coat'), ['Curly', 'Hairless', 'Long', 'Medium', 'Short', 'Wire', null])
    assert.deepEqual(values('status'), ['adoptable', 'adopted'])
  },
  async 'the species of a dog and a cat is their type, and of others it is finer'({ body }) {
    for (const { type, species } of (await body('/animals')).animals) assert.equal(species, type)
    const [{ type, species }] = (await body('/animals?type=small-furry&status=adopted')).animals
    assert.deepEqual([type, species], ['Small & Furry', 'Guinea Pig'])
  },
  async 'a time is of 24 characters, without a fraction and a colon in its offset'({ body }) {
    for (const { published_at, status_changed_at } of (await body('/animals')).animals)
      for (const time of [published_at, status_changed_at])
        assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/)
  },
  async 'a photo is four addresses, and so is the cropped one'({ body, cat }) {
    const { photos, primary_photo_cropped } = (await body(`/animals/${cat}`)).animal
    assert.equal(photos.length, 1)
    for (const photo of [photos[0], primary_photo_cropped]) {
      assert.deepEqual(keys(photo), ['small', 'medium', 'large', 'full'])
      for (const address of Object.values(photo)) assert.match(String(address), /^https?:\/\//)
    }
  },
  async 'a video is a piece of HTML'({ body, cat }) {
    const [video] = (await body(`/animals/${cat}`)).animal.videos
    assert.deepEqual(keys(video), ['embed'])
    assert.match(video.embed, /^<iframe src="https:\/\/videos\.example\/ada"/)
  },
  async 'a distance is null without a location'({ body }) {
    for (const { distance } of (await body('/animals')).animals) assert.equal(distance, null)
  },
  async 'its links lead to itself, its type and its organization'({ body, cat }) {
    assert.deepEqual((await body(`/animals/${cat}`)).animal._links, {
      self: { href: `/v2/animals/${cat}` },
      type: { href: '/v2/types/cat' },
      organization: { href: '/v2/organizations/co12' },
    })
  },
  async 'breed, age, gender, size and the parts of the place are never null'({ body }) {
    const { animals } = await body('/animals?limit=100&status=adoptable,adopted')
    for (const { breeds, age, gender, size, contact } of animals) {
      const { city, state, postcode, country } = contact.address
      for (const value of [breeds.primary, age, gender, size, city, state, postcode, country])
        assert.equal(typeof value, 'string')
    }
  },
}

/** As they came in 2024. */
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

const TYPE_FACTS: Facts = {
  async 'there are these eight, in this order, each under its slug'({ body }) {
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
  async 'each has these keys, and links to itself and its breeds'({ body }) {
    for (const [index, type] of (await body('/types')).types.entries()) {
      assert.deepEqual(keys(type), ['name', 'coats', 'colors', 'genders', '_links'])
      const href = `/v2/types/${SLUGS[index]}`
      assert.deepEqual(type._links, { self: { href }, breeds: { href: `${href}/breeds` } })
    }
  },
  async 'each has its colors, coats and genders'({ body }) {
    for (const [index, { name, colors, coats, genders }] of (await body('/types')).types.entries()) {
      assert.deepEqual(colors, COLORS[index]?.split('; '), name)
      // Some clients show them in this order, others sort: what counts is which there are.
      assert.deepEqual([...coats].sort(), [...(COATS_OF[index] ?? [])].sort(), name)
      const isUnsexed = name === 'Bird' || name.startsWith('Scales')
      assert.deepEqual(genders, ['Male', 'Female', ...(isUnsexed ? ['Unknown'] : [])], name)
    }
  },
  async 'a breed has a name and the link of its type; they are sorted without case'({ body }) {
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
  async 'an organization has these keys in this order, none left out'({ body }) {
    const { organizations } = await body('/organizations')
    assert.equal(organizations.length, 3)
    for (const organization of organizations) {
      assert.deepEqual(keys(organization), ORGANIZATION_KEYS)
      for (const [name, own] of Object.entries(KEYS_IN_ORGANIZATION))
        assert.deepEqual(keys(organization[name]), own, name)
      assert.deepEqual(organization.photos, [])
    }
  },
  async 'an organization is the same in a list and alone'({ body }) {
    const { organizations } = await body('/organizations')
    for (const organization of organizations)
      assert.deepEqual((await body(`/organizations/${organization.id}`)).organization, organization)
  },
}

const ERRORS: Facts = {
  async 'an animal or an organization that is not there is a 404 without invalid-params'({ read }) {
    for (const path of ['/animals/999', '/organizations/NY1', '/animals/types']) {
      const { status, headers, body } = await read(path)
      assert.deepEqual([status, headers['content-type']], [404, 'application/problem+json'], path)
      assert.deepEqual(keys(body), ['type', 'status', 'title', 'detail'])
      assert.deepEqual([body.status, body.title, body.detail], [404, 'Not Found', 'Not Found'])
      assert.match(body.type, /#ERR-404$/)
    }
  },
  async 'of a route that there is not the detail says so'({ read }) {
    const { status, body } = await read('/animal')
    assert.deepEqual([status, body.title], [404, 'Not Found'])
    assert.match(body.detail, /No route found for/)
  },
  async 'a bad value is ERR-00002, with its texts'({ read }) {
    const { status, headers, body } = await read('/animals?type=zebra')
    assert.deepEqual([status, headers['content-type']], [400, 'application/problem+json'])
    assert.deepEqual(keys(body), ['type', 'status', 'title', 'detail', 'invalid-params'])
    assert.deepEqual(
      [body.title, body.detail],
      ['Invalid Request', 'The request contains invalid parameters.'],
    )
    assert.match(body.type, /#ERR-00002$/)
  },
  async 'the message of a type that there is not'({ refused }) {
    await refused('/animals?type=zebra', 'type', 'zebra is not a valid animal type.')
  },
  async 'the message of a location that nobody knows'({ refused }) {
    for (const location of ['denver', 'washington*', '34787!'])
      await refused(`/animals?location=${location}`, 'location', 'Could not determine location.')
  },
}

const MARK: Facts = {
  async 'whose contract it was stands in no answer but the page of errors, in one sentence'(app) {
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
    const told = page.text.match(/[^<>]*petfinder[^<>]*/gi)
    assert.deepEqual(told, ['Compatible with clients written for the Petfinder API v2; not affiliated.'])
  },
}

const ORIGINS: Facts = {
  async 'every answer is open to all origins, errors too'({ read }) {
    for (const path of ['/animals', '/types', '/animals/0', '/nothing', '/animals?page=x']) {
      const { headers } = await read(path, { origin: 'https://pets.example' })
      assert.equal(headers['access-control-allow-origin'], '*', path)
    }
    const { headers } = await read('/animals', { authorization: undefined, origin: 'https://pets.example' })
    assert.equal(headers['access-control-allow-origin'], '*')
  },
}

const FACTS: Record<string, Facts> = {
  addresses: ENDPOINTS,
  tokens: TOKENS,
  lists: LISTS,
  pages: PAGES,
  'an animal': ANIMALS,
  'types, breeds and organizations': TYPE_FACTS,
  errors: ERRORS,
  'the mark': MARK,
  origins: ORIGINS,
}

test('what was recorded of the wire', async (t) => {
  const app = await startFilled(t)
  for (const [group, facts] of Object.entries(FACTS))
    for (const [fact, check] of Object.entries(facts)) await t.test(`${group}: ${fact}`, () => check(app))
})
