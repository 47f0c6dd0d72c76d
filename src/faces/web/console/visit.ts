import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../context.ts'
import type { App } from '../../../http/app.ts'
import type { Caller } from '../../../http/caller.ts'
import type { FormBody } from '../../../http/form-body.ts'
import { languageOf } from '../../../http/language.ts'
import type { Right } from '../../../staff/roles.ts'
import { textsOf } from '../texts/texts.ts'
import { callerMay } from './pages.ts'

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
