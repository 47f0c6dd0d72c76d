import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import type { App } from '../http/app.ts'
import { requireOwnOrganization } from '../http/caller.ts'
import { publicBaseUrl } from '../http/face.ts'
import { readIdempotencyKey } from '../http/idempotency.ts'
import { PAGE_HEADERS, pageOf, readCursor } from '../http/paging.ts'
import { BETA, parsePathId } from '../http/type.ts'
import { photosBaseUrl } from '../photos/storage/stored-photo.ts'
import { getPoint } from '../places/gazetteer.ts'
import { type ListStart, list, type OrganizationPosition, positionOf } from './list.ts'
import { patchWithCoordinates, withCoordinates } from './places.ts'
import {
  NewOrganization,
  Organization,
  OrganizationPatch,
  OrganizationPath,
  OrganizationQuery,
  Organizations,
} from './schema.ts'
import * as organizations from './store.ts'

export function organizationRoutes(app: App, context: Context): void {
  listOrganizations(app, context)
  createOrganization(app, context)
  getOrganization(app, context)
  updateOrganization(app, context)
  deleteOrganization(app, context)
}

function listOrganizations(app: App, { config, db, cursorSecret }: Context): void {
  const schema = {
    operationId: 'listOrganizations',
    summary: 'List organizations',
    description:
      'Shelters and rescues, oldest first, or with `near` the nearest first, in pages like the list of animals.',
    ...BETA,
    querystring: OrganizationQuery,
    response: { 200: { ...Organizations, headers: PAGE_HEADERS } },
  }
  app.get('/organizations', { schema }, async (request, reply) => {
    const { cursor, near, limit, ...filters } = request.query
    const { q, country, region, within } = filters
    const scope = JSON.stringify(['organizations', q, country, region, near, near && within])
    const after =
      cursor === undefined ? undefined : readCursor<OrganizationPosition>(cursorSecret, scope, cursor)
    const found = await list(db, {
      ...filters,
      limit,
      near: near === undefined ? undefined : await getPoint(near),
      after,
    } as ListStart)
    const { page, link } = pageOf(found, {
      ...{ limit, secret: cursorSecret, scope, positionOf },
      address: `${publicBaseUrl(config, request)}/organizations`,
      query: { limit, q, country, region, near, within: near && within },
    })
    reply.header('link', link)
    return page.map((one) => organizations.toView(one, photosBaseUrl(config, request)))
  })
}

function createOrganization(app: App, { config, writeOnce, clock }: Context): void {
  const schema = {
    operationId: 'createOrganization',
    summary: 'Add an organization',
    ...BETA,
    body: NewOrganization,
    response: { 201: Organization },
  }
  const errors = { 409: 'Another organization has this code.' }
  app.post('/organizations', { config: { errors }, schema }, async (request, reply) => {
    const key = readIdempotencyKey(request, reply)
    const located = await withCoordinates(request.body)
    const organization = await writeOnce(key, changes.insertOrganization, located, clock())
    reply.code(201).header('location', `${publicBaseUrl(config, request)}/organizations/${organization.id}`)
    return organizations.toView(organization, photosBaseUrl(config, request))
  })
}

function getOrganization(app: App, { config, db }: Context): void {
  const schema = {
    operationId: 'getOrganization',
    summary: 'Get an organization',
    ...BETA,
    params: OrganizationPath,
    response: { 200: Organization },
  }
  app.get('/organizations/:organizationId', { schema }, async (request) => {
    const found = await organizations.get(
      db,
      parsePathId(request.params.organizationId, 'organization_not_found'),
    )
    return organizations.toView(found, photosBaseUrl(config, request))
  })
}

function updateOrganization(app: App, { config, db, writeOnce, clock }: Context): void {
  const schema = {
    operationId: 'updateOrganization',
    summary: 'Change an organization',
    description: 'A key of an organization can change only its own organization. The code cannot be changed.',
    ...BETA,
    consumes: ['application/merge-patch+json', 'application/json'],
    params: OrganizationPath,
    body: OrganizationPatch,
    response: { 200: Organization },
  }
  app.patch('/organizations/:organizationId', { schema }, async (request, reply) => {
    const id = parsePathId(request.params.organizationId, 'organization_not_found')
    requireOwnOrganization(request.caller, id)
    const patch = await patchWithCoordinates(db, id, request.body)
    const key = readIdempotencyKey(request, reply)
    const stored = await writeOnce(key, changes.updateOrganization, id, patch, clock())
    return organizations.toView(stored, photosBaseUrl(config, request))
  })
}

function deleteOrganization(app: App, { write, clock }: Context): void {
  const schema = {
    operationId: 'deleteOrganization',
    summary: 'Remove an organization',
    description:
      'An organization that has animals, orders, applications or keys, even revoked keys, cannot be removed.',
    ...BETA,
    params: OrganizationPath,
    response: { 204: { type: 'null', description: 'The organization was removed.' } },
  }
  const config = { errors: { 409: 'Animals, orders, applications or keys belong to this organization.' } }
  app.delete('/organizations/:organizationId', { config, schema }, async ({ params }, reply) => {
    await write(
      changes.deleteOrganization,
      parsePathId(params.organizationId, 'organization_not_found'),
      clock(),
    )
    return reply.code(204).send()
  })
}
