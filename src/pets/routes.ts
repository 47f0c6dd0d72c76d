import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import { ApiError } from '../errors.ts'
import type { App } from '../http/app.ts'
import { actorOf } from '../http/caller.ts'
import { conditionsOf, IF_MATCH, VALIDATOR_HEADERS, validatorHeaders } from '../http/conditional.ts'
import { onceKey } from '../http/idempotency.ts'
import { publicBase } from '../http/link.ts'
import { JSON_TYPE } from '../http/send-error.ts'
import { photosAt } from '../photos/storage/kept.ts'
import { withOtherProblems } from './problems.ts'
import { CHANGED_SINCE, getPet, idOf, listPetChanges, listPetFacets, listPets } from './read-routes.ts'
import * as requested from './requested.ts'
import { NewPet, Pet, PetPatch, PetPath } from './schema.ts'
import { finderOf } from './search/finder.ts'
import * as pets from './store.ts'

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

const BETA = { 'x-stability': 'beta' } as const

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
