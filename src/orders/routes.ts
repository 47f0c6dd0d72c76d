import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import type { App } from '../http/app.ts'
import { forbidStoring } from '../http/cache-headers.ts'
import { actorOf } from '../http/caller.ts'
import { publicBaseUrl } from '../http/face.ts'
import { readIdempotencyKey } from '../http/idempotency.ts'
import { PAGE_HEADERS, pageOf, readCursor } from '../http/paging.ts'
import { parsePathId } from '../http/type.ts'
import { NewOrder, Order, OrderPatch, OrderPath, OrderQuery, Orders } from './schema.ts'
import * as orders from './store.ts'

const EXPERIMENTAL = { 'x-stability': 'experimental' } as const

export function orderRoutes(app: App, context: Context): void {
  app.register(async (orders: App) => {
    // The responses contain personal data of adopters.
    orders.addHook('onRequest', forbidStoring)
    listOrders(orders, context)
    createOrder(orders, context)
    getOrder(orders, context)
    updateOrder(orders, context)
    deleteOrder(orders, context)
  })
}

function listOrders(app: App, { config, db, cursorSecret }: Context): void {
  const schema = {
    operationId: 'listOrders',
    summary: 'List orders',
    description:
      'The orders that this key placed; for a key of an organization, the orders for its animals; for an admin key, ' +
      'all orders. Newest first, in pages like the list of animals.',
    ...EXPERIMENTAL,
    querystring: OrderQuery,
    response: { 200: { ...Orders, headers: PAGE_HEADERS } },
  }
  app.get('/store/orders', { schema }, async (request, reply) => {
    const { cursor, ...filters } = request.query
    const { limit, status, petId } = filters
    const scope = JSON.stringify(['orders', request.caller.view, status, petId?.toString()])
    const after = cursor === undefined ? undefined : readCursor<[number]>(cursorSecret, scope, cursor)
    const found = await orders.list(db, { ...filters, after: after?.[0] }, orders.viewerOf(request.caller))
    const address = `${publicBaseUrl(config, request)}/store/orders`
    const query = { limit, status, petId }
    const { page, link } = pageOf(found, {
      ...{ limit, secret: cursorSecret, scope, address, query },
      positionOf: ({ id }) => [id],
    })
    reply.header('link', link)
    return page
  })
}

function createOrder(app: App, { config, writeOnce, clock, db }: Context): void {
  const schema = {
    operationId: 'createOrder',
    summary: 'Place an order',
    description:
      'The animal must be available, and becomes pending. If several orders for one animal arrive at ' +
      'the same time, exactly one gets a 201.',
    ...EXPERIMENTAL,
    body: NewOrder,
    response: { 201: Order },
  }
  const errors = {
    404: 'No animal has this id.',
    409: 'The animal is not available, or the order does not name all animals bonded with it.',
  }
  app.post('/store/orders', { config: { errors }, schema }, async (request, reply) => {
    const key = readIdempotencyKey(request, reply)
    const order = await writeOnce(key, changes.placeOrder, request.body, actorOf(request.caller), clock())
    reply.code(201).header('location', `${publicBaseUrl(config, request)}/store/orders/${order.id}`)
    return orders.withAdopter(db, order)
  })
}

function getOrder(app: App, { db }: Context): void {
  const schema = {
    operationId: 'getOrder',
    summary: 'Get an order',
    ...EXPERIMENTAL,
    params: OrderPath,
    response: { 200: Order },
  }
  app.get('/store/orders/:orderId', { schema }, (request) =>
    orders.get(db, parsePathId(request.params.orderId, 'order_not_found'), orders.viewerOf(request.caller)),
  )
}

function updateOrder(app: App, { writeOnce, clock, db }: Context): void {
  const schema = {
    operationId: 'updateOrder',
    summary: 'Approve, complete or cancel an order',
    description: 'Completing an order makes its animal sold; cancelling makes the animal available again.',
    ...EXPERIMENTAL,
    consumes: ['application/merge-patch+json', 'application/json'],
    params: OrderPath,
    body: OrderPatch,
    response: { 200: Order },
  }
  const errors = { 409: 'The order is closed, or this status cannot follow its current one.' }
  app.patch('/store/orders/:orderId', { config: { errors }, schema }, async (request, reply) => {
    const decision = decisionOf(request, clock)
    const key = readIdempotencyKey(request, reply)
    const order = await writeOnce(key, changes.decideOrder, request.body.status, decision)
    return orders.withAdopter(db, order)
  })
}

function deleteOrder(app: App, { write, clock }: Context): void {
  const schema = {
    operationId: 'cancelOrder',
    summary: 'Cancel an order',
    description: 'The animal becomes available again. The order is kept with the status cancelled.',
    ...EXPERIMENTAL,
    params: OrderPath,
    response: { 204: { type: 'null', description: 'The order was cancelled.' } },
  }
  const errors = { 409: 'The order is closed.' }
  app.delete('/store/orders/:orderId', { config: { errors }, schema }, async (request, reply) => {
    await write(changes.cancelOrder, decisionOf(request, clock))
    return reply.code(204).send()
  })
}

function decisionOf(request: FastifyRequest<{ Params: OrderPath }>, clock: () => number): orders.Decision {
  return {
    ...orders.viewerOf(request.caller),
    id: parsePathId(request.params.orderId, 'order_not_found'),
    now: clock(),
  }
}
