import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hasText } from '../../../applications/application-changes.ts'
import type { Context } from '../../../context.ts'
import { changes } from '../../../db/change.ts'
import { ApiError } from '../../../errors.ts'
import type { App, Hook } from '../../../http/app.ts'
import { NO_STORE } from '../../../http/cache-headers.ts'
import { publicOrigin } from '../../../http/face.ts'
import { type FormBody, readForm } from '../../../http/form-body.ts'
import { LANGUAGE_VARY, languageOf } from '../../../http/language.ts'
import { makeCursor, readCursor } from '../../../http/paging.ts'
import { hashToken, newToken } from '../../../http/token.ts'
import { counterOfAddress } from '../../../limits/accounts.ts'
import type { Question } from '../../../organizations/schema.ts'
import * as organizations from '../../../organizations/store.ts'
import type { Pet } from '../../../pets/schema.ts'
import * as pets from '../../../pets/store.ts'
import { photosBaseForPages, toPhotos } from '../../../photos/storage/stored-photo.ts'
import type { Problem } from '../forms.ts'
import { HTML_TYPE, pageHeaders } from '../page.ts'
import { textsOf } from '../texts/texts.ts'
import { idOfSlug } from './animals.ts'
import { applicantPages } from './applicant.ts'
import {
  applicationIn,
  applyPage,
  applyRefusal,
  type FieldValues,
  fieldValuesIn,
  HIDDEN_FIELD,
  NON_FIELD,
  refuseCrossSite,
  TOKEN_FIELD,
} from './apply-form.ts'
import { numberWords, unitWords } from './phrases.ts'

/** Maximum size of a form. Applications that people type are smaller. */
const MAX_BYTES = 65_536

const MINUTE_MS = 60_000

/** Adds the application form and the applicant's page. Neither page is cached or indexed. */
export function applyRoutes(app: App, context: Context): void {
  app.register(async (scope: App) => {
    scope.addHook('onRequest', privateHook(context))
    const config = { readBody: readForm(MAX_BYTES) }
    scope.get<{ Params: { slug: string } }>('/animals/:slug/apply', async (request, reply) =>
      formPage(context, request, reply, await animalIn(context, request.params.slug)),
    )
    scope.post<{ Params: { slug: string } }>('/animals/:slug/apply', { config }, async (request, reply) => {
      const refused = refuseCrossSite(context, request, reply)
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

interface FormAnimal {
  pet: Pet
  photo: string | undefined
  shelter: string | undefined
  questions: readonly Question[]
}

/** @throws {ApiError} pet_not_found, even if the animal exists but is not public */
async function animalIn({ db, config }: Context, slug: string): Promise<FormAnimal> {
  const id = idOfSlug(slug)
  const stored = id === undefined ? undefined : await pets.find(db, id)
  if (stored?.pet.status === undefined) throw new ApiError('pet_not_found')
  pets.requireNoCopy(stored.row)
  const { pet, photos } = stored
  const { organizationId } = pet
  const shelter = organizationId === undefined ? undefined : await organizations.find(db, organizationId)
  const [first] = toPhotos(photos, photosBaseForPages(config)) ?? []
  return {
    pet,
    photo: first?.sizes.small,
    shelter: shelter?.name,
    questions: shelter?.applicationQuestions ?? [],
  }
}

interface SubmittedForm {
  typed: FieldValues
  problems: readonly Problem[]
  /** The token from the request, if the form may be sent again with it. */
  token?: string
}

function formPage(
  context: Context,
  { headers }: FastifyRequest,
  reply: FastifyReply,
  animal: FormAnimal,
  { typed, problems, token }: SubmittedForm = { typed: {}, problems: [] },
): string {
  const language = languageOf(headers)
  const { pet } = animal
  if (pet.status === 'sold') return adopted(reply, language)
  if (problems.length > 0) reply.code(400)
  return applyPage({
    ...animal,
    ...{ language, typed, problems, days: context.config.adopterDataDays },
    sendsEmail: context.mail !== undefined,
    token: token ?? newFormToken(context, pet.id),
  })
}

/** The page for an animal that was adopted in the meantime. The page does not contain the animal's name. */
function adopted(reply: FastifyReply, language: ReturnType<typeof languageOf>): string {
  const { apply, gallery } = textsOf(language)
  reply.code(410)
  return applyRefusal(language, { title: gallery.longAdopted, advice: apply.notAvailableAdvice })
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
  animal: FormAnimal,
): Promise<string | FastifyReply> {
  const language = languageOf(request.headers)
  const { apply } = textsOf(language)
  const { pet, questions } = animal
  const form = request.body as FormBody
  const token = form.get(TOKEN_FIELD) ?? ''
  const typed = fieldValuesIn(form, questions)
  const showAgain = (problems: readonly Problem[], reusableToken?: string): string =>
    formPage(context, request, reply, animal, {
      typed,
      problems,
      ...(reusableToken && { token: reusableToken }),
    })
  const verdict = validateToken(context, pet.id, token)
  if ('problem' in verdict) {
    const reusableToken = verdict.problem === 'tooFast' ? token : undefined
    return showAgain([{ field: NON_FIELD, message: apply[verdict.problem] }], reusableToken)
  }
  const read = applicationIn(typed, { petId: pet.id, questions }, language)
  if ('problems' in read) return showAgain(read.problems, token)
  const waitMs = await countApplication(context, request)
  if (waitMs !== undefined) {
    reply.code(429).header('retry-after', String(Math.ceil(waitMs / 1_000)))
    const wait = unitWords(language, 'minute', Math.ceil(waitMs / MINUTE_MS))
    const advice = apply.tooManyAdvice(numberWords(language, MAX_PER_HOUR), wait)
    return applyRefusal(language, { title: apply.tooMany, advice })
  }
  const { link } = verdict
  try {
    // Browsers and password managers fill in the hidden field too, so staff decide about the application.
    const notes = { form: form.get(HIDDEN_FIELD) ? apply.filledHidden : undefined, repeated: apply.repeated }
    const privateLink = `${publicOrigin(context.config, request)}/applications/${link.token}`
    const mayEmail = await countEmails(context, read.application.applicant.email)
    const contact = mayEmail ? { language, link: privateLink } : undefined
    const sending = { by: null, linkHash: link.hash, contact, notes, now: context.clock() }
    const stored = await context.write(changes.insertApplication, read.application, sending)
    // The form was sent before, and can no longer correct its application.
    if (stored.closedAt !== null || !hasText(stored, read.application))
      return showAgain([{ field: NON_FIELD, message: apply.sentBefore }])
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'pet_not_available') throw error
    return notAvailable(reply, language, pet, error.status)
  }
  return reply.redirect(`/applications/${link.token}?done=sent`, 303)
}

// These functions protect shelters from spam, without a third party and without a script.

/** A person needs at least this time to fill in the form. A faster sender is a program. */
const MIN_MS = 3_000
const MAX_MS = 24 * 3_600_000

const HOUR_MS = 3_600_000
const MAX_PER_HOUR = 20

const scopeOf = (petId: number): string => JSON.stringify(['apply', petId])

/**
 * Signs the time and the private link of the future application. If a form is sent twice, both requests have
 * the same link, so they create one application, with the text of the second request.
 */
function newFormToken({ cursorSecret, clock }: Context, petId: number): string {
  return makeCursor(cursorSecret, scopeOf(petId), [clock(), newToken().token])
}

type TokenCheck = { link: { token: string; hash: string } } | { problem: 'tooFast' | 'tooOld' }

/** Checks the age of a form by its token. A form with a damaged token counts as too old. */
function validateToken({ cursorSecret, clock }: Context, petId: number, sent: string): TokenCheck {
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
 * Counts an application against the sender's IP address. A window is an hour of the clock, because the
 * limiter only has windows of minutes and days.
 * @returns milliseconds until another application is allowed; undefined if this application is allowed
 * @throws {ApiError} service_unavailable if the limiter fails
 */
async function countApplication(
  { limiter, clock }: Context,
  { ip }: FastifyRequest,
): Promise<number | undefined> {
  const now = clock()
  const hour = Math.floor(now / HOUR_MS)
  const { outcome, storeError } = await limiter.take({
    name: `${counterOfAddress(ip)}/applies/${hour}`,
    limits: { perMinute: MAX_PER_HOUR, perDay: MAX_PER_HOUR },
  })
  if (storeError !== undefined) throw new ApiError('service_unavailable', { cause: storeError })
  return outcome === 'allowed' ? undefined : (hour + 1) * HOUR_MS - now
}

/** The maximum number of applications a day about which one address gets e-mails. */
const MAX_EMAILED_PER_DAY = 10
/** Counters use a hash modulo a small number, so a counter does not reveal an e-mail address. */
const EMAIL_SLOTS = 4_096

/**
 * Counts the applications with an e-mail address, so the form cannot flood a stranger with e-mails.
 * @returns whether the address may get e-mails about this application
 * @throws {ApiError} service_unavailable if the limiter fails
 */
async function countEmails({ limiter, mail }: Context, email: string): Promise<boolean> {
  if (!mail) return false
  const slot = Number.parseInt(hash('sha256', email.toLowerCase()).slice(0, 8), 16) % EMAIL_SLOTS
  const limits = { perMinute: MAX_EMAILED_PER_DAY, perDay: MAX_EMAILED_PER_DAY }
  const { outcome, storeError } = await limiter.take({ name: `e-mails/${slot}`, limits })
  if (storeError !== undefined) throw new ApiError('service_unavailable', { cause: storeError })
  return outcome === 'allowed'
}
