import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import { ApiError } from '../errors.ts'
import type { App } from '../http/app.ts'
import { keepNothing } from '../http/cache-headers.ts'
import { actorOf } from '../http/caller.ts'
import { readCursor } from '../http/cursor.ts'
import { onceKey } from '../http/idempotency.ts'
import { int64 } from '../http/int64.ts'
import { PAGE_HEADERS, pageOf, publicBase } from '../http/link.ts'
import { viewerOf } from '../orders/store.ts'
import {
  Application,
  ApplicationPatch,
  ApplicationPath,
  ApplicationQuery,
  Applications,
  NewApplication,
} from './schema.ts'
import { list } from './search.ts'
import * as applications from './store.ts'

const BETA = { 'x-stability': 'beta' } as const

export function applicationRoutes(app: App, context: Context): void {
  app.register(async (applications: App) => {
    // Applicants are in these answers.
    applications.addHook('onRequest', keepNothing)
    listApplications(applications, context)
    createApplication(applications, context)
    getApplication(applications, context)
    updateApplication(applications, context)
  })
}

function listApplications(app: App, { config, db, cursorSecret }: Context): void {
  const schema = {
    operationId: 'listApplications',
    summary: 'List applications',
    description:
      'Those that this key sent; for a key of an organization those for its animals, for an admin key all. ' +
      'Newest first, in pages as of animals.',
    ...BETA,
    querystring: ApplicationQuery,
    response: { 200: { ...Applications, headers: PAGE_HEADERS } },
  }
  app.get('/applications', { schema }, async (request, reply) => {
    const { cursor, ...filters } = request.query
    const { limit, status, petId } = filters
    const scope = JSON.stringify(['applications', request.caller.view, status, petId?.toString()])
    const after = cursor === undefined ? undefined : readCursor<[number]>(cursorSecret, scope, cursor)
    const found = await list(db, { ...filters, after: after?.[0] }, viewerOf(request.caller))
    const address = `${publicBase(config, request)}/applications`
    const query = { limit, status, petId }
    const { page, link } = pageOf(found, {
      ...{ limit, secret: cursorSecret, scope, address, query },
      positionOf: ({ id }) => [id],
    })
    reply.header('link', link)
    return page.map(applications.toShown)
  })
}

function createApplication(app: App, { config, writeOnce, clock, db }: Context): void {
  const schema = {
    operationId: 'createApplication',
    summary: 'Send an application',
    description:
      'The animal must be available or pending, and stays as it is: many may apply for it, until one is approved.',
    ...BETA,
    body: NewApplication,
    response: { 201: Application },
  }
  const errors = { 404: 'There is no such animal.', 409: 'The animal does not look for a home.' }
  app.post('/applications', { config: { errors }, schema }, async (request, reply) => {
    const sending = { by: actorOf(request.caller), now: clock() }
    const application = await writeOnce(
      onceKey(request, reply),
      changes.insertApplication,
      request.body,
      sending,
    )
    reply.code(201).header('location', `${publicBase(config, request)}/applications/${application.id}`)
    return applications.toShown(await applications.withPersonal(db, application, viewerOf(request.caller)))
  })
}

function getApplication(app: App, { db }: Context): void {
  const schema = {
    operationId: 'getApplication',
    summary: 'Get an application',
    ...BETA,
    params: ApplicationPath,
    response: { 200: Application },
  }
  app.get('/applications/:applicationId', { schema }, async (request) =>
    applications.toShown(await applications.get(db, idOf(request.params), viewerOf(request.caller))),
  )
}

function updateApplication(app: App, { writeOnce, clock, db }: Context): void {
  const schema = {
    operationId: 'updateApplication',
    summary: 'Decide about an application',
    description:
      'Approving it places an order, which is approved too, and makes the animal pending. From then on the order ' +
      'decides: when it is complete, all other applications for the animal are declined; when it is cancelled, ' +
      'this one is in review again. To decline an approved one cancels its order.',
    ...BETA,
    consumes: ['application/merge-patch+json', 'application/json'],
    params: ApplicationPath,
    body: ApplicationPatch,
    response: { 200: Application },
  }
  const errors = { 409: 'It is closed, cannot take this status, or the animal is not available.' }
  app.patch('/applications/:applicationId', { config: { errors }, schema }, async (request, reply) => {
    const decision = { ...viewerOf(request.caller), id: idOf(request.params), now: clock() }
    const decided = await writeOnce(
      onceKey(request, reply),
      changes.updateApplication,
      request.body,
      decision,
    )
    return applications.toShown(await applications.withPersonal(db, decided, decision))
  })
}

/** @throws {ApiError} application_not_found for what can be the id of none */
function idOf({ applicationId }: ApplicationPath): number {
  const id = int64(applicationId)
  if (id === undefined) throw new ApiError('application_not_found')
  return id
}
