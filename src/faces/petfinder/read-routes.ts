import type { FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import type { App } from '../../http/app.ts'
import { etagOf } from '../../http/conditional.ts'
import type { NewPage } from '../../http/page-cache.ts'
import { sendPage } from '../../http/send-page.ts'

/** What a route answers, and for how long that may be cached. */
export interface Answer extends Pick<NewPage, 'passing' | 'until'> {
  json: object
}

/** @param params those of its path */
type Read<Params> = (request: FastifyRequest, params: Params) => Promise<Answer>

/**
 * @returns what adds a route that reads, for whoever has a valid token: it answers from the cache while
 * nothing has changed
 */
export function readRoutes(app: App, context: Context) {
  return <Params>(path: string, read: Read<Params>): void => {
    app.get(path, { config: { access: 'read' } }, async (request, reply) => {
      const readPage = async () => {
        const { json, ...validity } = await read(request, request.params as Params)
        const body = JSON.stringify(json)
        return { body, headers: { etag: etagOf(body) }, ...validity }
      }
      return sendPage(request, reply, context, readPage) as never
    })
  }
}
