import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import type { App } from '../http/app.ts'
import { forbidStoring } from '../http/cache-headers.ts'
import { requireOwnOrganization } from '../http/caller.ts'
import { publicBaseUrl } from '../http/face.ts'
import { readIdempotencyKey } from '../http/idempotency.ts'
import { parsePathId } from '../http/type.ts'
import { listDeliveries } from './deliveries.ts'
import { requireOpenAddress, scopeOf } from './rules.ts'
import {
  Deliveries,
  Delivery,
  DeliveryPath,
  DeliveryQuery,
  NewWebhook,
  RecoverQuery,
  Recovery,
  Webhook,
  WebhookPatch,
  WebhookPath,
  Webhooks,
  WebhookWithSecret,
} from './schema.ts'
import * as webhooks from './store.ts'

const BETA = { 'x-stability': 'beta' } as const

export function webhookRoutes(app: App, context: Context): void {
  app.register(async (routes: App) => {
    routes.addHook('onRequest', forbidStoring)
    addWebhooks(routes, context)
    changeWebhooks(routes, context)
    manageDeliveries(routes, context)
  })
}

const idOf = ({ webhookId }: { webhookId: string }): number => parsePathId(webhookId, 'webhook_not_found')

const withoutSecret = ({ secret: _, failingSince: __, ...webhook }: webhooks.StoredWebhook): Webhook =>
  webhook

function addWebhooks(app: App, context: Context): void {
  const { config, db, writeOnce, clock } = context

  const listWebhooks = {
    operationId: 'listWebhooks',
    summary: 'List webhooks',
    ...BETA,
    response: { 200: Webhooks },
  }
  app.get('/webhooks', { schema: listWebhooks }, async ({ caller }) =>
    (await webhooks.list(db, scopeOf(caller))).map(withoutSecret),
  )

  const createWebhook = {
    operationId: 'createWebhook',
    summary: 'Add a webhook',
    description:
      'The service sends each event to the address, as a signed POST request (Standard Webhooks 1.0). Any 2xx ' +
      'response counts as received. Otherwise, the event is sent again, up to ten times in three days.',
    ...BETA,
    body: NewWebhook,
    response: { 201: WebhookWithSecret },
  }
  const full = { errors: { 409: 'The organization has too many webhooks.' } }
  app.post('/webhooks', { config: full, schema: createWebhook }, async (request, reply) => {
    const scope = scopeOf(request.caller)
    const { organizationId = request.caller.organizationId, ...sent } = request.body
    requireOwnOrganization(scope, organizationId)
    requireOpenAddress(context, sent.url)
    const key = readIdempotencyKey(request, reply)
    const owned = organizationId === undefined ? sent : { ...sent, organizationId }
    const webhook = await writeOnce(key, changes.insertWebhook, owned, clock())
    reply.code(201).header('location', `${publicBaseUrl(config, request)}/webhooks/${webhook.id}`)
    return webhook
  })
}

function changeWebhooks(app: App, context: Context): void {
  const { db, write, writeOnce, clock } = context

  const getWebhook = {
    operationId: 'getWebhook',
    summary: 'Get a webhook',
    ...BETA,
    params: WebhookPath,
    response: { 200: Webhook },
  }
  app.get('/webhooks/:webhookId', { schema: getWebhook }, async ({ params, caller }) =>
    withoutSecret(await webhooks.get(db, idOf(params), scopeOf(caller))),
  )

  const updateWebhook = {
    operationId: 'updateWebhook',
    summary: 'Change a webhook',
    description: 'Set `enabled` to true to enable a webhook that the service has disabled.',
    ...BETA,
    consumes: ['application/merge-patch+json', 'application/json'],
    params: WebhookPath,
    body: WebhookPatch,
    response: { 200: Webhook },
  }
  app.patch('/webhooks/:webhookId', { schema: updateWebhook }, async (request, reply) => {
    const { body, params, caller } = request
    if (body.url !== undefined) requireOpenAddress(context, body.url)
    const key = readIdempotencyKey(request, reply)
    return withoutSecret(await writeOnce(key, changes.updateWebhook, idOf(params), body, scopeOf(caller)))
  })

  const deleteWebhook = {
    operationId: 'deleteWebhook',
    summary: 'Remove a webhook',
    ...BETA,
    params: WebhookPath,
    response: { 204: { type: 'null', description: 'The webhook and its deliveries were removed.' } },
  }
  app.delete('/webhooks/:webhookId', { schema: deleteWebhook }, async ({ params, caller }, reply) => {
    await write(changes.deleteWebhook, idOf(params), scopeOf(caller))
    return reply.code(204).send()
  })

  const rotateWebhookSecret = {
    operationId: 'rotateWebhookSecret',
    summary: 'Make a new secret',
    description: 'For 24 hours, deliveries are also signed with the old secret.',
    ...BETA,
    params: WebhookPath,
    response: { 200: WebhookWithSecret },
  }
  app.post('/webhooks/:webhookId/rotate', { schema: rotateWebhookSecret }, (request, reply) => {
    const scope = scopeOf(request.caller)
    const key = readIdempotencyKey(request, reply)
    return writeOnce(key, changes.rotateWebhookSecret, idOf(request.params), scope, clock())
  })
}

function manageDeliveries(app: App, { db, writeOnce, clock }: Context): void {
  const testWebhook = {
    operationId: 'testWebhook',
    summary: 'Send a test',
    description: 'Sends an event of the type `webhook.test`.',
    ...BETA,
    params: WebhookPath,
    response: { 202: Delivery },
  }
  app.post('/webhooks/:webhookId/test', { schema: testWebhook }, async (request, reply) => {
    const { id } = await webhooks.get(db, idOf(request.params), scopeOf(request.caller))
    const delivery = await writeOnce(readIdempotencyKey(request, reply), changes.insertTest, id, clock())
    reply.code(202)
    return delivery
  })

  const listed = {
    operationId: 'listDeliveries',
    summary: 'List deliveries of a webhook',
    description: 'Newest first. For the next page, send the lowest id as `before`.',
    ...BETA,
    params: WebhookPath,
    querystring: DeliveryQuery,
    response: { 200: Deliveries },
  }
  app.get('/webhooks/:webhookId/deliveries', { schema: listed }, async ({ params, query, caller }) => {
    const { id } = await webhooks.get(db, idOf(params), scopeOf(caller))
    return listDeliveries(db, id, query)
  })

  const retryDelivery = {
    operationId: 'retryDelivery',
    summary: 'Send a delivery again',
    ...BETA,
    params: DeliveryPath,
    response: { 202: Delivery },
  }
  app.post(
    '/webhooks/:webhookId/deliveries/:deliveryId/retry',
    { schema: retryDelivery },
    async (request, reply) => {
      const { id } = await webhooks.get(db, idOf(request.params), scopeOf(request.caller))
      const deliveryId = parsePathId(request.params.deliveryId, 'delivery_not_found')
      const key = readIdempotencyKey(request, reply)
      const delivery = await writeOnce(key, changes.retryDelivery, id, deliveryId, clock())
      reply.code(202)
      return delivery
    },
  )

  const recoverDeliveries = {
    operationId: 'recoverDeliveries',
    summary: 'Send missed events again',
    description:
      'Sends the events that were not delivered since a time, including events that were never tried. One request ' +
      'looks at 2,000 events; `continueAfter` says where to continue.',
    ...BETA,
    params: WebhookPath,
    querystring: RecoverQuery,
    response: { 202: Recovery },
  }
  app.post('/webhooks/:webhookId/recover', { schema: recoverDeliveries }, async (request, reply) => {
    const { id } = await webhooks.get(db, idOf(request.params), scopeOf(request.caller))
    const key = readIdempotencyKey(request, reply)
    // JavaScript has no leap seconds.
    const since = Date.parse(request.query.since.replace(/:60(?=[.zZ+-])/, ':59'))
    const { after } = request.query
    const range = { since, ...(after !== undefined && { after: Number(after) }) }
    const recovery = await writeOnce(key, changes.recoverDeliveries, id, range, clock())
    reply.code(202)
    return recovery
  })
}
