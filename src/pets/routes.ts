import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import { ApiError } from '../errors.ts'
import type { App } from '../http/app.ts'
import { actorOf } from '../http/caller.ts'
import {
  conditionsOf,
  etagOf,
  IF_MATCH,
  IF_NONE_MATCH,
  notModifiedResponse,
  VALIDATOR_HEADERS,
  validatorHeaders,
} from '../http/conditional.ts'
import { publicBaseUrl } from '../http/face.ts'
import { deprecationHeaders } from '../http/gate.ts'
import { readIdempotencyKey } from '../http/idempotency.ts'
import type { NewPage } from '../http/page-cache.ts'
import { PAGE_HEADERS, pageOf, readCursor } from '../http/paging.ts'
import { JSON_TYPE } from '../http/send-error.ts'
import { sendPage } from '../http/send-page.ts'
import { serializeInTurns } from '../http/serialize.ts'
import { BETA, parsePathId } from '../http/type.ts'
import { photosBaseUrl } from '../photos/storage/stored-photo.ts'
import { release } from '../release.ts'
import { findHistory } from './history.ts'
import * as petRequests from './requests.ts'
import { parseFields, type RenderOptions, toPetView } from './row.ts'
import { withOtherProblems } from './rules.ts'
import {
  FacetQuery,
  NewPet,
  OnePetQuery,
  Pet,
  PetFacets,
  PetHistory,
  PetPatch,
  PetPath,
  PetQuery,
  Pets,
} from './schema.ts'
import { countFacets } from './search/facets.ts'
import { type Finder, finderOf } from './search/filters.ts'
import { type SearchResult, scopeOf, searchPets } from './search/find.ts'
import type { Position } from './search/matching.ts'
import * as pets from './store.ts'

/** The date of release 1.0.0, and the removal date that section 9 of the contract sets. */
const DEPRECATED_SINCE = Date.UTC(2026, 10, 20)
const REMOVED_AT = Date.UTC(2030, 11, 5)

const LIST_HEADERS = { ...PAGE_HEADERS, ...VALIDATOR_HEADERS }
const FACET_HEADERS = { ETag: VALIDATOR_HEADERS.ETag }
const CHANGED_SINCE = {
  412: 'A precondition failed: the resource has changed.',
}
const READ_CONFIG = { headers: IF_NONE_MATCH, errors: CHANGED_SINCE }

export function petRoutes(app: App, context: Context): void {
  const finder = finderOf(context)
  listPets(app, context, finder)
  listPetFacets(app, context, finder)
  createPet(app, context)
  getPet(app, context)
  updatePet(app, context)
  deletePet(app, context)
  listPetChanges(app, context)
}

function listPets(app: App, context: Context, finder: Finder): void {
  const { config, cursorSecret } = context
  const schema = {
    operationId: 'listPets',
    summary: 'List all animals',
    description:
      'A page of at most `limit` animals, newest first. The Link header has the next page. A page may be ' +
      'shorter than `limit`, or empty, although more pages follow. Animals match all filters, and any value ' +
      'of a repeated filter. With exactly one `id`, ETag and Last-Modified are those of the animal, usable in ' +
      'If-Match.',
    querystring: PetQuery,
    response: { 200: { ...Pets, headers: LIST_HEADERS }, 304: notModifiedResponse(LIST_HEADERS) },
  }
  app.get('/pets', { config: READ_CONFIG, schema }, async (request, reply) => {
    const { view } = request.caller
    const read = async (): Promise<NewPage> => {
      const { query } = request
      const { cursor, fields, limit } = query
      const scope = scopeOf(query, view)
      const after = cursor === undefined ? undefined : readCursor<Position>(cursorSecret, scope, cursor)
      const selection = fields === undefined ? undefined : parseFields(fields)
      const options = { view, photosBase: photosBaseUrl(config, request) }
      const { found, only, next } = await searchPets(finder, { query, selection, after }, options)
      const { cursor: _, within, ...others } = query
      const list = {
        address: `${publicBaseUrl(config, request)}/pets`,
        query: query.near === undefined ? others : { ...others, within },
        positionOf: ({ position }: SearchResult) => position,
      }
      const { page, link } = pageOf(found, { ...list, limit, secret: cursorSecret, scope, next })
      const body = `[${page.map(({ toJson }) => toJson())}]`
      // With one id, the response has the validators of that animal, for use as preconditions of a change.
      const validators = only ? validatorHeaders(only, view) : { etag: etagOfPage(page, link, options) }
      return { body, headers: { link, ...validators }, isVolatile: next !== undefined }
    }
    return sendPage(request, reply, context, read)
  })
}

function listPetFacets(app: App, context: Context, finder: Finder): void {
  const schema = {
    operationId: 'listPetFacets',
    summary: 'Count animals by the values of filters',
    description:
      'Takes the filters of the list. Counts are exact for up to 10,000 matching animals. With more, they cover ' +
      'the newest 10,000, and `approximate` is true.',
    ...BETA,
    querystring: FacetQuery,
    response: { 200: { ...PetFacets, headers: FACET_HEADERS }, 304: notModifiedResponse(FACET_HEADERS) },
  }
  app.get('/pets/facets', { config: READ_CONFIG, schema }, async (request, reply) => {
    const read = async (): Promise<NewPage> => {
      const body = JSON.stringify(await countFacets(finder, request.query, request.caller.view))
      return { body, headers: { etag: etagOf(request.caller.view, body) } }
    }
    return sendPage(request, reply, context, read)
  })
}

const RELEASE = release()

/** Computes the ETag from everything that determines the page, also `fields`, which its link contains. */
function etagOfPage(
  page: Pick<SearchResult, 'etag'>[],
  link: string,
  { view, photosBase }: RenderOptions,
): string {
  return etagOf(RELEASE, view, photosBase, link, ...page.map(({ etag }) => etag))
}

function createPet(app: App, context: Context): void {
  const { config, db, clock } = context
  const schema = {
    operationId: 'createPet',
    summary: 'Add an animal',
    description:
      'The animal is stored durably before the response is sent. An animal without a status is not published.',
    body: NewPet,
    response: { 201: { ...Pet, headers: VALIDATOR_HEADERS } },
  }
  const errors = { 409: 'The externalId is taken, or an animal of the bond has an open order.' }
  app.post('/pets', { config: { errors }, attachValidation: true, schema }, async (request, reply) => {
    const problems = request.validationError
    if (problems instanceof ApiError) throw await withOtherProblems(db, problems, request.body, clock())
    const stored = await petRequests.add(
      context,
      { caller: request.caller, key: readIdempotencyKey(request, reply) },
      request.body,
    )
    const { view } = request.caller
    const pet = toPetView(stored, { view, photosBase: photosBaseUrl(config, request) })
    reply.code(201).header('location', `${publicBaseUrl(config, request)}/pets/${pet.id}`)
    reply.headers(validatorHeaders(pet, view)).type(JSON_TYPE)
    return pet.toJson() as never
  })
}

function getPet(app: App, { config, db, pages, clock }: Context): void {
  const terms = { since: DEPRECATED_SINCE, removedAt: REMOVED_AT }
  const deprecation = (request: FastifyRequest) =>
    deprecationHeaders({ ...terms, successor: `${publicBaseUrl(config, request, app.prefix)}/pets` })
  const schema = {
    operationId: 'getPet',
    summary: 'Get an animal',
    description: 'Removed on 5 December 2030; use `GET /pets` with a `status` instead.',
    deprecated: true,
    'x-deprecated-sunset': '2030-12-05',
    params: PetPath,
    querystring: OnePetQuery,
    response: { 200: { ...Pet, headers: VALIDATOR_HEADERS }, 304: notModifiedResponse(VALIDATOR_HEADERS) },
  }
  app.get('/pets/:petId', { config: { ...READ_CONFIG, deprecation }, schema }, async (request, reply) => {
    if (clock() >= REMOVED_AT) throw new ApiError('endpoint_removed')
    const read = async (): Promise<NewPage> => {
      const { view } = request.caller
      const options = { view, photosBase: photosBaseUrl(config, request) }
      const { fields } = request.query
      const selection = fields === undefined ? undefined : parseFields(fields)
      const pet = await pets.findView(
        db,
        parsePathId(request.params.petId, 'pet_not_found'),
        options,
        selection,
      )
      if (!pet) throw new ApiError('pet_not_found')
      const headers = { ...validatorHeaders(pet, view), ...deprecation(request) }
      return { body: pet.toJson(), headers, until: REMOVED_AT }
    }
    return sendPage(request, reply, { config, pages, clock }, read)
  })
}

function updatePet(app: App, context: Context): void {
  const { config: settings, db } = context
  const schema = {
    operationId: 'updatePet',
    summary: 'Change an animal',
    description:
      'With If-Match, only if the animal is unchanged. An animal that moves to another organization keeps its public ' +
      'members and those in the patch; open applications move with it, without their notes.',
    ...BETA,
    consumes: ['application/merge-patch+json', 'application/json'],
    params: PetPath,
    body: PetPatch,
    response: { 200: { ...Pet, headers: VALIDATOR_HEADERS } },
  }
  const errors = {
    ...CHANGED_SINCE,
    409: 'An order is open, the externalId is taken, or this status cannot follow the current one.',
  }
  const config = { errors, headers: IF_MATCH }
  app.patch('/pets/:petId', { config, attachValidation: true, schema }, async (request, reply) => {
    const problems = request.validationError
    if (problems instanceof ApiError) throw await withOtherProblems(db, problems, request.body)
    const target = {
      id: parsePathId(request.params.petId, 'pet_not_found'),
      conditions: conditionsOf(request),
    }
    const requester = { caller: request.caller, key: readIdempotencyKey(request, reply) }
    const stored = await petRequests.change(context, requester, request.body, target)
    const { view } = request.caller
    const pet = toPetView(stored, { view, photosBase: photosBaseUrl(settings, request) })
    reply.headers(validatorHeaders(pet, view)).type(JSON_TYPE)
    return pet.toJson() as never
  })
}

function deletePet(app: App, { write, clock }: Context): void {
  const schema = {
    operationId: 'deletePet',
    summary: 'Remove an animal',
    description: 'For animals added by mistake. The id is not used again.',
    ...BETA,
    params: PetPath,
    response: { 204: { type: 'null', description: 'The animal was removed.' } },
  }
  const errors = { ...CHANGED_SINCE, 409: 'This animal has an open order.' }
  const config = { errors, headers: IF_MATCH }
  app.delete('/pets/:petId', { config, schema }, async (request, reply) => {
    const { params, caller } = request
    const conditions = conditionsOf(request)
    await write(changes.deletePet, {
      id: parsePathId(params.petId, 'pet_not_found'),
      by: actorOf(caller),
      now: clock(),
      conditions,
    })
    return reply.code(204).send()
  })
}

function listPetChanges(app: App, { db }: Context): void {
  const schema = {
    operationId: 'listPetChanges',
    summary: 'List the changes of an animal',
    description:
      'Key, time and values of each change, newest first. Changes of `contact`, `description`, `place`, `videos`, ' +
      '`photos` and `staff` are visible only to the organization that had the animal at that time.',
    ...BETA,
    params: PetPath,
    response: { 200: PetHistory },
  }
  app.get('/pets/:petId/history', { schema }, async (request, reply) => {
    const changes = await findHistory(
      db,
      parsePathId(request.params.petId, 'pet_not_found'),
      request.caller.view,
    )
    if (!changes) throw new ApiError('pet_not_found')
    const body = await serializeInTurns(changes, PetHistory.items)
    return reply.type(JSON_TYPE).send(body as never)
  })
}
