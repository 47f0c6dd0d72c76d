import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import { ApiError } from '../errors.ts'
import type { App } from '../http/app.ts'
import { keepNothing } from '../http/cache-headers.ts'
import { actorOf } from '../http/caller.ts'
import { readCursor } from '../http/cursor.ts'
import { onceKey } from '../http/idempotency.ts'
import { int64 } from '../http/int64.ts'
import { PAGE_HEADERS, pageOf, publicBase } from '../http/link.ts'
import { NewOrder, Order, OrderPatch, OrderPath, OrderQuery, Orders } from './schema.ts'
import * as orders from './store.ts'

const EXPERIMENTAL = { 'x-stability': 'experimental' } as const

export function orderRoutes(app: App, context: Context): void {
  app.register(async (orders: App) => {
    // Adopters are in these answers.
    orders.addHook('onRequest', keepNothing)
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
      'Those that this key placed; for a key of an organization those of its animals, for an admin key all. ' +
      'Newest first, in pages as of animals. With petId those that take the animal, also beside another.',
    ...EXPERIMENTAL,
    querystring: OrderQuery,
    response: { 200: { ...Orders, headers: PAGE_HEADERS } },
  }
  app.get('/store/orders', { schema }, async (request, reply) => {
    const { cursor, ...filters } = request.query
    const { limit, status, petId } = filters
    const scope = JSON.stringify(['orders', request.caller.view, status, petId?.toString()])
    const after = cursor === undefined ? undefined : readCursor<[number]>(cursorSecret, scope, cursor)
    const found = await orders.list(db, { ...filters, after: after?.[0] }, viewerOf(request))
    const address = `${publicBase(config, request)}/store/orders`
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
      'The animal must be available, and becomes pending. Of all who want it at once exactly one gets a 201.',
    ...EXPERIMENTAL,
    body: NewOrder,
    response: { 201: Order },
  }
  const errors = {
    404: 'There is no such animal.',
    409: 'The animal is not available, or bonded with others that the order does not name.',
  }
  app.post('/store/orders', { config: { errors }, schema }, async (request, reply) => {
    const order = await writeOnce(
      onceKey(request, reply),
      changes.placeOrder,
      request.body,
      actorOf(request.caller),
      clock(),
    )
    reply.code(201).header('location', `${publicBase(config, request)}/store/orders/${order.id}`)
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
    orders.get(db, idOf(request.params), viewerOf(request)),
  )
}

function updateOrder(app: App, { writeOnce, clock, db }: Context): void {
  const schema = {
    operationId: 'updateOrder',
    summary: 'Decide about an order',
    description: 'Approves, completes or cancels it. Completing makes the animal sold, cancelling available.',
    ...EXPERIMENTAL,
    consumes: ['application/merge-patch+json', 'application/json'],
    params: OrderPath,
    body: OrderPatch,
    response: { 200: Order },
  }
  const errors = { 409: 'The order is closed, or cannot take this status.' }
  app.patch('/store/orders/:orderId', { config: { errors }, schema }, async (request, reply) => {
    const decision = decisionOf(request, clock)
    return orders.withAdopter(
      db,
      await writeOnce(onceKey(request, reply), changes.decideOrder, request.body.status, decision),
    )
  })
}

function deleteOrder(app: App, { write, clock }: Context): void {
  const schema = {
    operationId: 'cancelOrder',
    summary: 'Cancel an order',
    description: 'The animal is available again. The order stays, as cancelled.',
    ...EXPERIMENTAL,
    params: OrderPath,
    response: { 204: { type: 'null', description: 'The order is cancelled.' } },
  }
  const errors = { 409: 'The order is closed.' }
  app.delete('/store/orders/:orderId', { config: { errors }, schema }, async (request, reply) => {
    await write(changes.cancelOrder, decisionOf(request, clock))
    return reply.code(204).send()
  })
}

function viewerOf({ caller }: FastifyRequest): orders.Viewer {
  return orders.viewerOf(caller)
}

function decisionOf(request: FastifyRequest<{ Params: OrderPath }>, clock: () => number): orders.Decision {
  return { ...viewerOf(request as FastifyRequest), id: idOf(request.params), now: clock() }
}

/** @throws {ApiError} order_not_found for what can be the id of none */
function idOf({ orderId }: OrderPath): number {
  const id = int64(orderId)
  if (id === undefined) throw new ApiError('order_not_found')
  return id
}
