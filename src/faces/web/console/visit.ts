import { hash, randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../context.ts'
import { ApiError } from '../../../errors.ts'
import type { App } from '../../../http/app.ts'
import type { Caller } from '../../../http/caller.ts'
import type { FormBody } from '../../../http/form-body.ts'
import { type IdempotencyKey, idempotencyScope } from '../../../http/idempotency.ts'
import { wholeNumberOf } from '../../../http/int64.ts'
import { languageOf } from '../../../http/language.ts'
import { may, type Right } from '../../../staff/roles.ts'
import { textsOf } from '../texts/texts.ts'

export const PREFIX = '/console'

/**
 * Maximum size of a form. It fits the longest texts of an animal, because a form can encode one character as
 * nine bytes.
 */
export const MAX_FORM_BYTES = 262_144

/** The texts in the language of a page. `words` are the texts of the console. */
export function wordsFor({ headers }: Pick<FastifyRequest, 'headers'>) {
  const language = languageOf(headers)
  const texts = textsOf(language)
  return { language, texts, common: texts.common, words: texts.console }
}

/** A request to a page of the console, with what the page needs to answer it. */
export interface Visit extends ReturnType<typeof wordsFor> {
  context: Context
  db: Context['db']
  write: Context['write']
  clock: Context['clock']
  request: FastifyRequest
  reply: FastifyReply
  caller: Caller
  /** The variable parts of the path. Each route has only its own. */
  params: Record<'id' | 'name' | 'token' | 'orderId' | 'photoId' | 'deliveryId', string>
  query: Record<string, unknown>
  /** The fields of a sent form without photos. */
  form: FormBody
  /** Whether the caller has a right. Pages use it to hide controls that the caller cannot use. */
  may(right: Right): boolean
}

/** Finds the animal or organization of a page, if the caller may see it. */
export type Lookup = Pick<Visit, 'db' | 'caller'> & { params: { id: string } }

type Answer = (visit: Visit) => unknown
type RouteConfig = FastifyRequest['routeOptions']['config']

/** Adds pages and changes of the console. */
export interface Routes {
  app: App
  context: Context
  get(path: string, answer: Answer): void
  post(path: string, answer: Answer, config?: Partial<RouteConfig>): void
}

export function callerMay({ staff }: Caller, right: Right): boolean {
  return staff !== undefined && may(staff.role, right)
}

export function routesOf(app: App, context: Context): Routes {
  const visitOf = (request: FastifyRequest, reply: FastifyReply): Visit => {
    const { db, write, clock } = context
    const { caller, params, query, body } = request
    return {
      ...{ context, db, write, clock, request, reply, caller },
      ...{ params: params as Visit['params'], query: query as Visit['query'], form: body as FormBody },
      may: (right) => callerMay(caller, right),
      ...wordsFor(request),
    }
  }
  return {
    ...{ app, context },
    get: (path, answer) => void app.get(path, (request, reply) => answer(visitOf(request, reply))),
    post(path, answer, config = {}) {
      app.post(path, { config }, (request, reply) => answer(visitOf(request, reply)))
    },
  }
}

/** The answer to a request for a file that opens in spreadsheet programs. */
export const csvReply = ({ reply }: Visit, name: string): FastifyReply =>
  reply.type('text/csv; charset=utf-8').header('content-disposition', `attachment; filename="${name}"`)

// Reads ids and paths from addresses and forms.

/** The ids of a query or a form, where a name may be repeated. Other values are skipped. */
export function idsIn(values: unknown): number[] {
  const ids = [values ?? []].flat().map(wholeNumberOf)
  return [...new Set(ids)].filter((id) => id !== undefined)
}

/** The id in an address. @throws {ApiError} route_not_found if it is not a whole number */
export function pathId({ params }: Visit): number {
  const id = wholeNumberOf(params.id)
  if (id === undefined) throw new ApiError('route_not_found')
  return id
}

const MAX_PATH_LENGTH = 2_000

/**
 * The page to return to, for example after a sign-in.
 * @param address from a form or a query, so it can be hostile
 * @returns always a page of the console, never another site
 */
export function returnPath(address: unknown, otherwise = `${PREFIX}/`): string {
  if (typeof address !== 'string' || address.length > MAX_PATH_LENGTH) return otherwise
  // Browsers read a backslash as a slash and ignore tabs and line ends.
  if (!address.startsWith(`${PREFIX}/`) || /[\\\p{Cc}]/u.test(address)) return otherwise
  const { pathname, search } = new URL(address, 'http://console.invalid')
  return pathname.startsWith(`${PREFIX}/`) ? pathname + search : otherwise
}

/** The hidden form field that has the same effect as an Idempotency-Key. */
export const ONCE = 'once'

export const newOnce = (): string => randomUUID()

/** The running change for each idempotency key. */
const running = new Map<string, Promise<unknown>>()

/**
 * Runs the change of a form once, even if the form is sent twice. The second request waits for the first
 * request and gets the same result.
 */
export async function submitOnce<Result>(
  { request }: Visit,
  form: FormBody,
  run: (key: IdempotencyKey | undefined) => Promise<Result>,
): Promise<Result> {
  const sent = form.get(ONCE)
  if (sent === null) return run(undefined)
  const scope = idempotencyScope(request, sent)
  for (let earlier = running.get(scope); earlier; earlier = running.get(scope))
    await earlier.catch(() => undefined)
  const result = run({ scope, fingerprint: hash('sha256', form.toString()) })
  running.set(scope, result)
  try {
    return await result
  } finally {
    running.delete(scope)
  }
}
