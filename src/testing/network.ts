import type { TestContext } from 'node:test'
import { makeKey, startApp, type TestApp, UNLIMITED } from './start-app.ts'

// Two organizations, and callers with access to one, both or no organization.

export const ADOPTER = { name: 'A. Adopter', email: 'adopter@example.org' }
export const SECRET = 'Nobody else may read this.'

export type Headers = Record<string, string>

/** Starts a service with two organizations and a caller of each kind. */
export async function startNetwork(t: TestContext) {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  await app.post('/v1/organizations', { code: 'UT1', name: 'Utrecht' })
  await app.post('/v1/organizations', { code: 'CO2', name: 'Colorado' })
  const keyOf = async (access: 'read' | 'write', organizationId?: number): Promise<Headers> => ({
    authorization: `Bearer ${await makeKey(app.databaseUrl, { ...UNLIMITED, access, organizationId })}`,
  })
  const callers = {
    admin: {},
    write: await keyOf('write'),
    read: await keyOf('read'),
    ownWrite: await keyOf('write', 1),
    ownRead: await keyOf('read', 1),
    otherWrite: await keyOf('write', 2),
    otherRead: await keyOf('read', 2),
    none: { authorization: 'Bearer none' },
  } satisfies Record<string, Headers>
  return { ...app, callers }
}

export type CallerName = keyof Awaited<ReturnType<typeof startNetwork>>['callers']
export const ALL_CALLERS: CallerName[] = [
  'admin',
  'write',
  'read',
  'ownWrite',
  'ownRead',
  'otherWrite',
  'otherRead',
  'none',
]

export async function addAnimal(
  { post }: TestApp,
  organizationId?: number,
  status = 'available',
): Promise<number> {
  const animal = { name: 'Rex', categoryId: 1, status, staff: { notes: SECRET }, organizationId }
  const { body } = await post('/v1/pets', animal)
  return body.id
}

export async function orderOf(app: TestApp, whose: number | undefined): Promise<number> {
  const petId = await addAnimal(app, whose)
  return (await app.post('/v1/store/orders', { petId, adopter: ADOPTER })).body.id
}
