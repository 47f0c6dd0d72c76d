import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import type { App } from '../http/app.ts'
import { forbidStoring } from '../http/cache-headers.ts'
import { actorOf } from '../http/caller.ts'
import { publicBaseUrl } from '../http/face.ts'
import { readIdempotencyKey } from '../http/idempotency.ts'
import { PAGE_HEADERS, pageOf, readCursor } from '../http/paging.ts'
import { JSON_TYPE } from '../http/send-error.ts'
import { serializeInTurns } from '../http/serialize.ts'
import { BETA, parsePathId } from '../http/type.ts'
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

export function applicationRoutes(app: App, context: Context): void {
  app.register(async (applications: App) => {
    // The responses contain personal data.
    applications.addHook('onRequest', forbidStoring)
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
      'Lists the applications that this key sent. A key of an organization gets those for its animals, and ' +
      'an admin key gets all. Newest first, in pages like the list of animals.',
    ...BETA,
    querystring: ApplicationQuery,
    response: { 200: { ...Applications, headers: PAGE_HEADERS } },
  }
  app.get('/applications', { schema }, async (request, reply) => {
    const { cursor, ...filters } = request.query
    const { limit, status, petId } = filters
    const scope = JSON.stringify(['applications', request.caller.view, status, petId?.toString()])
    const after = cursor === undefined ? undefined : readCursor<[number]>(cursorSecret, scope, cursor)
    const rows = await list(db, { ...filters, after: after?.[0] }, viewerOf(request.caller))
    const address = `${publicBaseUrl(config, request)}/applications`
    const query = { limit, status, petId }
    const { page, link } = pageOf(rows, {
      ...{ limit, secret: cursorSecret, scope, address, query },
      positionOf: ({ id }) => [id],
    })
    // A page can have 4 MB.
    const body = await serializeInTurns(page.map(applications.toApplication), Application)
    return reply
      .header('link', link)
      .type(JSON_TYPE)
      .send(body as never)
  })
}

function createApplication(app: App, { config, writeOnce, clock, db }: Context): void {
  const schema = {
    operationId: 'createApplication',
    summary: 'Send an application',
    description:
      'The animal must be available or pending. Its status does not change: many people may apply until ' +
      'one application is approved.',
    ...BETA,
    body: NewApplication,
    response: { 201: Application },
  }
  const errors = { 404: 'No animal has this id.', 409: 'The animal is not up for adoption.' }
  app.post('/applications', { config: { errors }, schema }, async (request, reply) => {
    const sending = { by: actorOf(request.caller), now: clock() }
    const key = readIdempotencyKey(request, reply)
    const application = await writeOnce(key, changes.insertApplication, request.body, sending)
    reply.code(201).header('location', `${publicBaseUrl(config, request)}/applications/${application.id}`)
    return applications.toApplication(
      await applications.withPersonal(db, application, viewerOf(request.caller)),
    )
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
    applications.toApplication(
      await applications.get(
        db,
        parsePathId(request.params.applicationId, 'application_not_found'),
        viewerOf(request.caller),
      ),
    ),
  )
}

function updateApplication(app: App, { writeOnce, clock, db }: Context): void {
  const schema = {
    operationId: 'updateApplication',
    summary: 'Decide about an application',
    description:
      'Approving an application places an approved order and makes the animal pending. Completing that ' +
      'order declines all other applications for the animal. Cancelling that order returns this application to review. ' +
      'Declining or withdrawing an approved application cancels its order.',
    ...BETA,
    consumes: ['application/merge-patch+json', 'application/json'],
    params: ApplicationPath,
    body: ApplicationPatch,
    response: { 200: Application },
  }
  const errors = { 409: 'The application cannot take this status, or the animal is not available.' }
  app.patch('/applications/:applicationId', { config: { errors }, schema }, async (request, reply) => {
    const decision = {
      ...viewerOf(request.caller),
      id: parsePathId(request.params.applicationId, 'application_not_found'),
      now: clock(),
    }
    const key = readIdempotencyKey(request, reply)
    const decided = await writeOnce(key, changes.updateApplication, request.body, decision)
    return applications.toApplication(await applications.withPersonal(db, decided, decision))
  })
}
