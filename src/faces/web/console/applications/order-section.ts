import type { FastifyRequest } from 'fastify'
import { DECISIONS } from '../../../../applications/order-changes.ts'
import type { Stored } from '../../../../applications/store.ts'
import type { Context } from '../../../../context.ts'
import { type Html, html } from '../../../../http/html.ts'
import * as orders from '../../../../orders/store.ts'
import { wordsFor } from '../frame.ts'
import { callerMay, PREFIX } from '../pages.ts'

/** The order that the approval placed: with it the adoption becomes complete. */
export async function orderSection(
  { db }: Context,
  request: FastifyRequest,
  { id, orderId }: Stored,
): Promise<Html | undefined> {
  if (orderId === undefined) return undefined
  const { applications, animal } = wordsFor(request).words
  const { status } = await orders.get(db, orderId, orders.viewerOf(request.caller))
  const buttons = DECISIONS[status].map(
    (to) =>
      html`<button name="status" value="${to}"${to === 'cancelled' && html` class="plain"`}>${animal.orders.decisions[to]}</button>`,
  )
  return html`<section class="card" aria-labelledby="order"><h2 id="order">${applications.order}</h2>
<p><span class="tag">${animal.orders.statuses[status]}</span> ${buttons.length > 0 && applications.orderText(orderId)}</p>
${
  buttons.length > 0 &&
  callerMay(request.caller, 'decideOrders') &&
  html`<form class="row" method="post" action="${PREFIX}/applications/${id}/order">${buttons}</form>`
}</section>`
}
