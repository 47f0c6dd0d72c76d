import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../context.ts'
import { changes } from '../../../db/change.ts'
import { ApiError } from '../../../errors.ts'
import type { App, Hook } from '../../../http/app.ts'
import { NO_STORE } from '../../../http/cache-headers.ts'
import { makeCursor, readCursor } from '../../../http/cursor.ts'
import { type FormBody, readForm } from '../../../http/form-body.ts'
import { LANGUAGE_VARY, languageOf } from '../../../http/language.ts'
import { hashToken, newToken } from '../../../http/token.ts'
import { counterOfAddress } from '../../../limits/address.ts'
import type { Question } from '../../../organizations/questions.ts'
import * as organizations from '../../../organizations/store.ts'
import type { Pet } from '../../../pets/schema.ts'
import * as pets from '../../../pets/store.ts'
import { photosBeside, toPhotos } from '../../../photos/storage/kept.ts'
import type { Problem } from '../forms.ts'
import { HTML_TYPE, pageHeaders } from '../page.ts'
import { textsOf } from '../texts/texts.ts'
import { idOfSlug } from './animals.ts'
import { applicantPages } from './applicant.ts'
import {
  applicationIn,
  applyPage,
  applyRefusal,
  HIDDEN_FIELD,
  NON_FIELD,
  refuseForeign,
  TOKEN_FIELD,
  type Typed,
  typedIn,
} from './apply-form.ts'

/** Fields of an animal's form hold less than this, and of the answers all that anybody types. */
const MAX_BYTES = 65_536

const MINUTE_MS = 60_000

/** Where somebody applies for an animal, and sees what becomes of it: no cache and no engine keeps it. */
export function applyRoutes(app: App, context: Context): void {
  app.register(async (scope: App) => {
    scope.addHook('onRequest', privateHook(context))
    const config = { readBody: readForm(MAX_BYTES) }
    scope.get<{ Params: { slug: string } }>('/animals/:slug/apply', async (request, reply) =>
      formPage(context, request, reply, await animalIn(context, request.params.slug)),
    )
    scope.post<{ Params: { slug: string } }>('/animals/:slug/apply', { config }, async (request, reply) => {
      const refused = refuseForeign(context, request, reply)
      return refused ?? receive(context, request, reply, await animalIn(context, request.params.slug))
    })
    applicantPages(scope, context, config)
  })
}

function privateHook({ config }: Context): Hook {
  const headers = {
    ...pageHeaders(config),
    ...NO_STORE,
    vary: LANGUAGE_VARY,
    'x-robots-tag': 'noindex, nofollow',
  }
  return (_request, reply, done) => {
    reply.headers(headers).type(HTML_TYPE)
    done()
  }
}

interface Animal {
  pet: Pet
  photo: string | undefined
  shelter: string | undefined
  questions: readonly Question[]
}

/** @throws {ApiError} pet_not_found, also for one that nobody may see */
async function animalIn({ db, config }: Context, slug: string): Promise<Animal> {
  const id = idOfSlug(slug)
  const stored = id === undefined ? undefined : await pets.find(db, id)
  if (stored?.pet.status === undefined) throw new ApiError('pet_not_found')
  const { pet, photos } = stored
  const { organizationId } = pet
  const shelter = organizationId === undefined ? undefined : await organizations.find(db, organizationId)
  const [first] = toPhotos(photos, photosBeside(config)) ?? []
  return {
    pet,
    photo: first?.sizes.small,
    shelter: shelter?.name,
    questions: shelter?.applicationQuestions ?? [],
  }
}

interface Filled {
  typed: Typed
  problems: readonly Problem[]
  /** The one that was sent, while it may be sent again. */
  token?: string
}

function formPage(
  context: Context,
  { headers }: FastifyRequest,
  reply: FastifyReply,
  animal: Animal,
  { typed, problems, token }: Filled = { typed: {}, problems: [] },
): string {
  const language = languageOf(headers)
  const { pet } = animal
  if (pet.status === 'sold') return notAvailable(reply, language, pet, 410)
  if (problems.length > 0) reply.code(400)
  return applyPage({
    ...animal,
    ...{ language, typed, problems, days: context.config.adopterDataDays },
    token: token ?? newFormToken(context, pet.id),
  })
}

function notAvailable(
  reply: FastifyReply,
  language: ReturnType<typeof languageOf>,
  { name }: Pet,
  status: number,
): string {
  const { apply } = textsOf(language)
  reply.code(status)
  return applyRefusal(language, { title: apply.notAvailable(name), advice: apply.notAvailableAdvice })
}

async function receive(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  animal: Animal,
): Promise<string | FastifyReply> {
  const language = languageOf(request.headers)
  const { apply } = textsOf(language)
  const { pet, questions } = animal
  const form = request.body as FormBody
  const token = form.get(TOKEN_FIELD) ?? ''
  const typed = typedIn(form, questions)
  const again = (problems: readonly Problem[], kept?: string): string =>
    formPage(context, request, reply, animal, { typed, problems, ...(kept && { token: kept }) })
  const verdict = validateToken(context, pet.id, token)
  if ('problem' in verdict) {
    const kept = verdict.problem === 'tooFast' ? token : undefined
    return again([{ field: NON_FIELD, message: apply[verdict.problem] }], kept)
  }
  if (form.get(HIDDEN_FIELD)) return again([{ field: NON_FIELD, message: apply.filledHidden }], token)
  const read = applicationIn(typed, { petId: pet.id, questions }, apply)
  if ('problems' in read) return again(read.problems, token)
  const waitMs = await countApplication(context, request)
  if (waitMs !== undefined) {
    reply.code(429).header('retry-after', String(Math.ceil(waitMs / 1_000)))
    const advice = apply.tooManyAdvice(Math.ceil(waitMs / MINUTE_MS))
    return applyRefusal(language, { title: apply.tooMany, advice })
  }
  const { link } = verdict
  try {
    const sending = { by: null, linkHash: link.hash, now: context.clock() }
    await context.write(changes.insertApplication, read.application, sending)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'pet_not_available') throw error
    return notAvailable(reply, language, pet, error.status)
  }
  return reply.redirect(`/applications/${link.token}?done=sent`, 303)
}

// What keeps programs from filling a shelter's desk, without a third party and without script.

/** Faster nobody fills in a form, and later it is another day. */
const MIN_MS = 3_000
const MAX_MS = 24 * 3_600_000

const HOUR_MS = 3_600_000
const MAX_AN_HOUR = 20

/** Of a form for an animal: when it was made, and the private link that its application will have. */
const scopeOf = (petId: number): string => JSON.stringify(['apply', petId])

/** What a form brings along, signed: sent twice it is one application, as both have one link. */
function newFormToken({ cursorSecret, clock }: Context, petId: number): string {
  return makeCursor(cursorSecret, scopeOf(petId), [clock(), newToken().token])
}

type FormVerdict = { link: { token: string; hash: string } } | { problem: 'tooFast' | 'tooOld' }

/** What can be said of a form that was sent by its token alone; a damaged one is too old. */
function validateToken({ cursorSecret, clock }: Context, petId: number, sent: string): FormVerdict {
  try {
    const [madeAt, token] = readCursor<[number, string]>(cursorSecret, scopeOf(petId), sent)
    const age = clock() - madeAt
    if (age < 0 || age > MAX_MS) return { problem: 'tooOld' }
    if (age < MIN_MS) return { problem: 'tooFast' }
    return { link: { token, hash: hashToken(token) as string } }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { problem: 'tooOld' }
  }
}

/**
 * Counts an application for the address of its sender, by the hours of the clock: the limiter, which all
 * processes share, knows minutes and days.
 *
 * @throws {ApiError} service_unavailable where nobody can count
 * @returns in how many milliseconds another one may come; undefined when this one may
 */
async function countApplication(
  { limiter, clock }: Context,
  { ip }: FastifyRequest,
): Promise<number | undefined> {
  const now = clock()
  const hour = Math.floor(now / HOUR_MS)
  const { outcome, lost } = await limiter.take({
    name: `${counterOfAddress(ip)}/applies/${hour}`,
    limits: { perMinute: MAX_AN_HOUR, perDay: MAX_AN_HOUR },
  })
  if (lost !== undefined) throw new ApiError('service_unavailable', { cause: lost })
  return outcome === 'allowed' ? undefined : (hour + 1) * HOUR_MS - now
}
