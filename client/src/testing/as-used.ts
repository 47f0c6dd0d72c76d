import {
  AdoptableClient,
  AdoptableError,
  type Answer,
  type FacetValue,
  type NotModified,
  type Order,
  type Pet,
} from '../client.ts'

// Code that must compile, and code that the compiler must reject. It never runs. The test of the package replaces
// the import above by the package's name.

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
/** Accepts only true if both types are the same. */
function expectType<A, B>(_: Same<A, B>): void {}

export async function mayBeWritten(signal: AbortSignal): Promise<void> {
  const client = new AdoptableClient({ baseUrl: 'http://127.0.0.1:8080/v1', key: 'secret', signal, fetch })
  const listed = await client.listPets()
  expectType<typeof listed, Answer<Pet[]>>(true)
  const { data: pet, etag, rateLimit } = await client.createPet({ name: 'Rex', categoryId: 1 })
  expectType<typeof pet, Pet>(true)
  expectType<typeof pet.status, 'available' | 'pending' | 'sold' | undefined>(true)
  expectType<typeof rateLimit, { limit: number; remaining: number; reset: number } | undefined>(true)
  await client.updatePet({ petId: pet.id, status: 'sold' }, { ifMatch: etag, idempotencyKey: 'a', signal })
  await client.updateCategory({ categoryId: 1, description: null })
  const removed = await client.deletePet({ petId: pet.id })
  expectType<typeof removed.data, undefined>(true)
  const found = await client.findPet(pet.id)
  expectType<typeof found, Answer<Pet> | undefined>(true)
  const again = await client.listPets({}, { ifNoneMatch: listed.etag, headers: { 'x-shop': 'one' } })
  expectType<typeof again, Answer<Pet[]> | NotModified>(true)
  if (!again.notModified) expectType<typeof again.data, Pet[]>(true)
  const status = pet.status
  const nothing = undefined
  // Members may be undefined, with exactOptionalPropertyTypes too.
  await client.listPets({
    cursor: listed.nextCursor,
    status,
    limit: nothing,
    id: nothing,
    categoryId: nothing,
  })
  await client.createPet({ name: 'Max', categoryId: 1, status }, { headers: nothing, signal: nothing })
  await client.updatePet({ petId: 1, name: nothing, categoryId: nothing, status }, { ifMatch: nothing })
  await client.createOrder({ petId: 1, adopter: { name: 'Zoe', email: 'z@example.org', phone: nothing } })
  new AdoptableClient({ baseUrl: '', key: '', headers: nothing, clock: nothing, fetch: nothing })
  for await (const one of client.pets({ status: 'available', sort: 'id' })) expectType<typeof one, Pet>(true)
  const nearest = await client.listPets({
    coat: ['short', 'long'],
    id: 1,
    near: '52.09,5.12',
    sort: 'distance',
  })
  expectType<(typeof nearest.data)[0]['distanceMeters'], number | undefined>(true)
  const counted = await client.listPetFacets({ facet: 'breed', status: ['available', 'pending'] })
  expectType<typeof counted.data.facets, Record<string, FacetValue[]>>(true)
  for await (const one of client.orders()) expectType<typeof one, Order>(true)
}

export function decide(error: unknown): string {
  if (!(error instanceof AdoptableError)) throw error
  switch (error.code) {
    case 'validation_failed':
      return error.details.map(({ pointer, code }) => `${pointer}: ${code satisfies string}`).join()
    case 'rate_limit_exceeded':
    case 'api_key_banned':
      expectType<typeof error.code, 'rate_limit_exceeded' | 'api_key_banned'>(true)
      return `again in ${error.retryAfter} s`
    case 'connection_failed':
      return String(error.cause)
    // @ts-expect-error: there is no such code
    case 'pet_not_fund':
      return ''
    default:
      return error.requestId ?? error.message
  }
}

export async function mustNotBeWritten(client: AdoptableClient): Promise<void> {
  // @ts-expect-error: the key is missing
  new AdoptableClient({ baseUrl: 'http://127.0.0.1:8080/v1' })
  // @ts-expect-error: categoryId is missing
  await client.createPet({ name: 'Rex' })
  // @ts-expect-error: no such status
  await client.listPets({ status: 'free' })
  // @ts-expect-error: no such status in a list
  await client.listPets({ status: ['available', 'free'] })
  // @ts-expect-error: no such filter
  await client.listPets({ breeed: 'Poodle' })
  // @ts-expect-error: limit is one value
  await client.listPets({ limit: [1, 2] })
  // @ts-expect-error: no such facet
  await client.listPetFacets({ facet: 'name' })
  // @ts-expect-error: no such member
  await client.createPet({ name: 'Rex', categoryId: 1, age: 3 })
  // @ts-expect-error: a cursor is of one page
  client.pets({ cursor: 'x' })
  // @ts-expect-error: it takes no Idempotency-Key
  await client.deletePet({ petId: 1 }, { idempotencyKey: 'x' })
  // @ts-expect-error: it takes no If-Match
  await client.createPet({ name: 'Rex', categoryId: 1 }, { ifMatch: '"x"' })
  // @ts-expect-error: it takes no If-None-Match
  await client.listCategories({ ifNoneMatch: '"x"' })
  // @ts-expect-error: unchanged data is undefined
  ;(await client.listPets({}, { ifNoneMatch: '"x"' })).data.length
  // @ts-expect-error: an id is a number
  await client.deletePet({ petId: '1' })
  // @ts-expect-error: only operations use it
  await client.send({ method: 'GET', path: '/' }, {}, {})
}
