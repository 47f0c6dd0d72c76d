import type { FastifyRequest } from 'fastify'
import { DECISIONS } from '../../../../applications/order-changes.ts'
import type { Context } from '../../../../context.ts'
import { changes } from '../../../../db/change.ts'
import { ApiError } from '../../../../errors.ts'
import type { App } from '../../../../http/app.ts'
import type { FormBody } from '../../../../http/form-body.ts'
import { type Html, html } from '../../../../http/html.ts'
import { int64 } from '../../../../http/int64.ts'
import type { Order, OrderStatus } from '../../../../orders/schema.ts'
import { list, viewerOf } from '../../../../orders/store.ts'
import { dayIn } from '../../dates.ts'
import { mailLink } from '../../mail-link.ts'
import type { Texts } from '../../texts/texts.ts'
import { wordsFor } from '../frame.ts'
import { callerMay, PREFIX } from '../pages.ts'
import { ownAnimal } from './own.ts'

const MOST_ORDERS = 20

/** Who wants an animal, or has it. */
export async function ordersSection(
  { db }: Context,
  request: FastifyRequest,
  petId: number,
): Promise<Html | undefined> {
  const { caller } = request
  if (!callerMay(caller, 'seeAdopters')) return undefined
  const { words } = wordsFor(request)
  const orders = await list(db, { petId, limit: MOST_ORDERS }, viewerOf(caller))
  if (orders.length === 0) return undefined
  const { sections } = words.animal
  return html`<section class="card" id="orders" aria-labelledby="of-orders"><h2 id="of-orders">${sections.orders}</h2>
<ul class="history">${orders.map((order) => item(order, petId, request, words))}</ul></section>`
}

function item(order: Order, petId: number, request: FastifyRequest, words: Texts['console']): Html {
  const { language } = wordsFor(request)
  const { orders } = words.animal
  const { id, status, adopter, placedAt } = order
  const buttons = DECISIONS[status].map(
    (to) =>
      html`<button name="status" value="${to}"${to === 'cancelled' && html` class="plain"`}>${orders.decisions[to]}</button>`,
  )
  return html`<li><p><strong>${adopter?.name ?? orders.erased}</strong> <span class="tag">${orders.statuses[status]}</span>
<time datetime="${placedAt}">${dayIn(language, Date.parse(placedAt))}</time></p>
${adopter && html`<p>${mailLink(adopter.email)} ${adopter.phone}</p>`}
${adopter?.message && html`<p class="said">${adopter.message}</p>`}
${
  buttons.length > 0 &&
  callerMay(request.caller, 'decideOrders') &&
  html`<form class="row" method="post" action="${PREFIX}/animals/${petId}/orders/${id}">${buttons}</form>`
}</li>`
}

/** Approves, completes or cancels an order. */
export function decideOrders(app: App, context: Context): void {
  app.post('/animals/:id/orders/:orderId', async (request, reply) => {
    const stored = await ownAnimal(context, request)
    const id = int64((request.params as { orderId: string }).orderId)
    const status = (request.body as FormBody).get('status') ?? ''
    if (id === undefined || !Object.hasOwn(DECISIONS, status)) throw new ApiError('order_not_found')
    const decision = { ...viewerOf(request.caller), id, now: context.clock() }
    await context.write(changes.decideOrder, status as OrderStatus, decision)
    return reply.redirect(`${PREFIX}/animals/${stored.id}?done=${status}#orders`, 303)
  })
}
