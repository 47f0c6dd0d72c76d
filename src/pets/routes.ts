import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { ApiError } from '../errors.ts'
import type { App } from '../http/app.ts'
import {
  ETAG_HEADER,
  etagOf,
  IF_MATCH,
  IF_NONE_MATCH,
  isKnown,
  setValidators,
  VALIDATOR_HEADERS,
} from '../http/conditional.ts'
import { makeCursor, readCursor } from '../http/cursor.ts'
import { announce } from '../http/deprecation.ts'
import { JSON_TYPE } from '../http/error-body.ts'
import { PAGE_HEADERS, pageLinks, publicBase } from '../http/link.ts'
import { type Page, pageCache } from '../http/page-cache.ts'
import { int64 } from '../http/validate.ts'
import * as petChange from './change.ts'
import { NewPet, Pet, PetHistory, PetPatch, PetPath, PetQuery, Pets } from './schema.ts'
import * as pets from './store.ts'

/** Release 1.0.0, and the end that the contract names (section 9). */
const DEPRECATED_SINCE = Date.UTC(2026, 10, 20)
const REMOVED_AT = Date.UTC(2030, 11, 5)

const NOT_MODIFIED = { type: 'null', description: 'It is as the ETag in If-None-Match has it.' }
const PAGE_CACHE_CHARACTERS = 16 * 1_048_576

export function petRoutes(app: App, context: Context): void {
  listPets(app, context)
  createPet(app, context)
  getPet(app, context)
  updatePet(app, context)
  deletePet(app, context)
  listPetChanges(app, context)
}

function listPets(app: App, { config, db, version, cursorSecret }: Context): void {
  const pages = pageCache(version, PAGE_CACHE_CHARACTERS)
  const schema = {
    operationId: 'listPets',
    summary: 'List all animals',
    description: 'A page of at most `limit` animals, newest first; the Link header leads to the next one.',
    querystring: PetQuery,
    response: { 200: { ...Pets, headers: { ...PAGE_HEADERS, ...ETAG_HEADER } }, 304: NOT_MODIFIED },
  }
  const answer = (request: FastifyRequest, reply: FastifyReply, { body, link, etag }: Page) => {
    if (isKnown(request, etag)) return reply.code(304).headers({ link, etag }).send()
    // The ready text goes out in the place of the value that the schema made it from.
    return reply.headers({ 'content-type': JSON_TYPE, link, etag }).send(body)
  }
  // An address that has a page was valid when the page was made: nothing in it has to be looked at again.
  const onRequest = (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const page = pages.get(publicBase(config, request) + request.url)
    if (page) answer(request, reply, page)
    else done()
  }
  app.get('/pets', { onRequest, config: { headers: IF_NONE_MATCH }, schema }, async (request, reply) => {
    const base = publicBase(config, request)
    const make = async () => {
      const { cursor, ...filters } = request.query
      const scope = scopeOf(filters)
      const after = cursor === undefined ? undefined : readCursor(cursorSecret, scope, cursor)
      const found = await pets.list(db, { ...filters, after })
      const page = found.slice(0, filters.limit)
      const last = page.at(-1)
      const next = found.length > page.length && last ? makeCursor(cursorSecret, scope, last.id) : undefined
      const { limit, status, categoryId, id, sort } = request.query
      const link = pageLinks(`${base}/pets`, { limit, status, categoryId, id, sort }, next)
      const body = reply.serialize(page) as string
      return { body, link, etag: etagOf(body, link) }
    }
    return answer(request, reply, await pages.make(base + request.url, make))
  })
}

/** What a cursor belongs to: everything that decides which animals follow which. */
function scopeOf({ status, categoryId, id, sort }: Omit<PetQuery, 'cursor'>): string {
  const ids = id?.map(String).sort()
  return JSON.stringify(['pets', sort, status, categoryId?.toString(), ids])
}

function createPet(app: App, { db, carryOut, clock }: Context): void {
  const schema = {
    operationId: 'createPet',
    summary: 'Add an animal',
    description: 'When the answer arrives the animal is on the disk. Without a status it is not listed yet.',
    body: NewPet,
    response: { 201: { ...Pet, headers: VALIDATOR_HEADERS } },
  }
  app.post('/pets', { attachValidation: true, schema }, async (request, reply) => {
    const problems = request.validationError
    if (problems instanceof ApiError) throw await pets.withUnknownCategory(db, problems, request.body)
    const stored = await carryOut(request, reply, pets.insertPet, request.body, request.keyId, clock())
    setValidators(reply, stored)
    return reply.code(201).send(stored.pet)
  })
}

function getPet(app: App, { config, db, clock }: Context): void {
  const successor = `${config.baseUrl}/pets`
  const onSend = announce({ since: DEPRECATED_SINCE, removedAt: REMOVED_AT, successor })
  const schema = {
    operationId: 'getPet',
    summary: 'Get an animal',
    description: 'Removed on 5 December 2030; use `GET /pets` with a `status` instead.',
    deprecated: true,
    'x-deprecated-sunset': '2030-12-05',
    params: PetPath,
    response: { 200: { ...Pet, headers: VALIDATOR_HEADERS }, 304: NOT_MODIFIED },
  }
  app.get('/pets/:petId', { onSend, config: { headers: IF_NONE_MATCH }, schema }, async (request, reply) => {
    if (clock() >= REMOVED_AT) throw new ApiError('endpoint_removed')
    const stored = await pets.find(db, idOf(request.params))
    if (!stored) throw new ApiError('pet_not_found')
    setValidators(reply, stored)
    if (isKnown(request, stored.etag)) return reply.code(304).send()
    return stored.pet
  })
}

/** @throws {ApiError} pet_not_found for what can be the id of no animal */
function idOf({ petId }: { petId: string }): bigint {
  const id = int64(petId)
  if (id === undefined) throw new ApiError('pet_not_found')
  return id
}

const BETA = { 'x-stability': 'beta' } as const
const CHANGED_SINCE = { 412: 'The animal was changed since it had the ETag in If-Match.' }

function updatePet(app: App, { db, carryOut, clock }: Context): void {
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
    409: 'An order is open, or an animal of this status cannot take that one.',
  }
  const config = { errors, headers: IF_MATCH }
  app.patch('/pets/:petId', { config, attachValidation: true, schema }, async (request, reply) => {
    const id = idOf(request.params)
    const problems = request.validationError
    if (problems instanceof ApiError) throw await pets.withUnknownCategory(db, problems, request.body)
    const intent = { id, keyId: request.keyId, now: clock(), ifMatch: request.headers['if-match'] }
    const stored = await carryOut(request, reply, petChange.updatePet, request.body, intent)
    setValidators(reply, stored)
    return stored.pet
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
    const ifMatch = request.headers['if-match']
    await write(petChange.deletePet, {
      id: idOf(request.params),
      keyId: request.keyId,
      now: clock(),
      ifMatch,
    })
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
    const changes = await petChange.history(db, idOf(request.params))
    if (!changes) throw new ApiError('pet_not_found')
    return changes
  })
}
