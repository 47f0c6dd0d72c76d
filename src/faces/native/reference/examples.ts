import type { REQUIRED_ACCESS } from '../../../access.ts'
import { FIRST_BREEDS, FIRST_CATEGORIES, FIRST_COLORS } from '../../../db/migrations/categories.ts'
import { bodyOf, type Call } from './description.ts'

/** An example of the random part of a photo's file names. */
export const PHOTO_HASH = '0f6c4a1d92b84e7e8a53b1c07d29fe64'
export const PHOTOS = 'https://pets.example.org/photos'
const photoOf = (id: number, alt: string) => ({
  id,
  alt,
  ...{ width: 2_400, height: 1_800 },
  sizes: {
    small: `${PHOTOS}/${PHOTO_HASH}-300.webp`,
    medium: `${PHOTOS}/${PHOTO_HASH}-600.webp`,
    large: `${PHOTOS}/${PHOTO_HASH}-1200.webp`,
    full: `${PHOTOS}/${PHOTO_HASH}-2400.webp`,
  },
})
const PORTRAIT = photoOf(1, 'Rex in the garden')
const HOUSE = photoOf(2, 'The shelter from the road')
const ADDING_TO_PET = {
  path: { petId: '2' },
  query: { alt: 'Mia asleep' },
  file: 'mia.jpg',
  answer: photoOf(3, 'Mia asleep'),
}
const ADDING_TO_ORGANIZATION = {
  path: { organizationId: '1' },
  query: { alt: 'The yard' },
  file: 'yard.jpg',
  answer: photoOf(3, 'The yard'),
}

const PHOTO_EXAMPLES = {
  listPetPhotos: { path: { petId: '1' }, answer: [PORTRAIT] },
  addPetPhoto: ADDING_TO_PET,
  getPetPhoto: { path: { petId: '1', photoId: '1' }, answer: PORTRAIT },
  updatePetPhoto: {
    path: { petId: '1', photoId: '1' },
    body: { alt: 'Rex and his ball', position: 1 },
    answer: { ...PORTRAIT, alt: 'Rex and his ball' },
  },
  deletePetPhoto: { path: { petId: '1', photoId: '1' } },
  listOrganizationPhotos: { path: { organizationId: '1' }, answer: [HOUSE] },
  addOrganizationPhoto: ADDING_TO_ORGANIZATION,
  getOrganizationPhoto: { path: { organizationId: '1', photoId: '2' }, answer: HOUSE },
  updateOrganizationPhoto: {
    path: { organizationId: '1', photoId: '2' },
    body: { alt: null },
    answer: { ...HOUSE, alt: undefined },
  },
  deleteOrganizationPhoto: { path: { organizationId: '1', photoId: '2' } },
}

const WAITING = [
  { minDays: 0, maxDays: 7, animals: 2 },
  { minDays: 8, maxDays: 30, animals: 0 },
  { minDays: 31, maxDays: 90, animals: 0 },
  { minDays: 91, maxDays: 180, animals: 0 },
  { minDays: 181, maxDays: 365, animals: 0 },
  { minDays: 366, animals: 0 },
]
const NO_OUTCOMES = { transferred: 0, returnedToOwner: 0, died: 0 }

const APPLICATION = {
  id: 1,
  petId: 1,
  status: 'received',
  receivedAt: '2026-12-01T10:00:00.000Z',
  applicant: { name: 'A. Applicant', email: 'applicant@example.org' },
  message: 'We have a garden.',
}
const ANSWERS = [{ question: 'Who is at home during the day?', answer: 'I am.' }]
const { message: _, ...SENT } = APPLICATION

const APPLICATION_EXAMPLES = {
  listApplications: { query: { status: 'received' }, answer: [APPLICATION] },
  createApplication: {
    body: { petId: 1, applicant: APPLICATION.applicant, answers: ANSWERS },
    answer: { ...SENT, id: 2, answers: ANSWERS },
  },
  getApplication: { path: { applicationId: '1' }, answer: APPLICATION },
  updateApplication: {
    path: { applicationId: '1' },
    body: { status: 'declined', reply: 'Rex needs a larger garden.' },
    answer: {
      ...APPLICATION,
      status: 'declined',
      decidedAt: '2026-12-01T10:00:00.000Z',
      decidedBy: 1,
      reply: 'Rex needs a larger garden.',
    },
  },
}

/** An example value of each filter of animals. */
const FILTERS = {
  status: 'available',
  categoryId: 1,
  organizationId: 1,
  species: 'Dog',
  breed: 'Poodle',
  color: 'Black',
  coat: 'curly',
  age: 'young',
  sex: 'male',
  size: 'small',
  tag: 'calm',
  externalId: 'A-12',
  ...{ goodWithChildren: 'true', goodWithDogs: 'true', goodWithCats: 'false' },
  ...{ spayedNeutered: 'true', houseTrained: 'true', declawed: 'false', specialNeeds: 'false' },
  ...{ vaccinated: 'true', hasPhotos: 'true' },
  ...{ bornAfter: '2024-01-01', bornBefore: '2026-12-01' },
  ...{ publishedAfter: '2026-01-01T00:00:00Z', publishedBefore: '2027-01-01T00:00:00Z' },
  updatedSince: '2026-01-01T00:00:00Z',
  postcode: '80202',
  city: 'Denver',
  q: 'calm poodle',
}

const FACETS = {
  ...{ matches: 2, approximate: false },
  facets: {
    status: [
      { value: 'available', count: 1 },
      { value: 'pending', count: 1 },
    ],
  },
}

/** A request and the body of its response. `answer` is absent if the response has no body. */
interface Example {
  path?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
  /** The name of a file that the request sends as its body. */
  file?: string
  answer?: unknown
}

const REX = { id: 1, name: 'Rex', categoryId: 1, status: 'available', photos: [PORTRAIT] }
const MIA = { id: 2, name: 'Mia', categoryId: 2, status: 'pending' }
const TOM = {
  name: 'Tom',
  categoryId: 2,
  status: 'available',
  breed: { primary: 'Tabby', mixed: true },
  colors: ['Brown', 'White'],
  age: 'young',
  sex: 'male',
  traits: { spayedNeutered: true, vaccinated: true },
  goodWith: { children: true, dogs: false },
}
const HEDGEHOGS = { id: 9, name: 'Hedgehogs', description: 'They sleep through the winter.' }
const ADOPTER = { name: 'A. Adopter', email: 'adopter@example.org' }
const ORDER = {
  id: 1,
  petId: 2,
  status: 'placed',
  adopter: ADOPTER,
  placedAt: '2026-12-01T10:00:00.000Z',
}
const times = { createdAt: '2026-12-01T10:00:00.000Z', updatedAt: '2026-12-01T10:00:00.000Z' }
const SHELTER = {
  id: 1,
  code: 'CO1',
  name: 'Shelter on the Hill',
  address: { city: 'Denver', region: 'CO', country: 'US' },
  ...{ latitude: 39.74, longitude: -104.98 },
  photos: [HOUSE],
  ...times,
}
const FARM = { name: 'Farm Friends', address: { region: 'CO', country: 'US' } }
const countOf = (words: Record<string, string>): number =>
  Object.values(words).flatMap((names) => names.split('; ')).length
const NEXT = countOf(FIRST_BREEDS) + countOf(FIRST_COLORS) + 1
const firstTwo = (names = '', from: number, categoryId: number) =>
  names.split('; ', 2).map((name, index) => ({ id: from + index, categoryId, name }))
const BREEDS = firstTwo(FIRST_BREEDS.Cat, countOf({ Dog: FIRST_BREEDS.Dog ?? '' }) + 1, 2)
const COLORS = firstTwo(FIRST_COLORS.Dog, countOf(FIRST_BREEDS) + 1, 1)
const CATEGORIES = FIRST_CATEGORIES.map((name, index) => ({ id: index + 1, name }))
const NONE = { available: 0, pending: 0, sold: 0, unlisted: 0 }

const CREATED_AT = '2026-12-01T10:00:00.000Z'
export const SECRET = 'whsec_c2VjcmV0IG9mIHRoZSBleGFtcGxlcywgMzIgYnl0ZXM='
const NEW_HOOK = { url: 'https://hooks.example.org/adoptable', types: ['pet.created', 'pet.status_changed'] }
const HOOK = { id: 1, ...NEW_HOOK, enabled: false, createdAt: CREATED_AT }
const DELIVERY = {
  ...{ id: 1, type: 'webhook.test', status: 'pending', attempts: 0 },
  ...{ dueAt: CREATED_AT, createdAt: CREATED_AT },
}
const HOOK_PATH = { path: { webhookId: '1' } }
const WEBHOOK_EXAMPLES = {
  listWebhooks: { answer: [HOOK] },
  createWebhook: { body: NEW_HOOK, answer: { ...HOOK, id: 2, enabled: true, secret: SECRET } },
  getWebhook: { ...HOOK_PATH, answer: HOOK },
  updateWebhook: { ...HOOK_PATH, body: { enabled: true }, answer: { ...HOOK, enabled: true } },
  deleteWebhook: HOOK_PATH,
  rotateWebhookSecret: { ...HOOK_PATH, answer: { ...HOOK, secret: SECRET } },
  testWebhook: { ...HOOK_PATH, answer: { ...DELIVERY, id: 2 } },
  listDeliveries: { ...HOOK_PATH, answer: [DELIVERY] },
  retryDelivery: { path: { webhookId: '1', deliveryId: '1' }, answer: DELIVERY },
  recoverDeliveries: { ...HOOK_PATH, query: { since: '2026-12-01T12:00:00Z' }, answer: { deliveries: 0 } },
}

/**
 * An example of every operation. All examples use the same data: Rex is available and has an application, Mia
 * is pending with order 1, and category 9 is empty. A test sends every example.
 */
export const EXAMPLES: Record<keyof typeof REQUIRED_ACCESS, Example> = {
  listPets: { query: { limit: '20' }, answer: [MIA, REX] },
  listPetFacets: { query: { facet: 'status' }, answer: FACETS },
  createPet: { body: TOM, answer: { id: 3, ...TOM } },
  getPet: { path: { petId: '1' }, answer: REX },
  updatePet: { path: { petId: '1' }, body: { status: 'sold' }, answer: { ...REX, status: 'sold' } },
  deletePet: { path: { petId: '1' } },
  listPetChanges: {
    path: { petId: '2' },
    answer: [
      { at: '2026-12-01T10:00:00.000Z', keyId: 1, changes: { status: { from: 'available', to: 'pending' } } },
    ],
  },
  ...PHOTO_EXAMPLES,
  listCategories: { answer: [...CATEGORIES, HEDGEHOGS] },
  createCategory: {
    body: { name: 'Alpacas', description: 'Never fewer than two.' },
    answer: { id: 10, name: 'Alpacas', description: 'Never fewer than two.' },
  },
  getCategory: { path: { categoryId: '9' }, answer: HEDGEHOGS },
  updateCategory: {
    path: { categoryId: '9' },
    body: { description: null },
    answer: { id: 9, name: 'Hedgehogs' },
  },
  deleteCategory: { path: { categoryId: '9' } },
  listBreeds: { query: { categoryId: '2', limit: '2' }, answer: BREEDS },
  createBreed: {
    body: { categoryId: 9, name: 'Long-eared' },
    answer: { id: NEXT, categoryId: 9, name: 'Long-eared' },
  },
  getBreed: { path: { breedId: String(BREEDS[0]?.id) }, answer: BREEDS[0] },
  deleteBreed: { path: { breedId: String(BREEDS[0]?.id) } },
  listColors: { query: { categoryId: '1', limit: '2' }, answer: COLORS },
  createColor: { body: { categoryId: 9, name: 'Spiny' }, answer: { id: NEXT, categoryId: 9, name: 'Spiny' } },
  getColor: { path: { colorId: String(COLORS[0]?.id) }, answer: COLORS[0] },
  deleteColor: { path: { colorId: String(COLORS[0]?.id) } },
  listOrganizations: { query: { country: 'US' }, answer: [SHELTER] },
  createOrganization: {
    body: FARM,
    answer: { id: 2, code: 'CO2', ...FARM, ...times },
  },
  getOrganization: { path: { organizationId: '1' }, answer: SHELTER },
  updateOrganization: {
    path: { organizationId: '1' },
    body: { hours: { saturday: '10 to 16' } },
    answer: { ...SHELTER, hours: { saturday: '10 to 16' } },
  },
  deleteOrganization: { path: { organizationId: '1' } },
  getInventory: {
    answer: {
      overall: { ...NONE, available: 1, pending: 1 },
      categories: [...CATEGORIES, HEDGEHOGS].map(({ id }) => ({
        categoryId: id,
        ...NONE,
        ...(id === REX.categoryId && { available: 1 }),
        ...(id === MIA.categoryId && { pending: 1 }),
      })),
    },
  },
  getStatistics: {
    query: { months: '12' },
    answer: {
      ...{ from: '2026-01-01', to: '2026-12-01', inCare: 2 },
      months: [REX, MIA].map(({ categoryId }) => ({
        ...{ month: '2026-12', categoryId, intakes: 1, adopted: 0 },
        ...NO_OUTCOMES,
      })),
      lengthOfStay: { animals: 0, categories: [] },
      applications: { received: 1, animals: 1, perAnimal: 1 },
      waiting: WAITING,
    },
  },
  listEvents: {
    query: { type: 'order.placed' },
    answer: [
      {
        id: '0000000000000004',
        type: 'order.placed',
        at: '2026-12-01T10:00:00.000Z',
        data: { orderId: 1, petId: 2, status: { to: 'placed' } },
      },
    ],
  },
  streamEvents: {
    query: { type: 'order.placed' },
    answer:
      'id: 0000000000000004\nevent: order.placed\ndata: {"id":"0000000000000004","type":"order.placed",' +
      '"at":"2026-12-01T10:00:00.000Z","data":{"petId":2,"status":{"to":"placed"},"orderId":1}}\n\n',
  },
  ...WEBHOOK_EXAMPLES,
  listOrders: { query: { status: 'placed' }, answer: [ORDER] },
  createOrder: {
    body: { petId: 1, adopter: ADOPTER },
    answer: { ...ORDER, id: 2, petId: 1 },
  },
  getOrder: { path: { orderId: '1' }, answer: ORDER },
  updateOrder: {
    path: { orderId: '1' },
    body: { status: 'approved' },
    answer: { ...ORDER, status: 'approved', decidedAt: '2026-12-01T10:00:00.000Z' },
  },
  cancelOrder: { path: { orderId: '1' } },
  ...APPLICATION_EXAMPLES,
}

/** Values of parameters without an example above, by the name, or by the operation and the name. */
const PARAMETERS: Record<string, unknown> = {
  ...FILTERS,
  limit: 20,
  sort: '-id',
  fields: 'id,name,categoryId,status',
  'Idempotency-Key': '0b7c2f9e-5d43-4a56-9f0e-6c1f6a2d8e11',
  'If-Match': '*',
  'If-None-Match': '"xyzzy"',
  'If-Modified-Since': 'Sat, 01 Jan 2000 00:00:00 GMT',
  'If-Unmodified-Since': 'Thu, 01 Jan 2099 00:00:00 GMT',
  'Last-Event-ID': '0000000000000003',
  'listPets id': 1,
  'listOrders petId': 2,
  'listDeliveries status': 'failed',
  before: 100,
  'listApplications petId': 1,
  alt: 'On the sofa',
  'listOrganizations q': 'hill',
  country: 'US',
  region: 'CO',
  near: '39.74,-104.99',
  within: 50,
  after: '0000000000000003',
  'getInventory organizationId': 1,
}

/** @param operationId must be a key of `EXAMPLES` */
export function exampleOf(operationId: string): Example {
  return EXAMPLES[operationId as keyof typeof EXAMPLES]
}

/** The example of a parameter; undefined for cursors, because only the server can make one. */
export function parameterExample(operationId: string, name: string): unknown {
  const { path, query } = exampleOf(operationId)
  const text = path?.[name] ?? query?.[name]
  if (text !== undefined) return /^\d+$/.test(text) ? Number(text) : text
  return PARAMETERS[`${operationId} ${name}`] ?? PARAMETERS[name]
}

/** The curl command of an example, for POSIX shells. The API key is in $KEY. */
export function curlOf(call: Call, baseUrl: string): string {
  const { path = {}, query, body, file, answer } = exampleOf(call.operationId)
  const pathname = call.path.replace(/\{(\w+)\}/g, (_, name: string) => path[name] ?? '')
  const address = `${baseUrl}${pathname}${query ? `?${new URLSearchParams(query)}` : ''}`
  const method = call.method === 'GET' ? '' : `-X ${call.method} `
  // Option -i shows the status of a response without a body.
  const lines = [`curl ${answer === undefined ? '-i ' : ''}${method}'${address}'`]
  lines.push(`  -H "Authorization: Bearer $KEY"`)
  if (body !== undefined) {
    lines.push(`  -H 'Content-Type: ${bodyOf(call)?.types[0]}'`, `  -d '${JSON.stringify(body)}'`)
  }
  if (file) lines.push(`  -H 'Content-Type: ${bodyOf(call)?.types[0]}'`, `  --data-binary '@${file}'`)
  return lines.join(' \\\n')
}
