import type { Context } from '../context.ts'
import type { App } from '../http/app.ts'
import { forbidStoring } from '../http/cache-headers.ts'
import { type Gate, publicBaseUrl } from '../http/face.ts'
import { PAGE_HEADERS } from '../http/paging.ts'
import { JSON_TYPE } from '../http/send-error.ts'
import { findStart, formatId, listEvents, readerOf } from './log.ts'
import { EventQuery, Events } from './schema.ts'
import { streamEventsRoute } from './stream.ts'

/** @param identify identifies the caller of an open stream again, because keys may have changed */
export function eventRoutes(app: App, context: Context, identify: Gate['identify']): void {
  app.register(async (events: App) => {
    events.addHook('onRequest', forbidStoring)
    listEventsRoute(events, context)
    streamEventsRoute(events, context, identify)
  })
}

function listEventsRoute(app: App, { config, db }: Context): void {
  const schema = {
    operationId: 'listEvents',
    summary: 'List events',
    description:
      'Lists changes, oldest first. The Link header always has a next page, even after the newest event: request ' +
      'that page later to get new events. A page may be shorter than `limit`, or empty. Events are kept for 30 ' +
      'days, unless the operator has set another time; an older `after` gets a 410.',
    'x-stability': 'beta',
    querystring: EventQuery,
    response: { 200: { ...Events, headers: PAGE_HEADERS } },
  }
  const errors = { 410: 'The events after this id were removed.' }
  app.get('/events', { config: { errors }, schema }, async (request, reply) => {
    const { after, type: types, limit } = request.query
    const range = { after: await findStart(db, after), types, limit }
    const { json, next } = await listEvents(db, readerOf(request.caller), range)
    reply.header('link', nextLink(`${publicBaseUrl(config, request)}/events`, { ...range, after: next }))
    return reply.type(JSON_TYPE).send(json as never)
  })
}

interface Range {
  after: number
  types?: readonly string[] | undefined
  limit: number
}

function nextLink(address: string, { after, types = [], limit }: Range): string {
  const parameters = [['limit', limit], ...types.map((type) => ['type', type]), ['after', formatId(after)]]
  return `<${address}?${parameters.map(([name, value]) => `${name}=${value}`).join('&')}>; rel="next"`
}
