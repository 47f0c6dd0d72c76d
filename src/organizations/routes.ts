import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import { ApiError } from '../errors.ts'
import type { App } from '../http/app.ts'
import { requireOwn } from '../http/caller.ts'
import { readCursor } from '../http/cursor.ts'
import { onceKey } from '../http/idempotency.ts'
import { int64 } from '../http/int64.ts'
import { PAGE_HEADERS, pageOf, publicBase } from '../http/link.ts'
import { photosAt } from '../photos/storage/kept.ts'
import { located, pointOf, relocated } from './locate.ts'
import {
  NewOrganization,
  Organization,
  OrganizationPatch,
  OrganizationPath,
  OrganizationQuery,
  Organizations,
} from './schema.ts'
import * as search from './search.ts'
import * as organizations from './store.ts'

const BETA = { 'x-stability': 'beta' } as const

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
      'Shelters and rescues, oldest first, or with `near` the nearest first, in pages as of animals.',
    ...BETA,
    querystring: OrganizationQuery,
    response: { 200: { ...Organizations, headers: PAGE_HEADERS } },
  }
  app.get('/organizations', { schema }, async (request, reply) => {
    const { cursor, near, limit, ...filters } = request.query
    const { q, country, region, within } = filters
    const scope = JSON.stringify(['organizations', q, country, region, near, near && within])
    const after = cursor === undefined ? undefined : readCursor<search.After>(cursorSecret, scope, cursor)
    const found = await search.list(db, {
      ...filters,
      limit,
      near: near === undefined ? undefined : await pointOf(near),
      after,
    } as search.Start)
    const { page, link } = pageOf(found, {
      ...{ limit, secret: cursorSecret, scope, positionOf: search.positionOf },
      address: `${publicBase(config, request)}/organizations`,
      query: { limit, q, country, region, near, within: near && within },
    })
    reply.header('link', link)
    return page.map((one) => organizations.toShown(one, photosAt(config, request)))
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
    const organization = await writeOnce(
      onceKey(request, reply),
      changes.insertOrganization,
      await located(request.body),
      clock(),
    )
    reply.code(201).header('location', `${publicBase(config, request)}/organizations/${organization.id}`)
    return organizations.toShown(organization, photosAt(config, request))
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
    const found = await organizations.get(db, idOf(request.params))
    return organizations.toShown(found, photosAt(config, request))
  })
}

function updateOrganization(app: App, { config, db, writeOnce, clock }: Context): void {
  const schema = {
    operationId: 'updateOrganization',
    summary: 'Change an organization',
    description: 'A key that belongs to an organization changes its own alone. A code stays as it is.',
    ...BETA,
    consumes: ['application/merge-patch+json', 'application/json'],
    params: OrganizationPath,
    body: OrganizationPatch,
    response: { 200: Organization },
  }
  app.patch('/organizations/:organizationId', { schema }, async (request, reply) => {
    const id = idOf(request.params)
    requireOwn(request.caller, id)
    const patch = await relocated(db, id, request.body)
    const stored = await writeOnce(onceKey(request, reply), changes.updateOrganization, id, patch, clock())
    return organizations.toShown(stored, photosAt(config, request))
  })
}

function deleteOrganization(app: App, { write, clock }: Context): void {
  const schema = {
    operationId: 'deleteOrganization',
    summary: 'Remove an organization',
    description: 'Only one that no animal, order or key belongs to; a key that is revoked counts.',
    ...BETA,
    params: OrganizationPath,
    response: { 204: { type: 'null', description: 'The organization is gone.' } },
  }
  const config = { errors: { 409: 'Animals, orders or keys belong to this organization.' } }
  app.delete('/organizations/:organizationId', { config, schema }, async ({ params }, reply) => {
    await write(changes.deleteOrganization, idOf(params), clock())
    return reply.code(204).send()
  })
}

/** @throws {ApiError} organization_not_found for what can be the id of none */
function idOf({ organizationId }: { organizationId: string }): number {
  const id = int64(organizationId)
  if (id === undefined) throw new ApiError('organization_not_found')
  return id
}
