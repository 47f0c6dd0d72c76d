import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { ApiError } from '../errors.ts'
import { actorOf } from '../http/caller.ts'
import type { Conditions } from '../http/conditional.ts'
import { validatorCompiler } from '../http/validate.ts'
import { located, relocated } from './locate.ts'
import { withOtherProblems } from './problems.ts'
import { NewPet, PetPatch } from './schema.ts'
import type { StoredRow } from './store.ts'

// The changes of animals that requests ask for, by the contract and by the forms of people alike.

type Needed = Pick<Context, 'db' | 'writeOnce' | 'clock'>

/** @throws {ApiError} as `insertPet` and `insertBondedPet` */
export async function add(
  { writeOnce, clock }: Needed,
  request: FastifyRequest,
  reply: FastifyReply,
  sent: NewPet,
): Promise<StoredRow> {
  const pet = await located(sent)
  const change = pet.bondedWith ? 'insertBondedPet' : 'insertPet'
  return writeOnce(request, reply, change, pet, actorOf(request.caller), clock())
}

/** @throws {ApiError} as `updatePet` */
export async function change(
  { db, writeOnce, clock }: Needed,
  request: FastifyRequest,
  reply: FastifyReply,
  sent: PetPatch,
  { id, conditions }: { id: bigint; conditions: Conditions },
): Promise<StoredRow> {
  const patch = await relocated(db, id, sent)
  const intent = { id, by: actorOf(request.caller), now: clock(), conditions }
  return writeOnce(request, reply, 'updatePet', patch, intent)
}

const compiled = (schema: typeof NewPet | typeof PetPatch) =>
  validatorCompiler({ schema, httpPart: 'body', method: 'POST', url: '/pets' }) as (body: unknown) => {
    value?: unknown
    error?: ApiError
  }
const asNew = compiled(NewPet)
const asPatch = compiled(PetPatch)

/** What the body of a new animal says, judged as a route judges it. @throws {ApiError} validation_failed */
export async function readNew({ db, clock }: Needed, body: unknown): Promise<NewPet> {
  const { value, error } = asNew(body)
  if (error instanceof ApiError) throw await withOtherProblems(db, error, body, clock())
  return value as NewPet
}

/** The same of a change. @throws {ApiError} validation_failed */
export async function readPatch({ db }: Needed, body: unknown): Promise<PetPatch> {
  const { value, error } = asPatch(body)
  if (error instanceof ApiError) throw await withOtherProblems(db, error, body)
  return value as PetPatch
}
