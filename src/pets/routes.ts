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
  notModified,
  VALIDATOR_HEADERS,
  validatorHeaders,
} from '../http/conditional.ts'
import { readCursor } from '../http/cursor.ts'
import { deprecationHeaders } from '../http/deprecation.ts'
import { onceKey } from '../http/idempotency.ts'
import { int64 } from '../http/int64.ts'
import { PAGE_HEADERS, pageOf, publicBase } from '../http/link.ts'
import { JSON_TYPE } from '../http/send-error.ts'
import { sendPage } from '../http/send-page.ts'
import { photosAt } from '../photos/storage/kept.ts'
import { release } from '../release.ts'
import { FacetQuery, PetFacets } from './filter-schemas.ts'
import { history } from './history.ts'
import { withOtherProblems } from './problems.ts'
import { pageOfPets, scopeOf } from './query.ts'
import * as requested from './requested.ts'
import { pickedOf, type Show } from './row.ts'
import { NewPet, OnePetQuery, Pet, PetHistory, PetPatch, PetPath, PetQuery, Pets } from './schema.ts'
import type { Position } from './search/candidates.ts'
import { facets } from './search/facets.ts'
import { type Finder, finderOf, type SearchResult } from './search/find.ts'
import * as pets from './store.ts'

/** Release 1.0.0, and the end that the contract names (section 9). */
const DEPRECATED_SINCE = Date.UTC(2026, 10, 20)
const REMOVED_AT = Date.UTC(2030, 11, 5)

const LIST_HEADERS = { ...PAGE_HEADERS, ...VALIDATOR_HEADERS }
const FACET_HEADERS = { ETag: VALIDATOR_HEADERS.ETag }
const CHANGED_SINCE = {
  412: 'A condition of the request does not hold: what it is about was changed.',
}
const READ_CONFIG = { headers: IF_NONE_MATCH, errors: CHANGED_SINCE }

const BETA = { 'x-stability': 'beta' } as const

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
      'A page of at most `limit` animals, newest first; the Link header leads to the next one. Different filters ' +
      'have to fit all, of one that is repeated any. A page may be shorter, or empty, and lead to a next one. ' +
      'With exactly one `id`, ETag and Last-Modified are those of the animal: good for If-Match.',
    querystring: PetQuery,
    response: { 200: { ...Pets, headers: LIST_HEADERS }, 304: notModified(LIST_HEADERS) },
  }
  app.get('/pets', { config: READ_CONFIG, schema }, async (request, reply) => {
    const { view } = request.caller
    const read = async () => {
      const { query } = request
      const { cursor, fields, limit } = query
      const scope = scopeOf(query, view)
      const after = cursor === undefined ? undefined : readCursor<Position>(cursorSecret, scope, cursor)
      const picked = fields === undefined ? undefined : pickedOf(fields)
      const show = { view, photosAt: photosAt(config, request) }
      const { found, only, next, cut } = await pageOfPets(finder, { query, picked, after }, show)
      const { cursor: _, within, ...kept } = query
      const list = {
        address: `${publicBase(config, request)}/pets`,
        query: query.near === undefined ? kept : { ...kept, within },
        positionOf: ({ position }: SearchResult) => position,
      }
      const { page, link } = pageOf(found, { ...list, limit, secret: cursorSecret, scope, next })
      const body = `[${page.map(({ toJson }) => toJson())}]`
      // An animal alone has validators of its own, which a change of it can name.
      const validators = only ? validatorHeaders(only, view) : { etag: etagOfPage(page, link, show) }
      return { body, headers: { link, ...validators }, passing: cut }
    }
    return sendPage(request, reply, context, read) as never
  })
}

function listPetFacets(app: App, context: Context, finder: Finder): void {
  const schema = {
    operationId: 'listPetFacets',
    summary: 'Count animals by the values of filters',
    description:
      'With the filters of the list. Of up to 10,000 matching animals the counts are exact; of more they are those of ' +
      'the newest 10,000, and `approximate` says so.',
    ...BETA,
    querystring: FacetQuery,
    response: { 200: { ...PetFacets, headers: FACET_HEADERS }, 304: notModified(FACET_HEADERS) },
  }
  app.get('/pets/facets', { config: READ_CONFIG, schema }, async (request, reply) => {
    const read = async () => {
      const body = JSON.stringify(await facets(finder, request.query))
      return { body, headers: { etag: etagOf(request.caller.view, body) } }
    }
    return sendPage(request, reply, context, read) as never
  })
}

const RELEASE = release()

/** All that decides what a page shows: its animals as they are now, `fields`, which the link names, and how. */
function etagOfPage(page: Pick<SearchResult, 'etag'>[], link: string, { view, photosAt }: Show): string {
  return etagOf(RELEASE, view, photosAt, link, ...page.map(({ etag }) => etag))
}

function createPet(app: App, context: Context): void {
  const { config, db, clock } = context
  const schema = {
    operationId: 'createPet',
    summary: 'Add an animal',
    description: 'When the answer arrives the animal is on the disk. Without a status it is not listed yet.',
    body: NewPet,
    response: { 201: { ...Pet, headers: VALIDATOR_HEADERS } },
  }
  const errors = { 409: 'The externalId is taken, or an order on one of the bond is open.' }
  app.post('/pets', { config: { errors }, attachValidation: true, schema }, async (request, reply) => {
    const problems = request.validationError
    if (problems instanceof ApiError) throw await withOtherProblems(db, problems, request.body, clock())
    const stored = await requested.add(
      context,
      { caller: request.caller, key: onceKey(request, reply) },
      request.body,
    )
    const { view } = request.caller
    const shown = pets.storedToShown(stored, { view, photosAt: photosAt(config, request) })
    reply.code(201).header('location', `${publicBase(config, request)}/pets/${shown.id}`)
    reply.headers(validatorHeaders(shown, view)).type(JSON_TYPE)
    return shown.toJson() as never
  })
}

function getPet(app: App, { config, db, pages, clock }: Context): void {
  const terms = { since: DEPRECATED_SINCE, removedAt: REMOVED_AT }
  const deprecation = (request: FastifyRequest) =>
    deprecationHeaders({ ...terms, successor: `${publicBase(config, request, app.prefix)}/pets` })
  const schema = {
    operationId: 'getPet',
    summary: 'Get an animal',
    description: 'Removed on 5 December 2030; use `GET /pets` with a `status` instead.',
    deprecated: true,
    'x-deprecated-sunset': '2030-12-05',
    params: PetPath,
    querystring: OnePetQuery,
    response: { 200: { ...Pet, headers: VALIDATOR_HEADERS }, 304: notModified(VALIDATOR_HEADERS) },
  }
  app.get('/pets/:petId', { config: { ...READ_CONFIG, deprecation }, schema }, async (request, reply) => {
    if (clock() >= REMOVED_AT) throw new ApiError('endpoint_removed')
    const read = async () => {
      const { view } = request.caller
      const show = { view, photosAt: photosAt(config, request) }
      const { fields } = request.query
      const picked = fields === undefined ? undefined : pickedOf(fields)
      const shown = await pets.findShown(db, idOf(request.params), show, picked)
      if (!shown) throw new ApiError('pet_not_found')
      const headers = { ...validatorHeaders(shown, view), ...deprecation(request) }
      return { body: shown.toJson(), headers, until: REMOVED_AT }
    }
    return sendPage(request, reply, { config, pages, clock }, read) as never
  })
}

function updatePet(app: App, context: Context): void {
  const { config: settings, db } = context
  const schema = {
    operationId: 'updatePet',
    summary: 'Change an animal',
    description: 'With If-Match only while nobody else has changed it.',
    ...BETA,
    consumes: ['application/merge-patch+json', 'application/json'],
    params: PetPath,
    body: PetPatch,
    response: { 200: { ...Pet, headers: VALIDATOR_HEADERS } },
  }
  const errors = {
    ...CHANGED_SINCE,
    409: 'An order is open, the externalId is taken, or this status cannot follow the present one.',
  }
  const config = { errors, headers: IF_MATCH }
  app.patch('/pets/:petId', { config, attachValidation: true, schema }, async (request, reply) => {
    const problems = request.validationError
    if (problems instanceof ApiError) throw await withOtherProblems(db, problems, request.body)
    const what = { id: idOf(request.params), conditions: conditionsOf(request) }
    const requester = { caller: request.caller, key: onceKey(request, reply) }
    const stored = await requested.change(context, requester, request.body, what)
    const { view } = request.caller
    const shown = pets.storedToShown(stored, { view, photosAt: photosAt(settings, request) })
    reply.headers(validatorHeaders(shown, view)).type(JSON_TYPE)
    return shown.toJson() as never
  })
}

function deletePet(app: App, { write, clock }: Context): void {
  const schema = {
    operationId: 'deletePet',
    summary: 'Remove an animal',
    description: 'For records made by mistake. Its id is not used again.',
    ...BETA,
    params: PetPath,
    response: { 204: { type: 'null', description: 'The animal is gone.' } },
  }
  const errors = { ...CHANGED_SINCE, 409: 'An order on this animal is open.' }
  const config = { errors, headers: IF_MATCH }
  app.delete('/pets/:petId', { config, schema }, async (request, reply) => {
    const { params, caller } = request
    const conditions = conditionsOf(request)
    await write(changes.deletePet, { id: idOf(params), by: actorOf(caller), now: clock(), conditions })
    return reply.code(204).send()
  })
}

function listPetChanges(app: App, { db }: Context): void {
  const schema = {
    operationId: 'listPetChanges',
    summary: 'List the changes of an animal',
    description: 'Who changed what and when, newest first.',
    ...BETA,
    params: PetPath,
    response: { 200: PetHistory },
  }
  app.get('/pets/:petId/history', { schema }, async (request) => {
    const changes = await history(db, idOf(request.params), request.caller.view)
    if (!changes) throw new ApiError('pet_not_found')
    return changes
  })
}

/** @throws {ApiError} pet_not_found for what can be the id of no animal */
export function idOf({ petId }: { petId: string }): number {
  const id = int64(petId)
  if (id === undefined) throw new ApiError('pet_not_found')
  return id
}
