import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ADOPTER,
  ALL_CALLERS,
  addAnimal,
  type CallerName,
  type Headers,
  orderOf,
  startNetwork,
} from '../testing/network.ts'
import { picture } from '../testing/pictures.ts'
import type { TestApp } from '../testing/start-app.ts'

const PICTURE = await picture({ width: 2, height: 2, type: 'png' })
const PNG = { 'content-type': 'image/png' }

/** Expected statuses by caller. Each operation is tried on data of organization 1 and of no organization. */
const REFUSED = { ownRead: 403, read: 403, otherRead: 403, none: 401 }
const CHANGED = (done: number) => ({ admin: done, write: done, ...REFUSED })
const LOOKED = (...not: CallerName[]) =>
  Object.fromEntries(
    ALL_CALLERS.map((name) => [name, name === 'none' ? 401 : not.includes(name) ? 404 : 200]),
  )

type Attempt = (
  app: Awaited<ReturnType<typeof startNetwork>>,
  whose: number | undefined,
  as: Headers,
) => Promise<number>

const status = async (answer: Promise<{ status: number }>): Promise<number> => (await answer).status

async function applicationFor(app: TestApp, whose: number | undefined): Promise<number> {
  const petId = await addAnimal(app, whose)
  return (await app.post('/v1/applications', { petId, applicant: ADOPTER })).body.id
}

const OPERATIONS: Record<string, { attempt: Attempt; own: object; unowned: object }> = {
  getPet: {
    attempt: async (app, whose, as) => status(app.get(`/v1/pets/${await addAnimal(app, whose)}`, as)),
    own: LOOKED(),
    unowned: LOOKED(),
  },
  listPetChanges: {
    attempt: async (app, whose, as) => status(app.get(`/v1/pets/${await addAnimal(app, whose)}/history`, as)),
    own: LOOKED(),
    unowned: LOOKED(),
  },
  createPet: {
    attempt: (app, organizationId, as) =>
      status(app.post('/v1/pets', { name: 'Rex', categoryId: 1, organizationId }, as)),
    own: { ...CHANGED(201), ownWrite: 201, otherWrite: 403 },
    unowned: { ...CHANGED(201), ownWrite: 201, otherWrite: 201 },
  },
  updatePet: {
    attempt: async (app, whose, as) =>
      status(app.patch(`/v1/pets/${await addAnimal(app, whose)}`, { name: 'Max' }, as)),
    own: { ...CHANGED(200), ownWrite: 200, otherWrite: 403 },
    unowned: { ...CHANGED(200), ownWrite: 403, otherWrite: 403 },
  },
  'updatePet, to another organization': {
    attempt: async (app, whose, as) =>
      status(app.patch(`/v1/pets/${await addAnimal(app, whose)}`, { organizationId: 2 }, as)),
    own: { ...CHANGED(200), ownWrite: 403, otherWrite: 403 },
    unowned: { ...CHANGED(200), ownWrite: 403, otherWrite: 403 },
  },
  'updatePet, to no organization': {
    attempt: async (app, whose, as) =>
      status(app.patch(`/v1/pets/${await addAnimal(app, whose)}`, { organizationId: null }, as)),
    own: { ...CHANGED(200), ownWrite: 403, otherWrite: 403 },
    unowned: { ...CHANGED(200), ownWrite: 403, otherWrite: 403 },
  },
  deletePet: {
    attempt: async (app, whose, as) => status(app.delete(`/v1/pets/${await addAnimal(app, whose)}`, as)),
    own: { ...CHANGED(204), ownWrite: 204, otherWrite: 403 },
    unowned: { ...CHANGED(204), ownWrite: 403, otherWrite: 403 },
  },
  createOrder: {
    attempt: async (app, whose, as) => {
      const order = { petId: await addAnimal(app, whose), adopter: ADOPTER }
      return status(app.post('/v1/store/orders', order, as))
    },
    own: { ...CHANGED(201), ownWrite: 201, otherWrite: 403 },
    unowned: { ...CHANGED(201), ownWrite: 403, otherWrite: 403 },
  },
  getOrder: {
    attempt: async (app, whose, as) => status(app.get(`/v1/store/orders/${await orderOf(app, whose)}`, as)),
    own: LOOKED('write', 'read', 'ownRead', 'otherWrite', 'otherRead'),
    unowned: LOOKED('write', 'read', 'ownWrite', 'ownRead', 'otherWrite', 'otherRead'),
  },
  updateOrder: {
    attempt: async (app, whose, as) =>
      status(app.patch(`/v1/store/orders/${await orderOf(app, whose)}`, { status: 'approved' }, as)),
    own: { ...CHANGED(200), write: 404, ownWrite: 200, otherWrite: 404 },
    unowned: { ...CHANGED(200), write: 404, ownWrite: 404, otherWrite: 404 },
  },
  cancelOrder: {
    attempt: async (app, whose, as) =>
      status(app.delete(`/v1/store/orders/${await orderOf(app, whose)}`, as)),
    own: { ...CHANGED(204), write: 404, ownWrite: 204, otherWrite: 404 },
    unowned: { ...CHANGED(204), write: 404, ownWrite: 404, otherWrite: 404 },
  },
  createApplication: {
    attempt: async (app, whose, as) => {
      const application = { petId: await addAnimal(app, whose), applicant: ADOPTER }
      return status(app.post('/v1/applications', application, as))
    },
    own: { ...CHANGED(201), ownWrite: 201, otherWrite: 403 },
    unowned: { ...CHANGED(201), ownWrite: 403, otherWrite: 403 },
  },
  getApplication: {
    attempt: async (app, whose, as) =>
      status(app.get(`/v1/applications/${await applicationFor(app, whose)}`, as)),
    own: LOOKED('write', 'read', 'ownRead', 'otherWrite', 'otherRead'),
    unowned: LOOKED('write', 'read', 'ownWrite', 'ownRead', 'otherWrite', 'otherRead'),
  },
  updateApplication: {
    attempt: async (app, whose, as) =>
      status(app.patch(`/v1/applications/${await applicationFor(app, whose)}`, { status: 'approved' }, as)),
    own: { ...CHANGED(200), write: 404, ownWrite: 200, otherWrite: 404 },
    unowned: { ...CHANGED(200), write: 404, ownWrite: 404, otherWrite: 404 },
  },
}

/** A photo of an animal, which belongs to the animal's organization, or a photo of an organization. */
type TestedApp = Parameters<Attempt>[0]
const photosOf = (pathOf: (app: TestedApp, whose: number | undefined) => Promise<string>) => {
  const adding = async (app: TestedApp, whose: number | undefined, as: Headers) =>
    app.request(await pathOf(app, whose), { method: 'POST', body: PICTURE, headers: { ...PNG, ...as } })
  const addressOf = async (app: TestedApp, whose: number | undefined) => {
    const path = await pathOf(app, whose)
    const { body } = await app.request(path, { method: 'POST', body: PICTURE, headers: PNG })
    return `${path}/${body.id}`
  }
  return {
    list: async (app, whose, as) => status(app.get(await pathOf(app, whose), as)),
    add: async (app, whose, as) => status(adding(app, whose, as)),
    get: async (app, whose, as) => status(app.get(await addressOf(app, whose), as)),
    update: async (app, whose, as) => status(app.patch(await addressOf(app, whose), { alt: 'Rex' }, as)),
    delete: async (app, whose, as) => status(app.delete(await addressOf(app, whose), as)),
  } satisfies Record<string, Attempt>
}
const changed = (done: number) => ({
  own: { ...CHANGED(done), ownWrite: done, otherWrite: 403 },
  unowned: { ...CHANGED(done), ownWrite: 403, otherWrite: 403 },
})
const shelterPhotos = photosOf(async () => '/v1/organizations/1/photos')
const petPhotos = photosOf(async (app, whose) => `/v1/pets/${await addAnimal(app, whose)}/photos`)
Object.assign(OPERATIONS, {
  listPetPhotos: { attempt: petPhotos.list, own: LOOKED(), unowned: LOOKED() },
  addPetPhoto: { attempt: petPhotos.add, ...changed(201) },
  getPetPhoto: { attempt: petPhotos.get, own: LOOKED(), unowned: LOOKED() },
  updatePetPhoto: { attempt: petPhotos.update, ...changed(200) },
  deletePetPhoto: { attempt: petPhotos.delete, ...changed(204) },
})

test('every operation on data of an organization returns the expected status for each kind of caller', async (t) => {
  const app = await startNetwork(t)
  for (const [operation, { attempt, own, unowned }] of Object.entries(OPERATIONS)) {
    for (const [whose, expected] of [
      [1, own],
      [undefined, unowned],
    ] as const) {
      const answers: Record<string, number> = {}
      for (const name of ALL_CALLERS) answers[name] = await attempt(app, whose, app.callers[name])
      assert.deepEqual(answers, { ...expected }, `${operation} of ${whose}`)
    }
  }
})

/** Operations that depend only on the access of the key. */
const ADMINS = (done: number) => ({ ...CHANGED(done), write: 403, ownWrite: 403, otherWrite: 403 })
const COMMON: Record<string, [attempt: (app: TestedApp, as: Headers) => Promise<number>, expected: object]> =
  {
    listPets: [({ get }, as) => status(get('/v1/pets', as)), LOOKED()],
    listPetFacets: [({ get }, as) => status(get('/v1/pets/facets?facet=status', as)), LOOKED()],
    listOrders: [({ get }, as) => status(get('/v1/store/orders', as)), LOOKED()],
    listApplications: [({ get }, as) => status(get('/v1/applications', as)), LOOKED()],
    getInventory: [({ get }, as) => status(get('/v1/inventory?organizationId=1', as)), LOOKED()],
    getStatistics: [
      ({ get }, as) => status(get('/v1/statistics?organizationId=1', as)),
      { ...CHANGED(200), ownWrite: 200, otherWrite: 403 },
    ],
    listOrganizations: [({ get }, as) => status(get('/v1/organizations', as)), LOOKED()],
    getOrganization: [({ get }, as) => status(get('/v1/organizations/1', as)), LOOKED()],
    createOrganization: [
      ({ post }, as) => status(post('/v1/organizations', { name: 'New' }, as)),
      ADMINS(201),
    ],
    updateOrganization: [
      ({ patch }, as) => status(patch('/v1/organizations/1', { phone: '1' }, as)),
      { ...CHANGED(200), ownWrite: 200, otherWrite: 403 },
    ],
    deleteOrganization: [
      async ({ post, delete: remove }, as) => {
        const { id } = (await post('/v1/organizations', { name: 'Short' })).body
        return status(remove(`/v1/organizations/${id}`, as))
      },
      ADMINS(204),
    ],
    listOrganizationPhotos: [(app, as) => shelterPhotos.list(app, 1, as), LOOKED()],
    addOrganizationPhoto: [(app, as) => shelterPhotos.add(app, 1, as), { ...changed(200).own, admin: 201 }],
    getOrganizationPhoto: [(app, as) => shelterPhotos.get(app, 1, as), LOOKED()],
    updateOrganizationPhoto: [(app, as) => shelterPhotos.update(app, 1, as), changed(200).own],
    deleteOrganizationPhoto: [(app, as) => shelterPhotos.delete(app, 1, as), changed(204).own],
    ...vocabulary('Category', 'categories', {}),
    updateCategory: [
      ({ patch }, as) => status(patch('/v1/categories/1', { description: 'Barks.' }, as)),
      ADMINS(200),
    ],
    ...vocabulary('Breed', 'breeds', { categoryId: 1 }),
    ...vocabulary('Color', 'colors', { categoryId: 1 }),
  }

/** A webhook belongs to its organization: other write keys do not see it. */
const HOOKED = (done: number) => ({ ...CHANGED(done), write: 404, ownWrite: done, otherWrite: 404 })

async function hookPath(app: TestApp): Promise<string> {
  const webhook = { url: 'https://hooks.example.org/', organizationId: 1, enabled: false }
  return `/v1/webhooks/${(await app.post('/v1/webhooks', webhook)).body.id}`
}

async function deliveryPath(app: TestApp): Promise<string> {
  const path = await hookPath(app)
  return `${path}/deliveries/${(await app.post(`${path}/test`, {})).body.id}`
}

const EVENTS: typeof COMMON = {
  listEvents: [({ get }, as) => status(get('/v1/events', as)), LOOKED()],
  // A stream has no end.
  streamEvents: [
    ({ request }, as) => status(request('/v1/events/stream', { method: 'HEAD', headers: as })),
    LOOKED(),
  ],
  listWebhooks: [
    ({ get }, as) => status(get('/v1/webhooks', as)),
    { ...CHANGED(200), ownWrite: 200, otherWrite: 200 },
  ],
  createWebhook: [
    ({ post }, as) =>
      status(post('/v1/webhooks', { url: 'https://hooks.example.org/', organizationId: 1 }, as)),
    { ...HOOKED(201), write: 403, otherWrite: 403 },
  ],
  getWebhook: [async (app, as) => status(app.get(await hookPath(app), as)), HOOKED(200)],
  updateWebhook: [
    async (app, as) => status(app.patch(await hookPath(app), { description: 'Website' }, as)),
    HOOKED(200),
  ],
  deleteWebhook: [async (app, as) => status(app.delete(await hookPath(app), as)), HOOKED(204)],
  rotateWebhookSecret: [
    async (app, as) => status(app.post(`${await hookPath(app)}/rotate`, {}, as)),
    HOOKED(200),
  ],
  testWebhook: [async (app, as) => status(app.post(`${await hookPath(app)}/test`, {}, as)), HOOKED(202)],
  listDeliveries: [async (app, as) => status(app.get(`${await hookPath(app)}/deliveries`, as)), HOOKED(200)],
  retryDelivery: [
    async (app, as) => status(app.post(`${await deliveryPath(app)}/retry`, {}, as)),
    HOOKED(202),
  ],
  recoverDeliveries: [
    async (app, as) => status(app.post(`${await hookPath(app)}/recover?since=2026-12-01T00:00:00Z`, {}, as)),
    HOOKED(202),
  ],
}

let words = 0

function vocabulary(one: string, many: string, members: object): typeof COMMON {
  const path = `/v1/${many}`
  const add = ({ post }: TestApp, as?: Headers) => {
    words += 1
    return post(path, { ...members, name: `Word ${words}` }, as)
  }
  return {
    [`list${many[0]?.toUpperCase()}${many.slice(1)}`]: [({ get }, as) => status(get(path, as)), LOOKED()],
    [`get${one}`]: [async (app, as) => status(app.get(`${path}/${(await add(app)).body.id}`, as)), LOOKED()],
    [`create${one}`]: [(app, as) => status(add(app, as)), ADMINS(201)],
    [`delete${one}`]: [
      async (app, as) => status(app.delete(`${path}/${(await add(app)).body.id}`, as)),
      ADMINS(204),
    ],
  }
}

test('every other operation returns the expected status for each kind of caller; all operations are covered', async (t) => {
  const app = await startNetwork(t)
  for (const [operation, [attempt, expected]] of Object.entries({ ...COMMON, ...EVENTS })) {
    const answers: Record<string, number> = {}
    for (const name of ALL_CALLERS) answers[name] = await attempt(app, app.callers[name])
    assert.deepEqual(answers, { ...expected }, operation)
  }

  const tried = Object.keys({ ...OPERATIONS, ...COMMON, ...EVENTS }).map((name) => name.split(',')[0])
  const paths: Record<string, unknown>[] = Object.values((await app.get('/openapi.json')).body.paths)
  const described = paths.flatMap((path) =>
    Object.values(path).flatMap((operation) => (operation as { operationId?: string }).operationId ?? []),
  )
  assert.deepEqual(new Set(tried), new Set(described))
})
