import type { FastifyRequest } from 'fastify'
import { DECISIONS } from '../../../../applications/order-changes.ts'
import type { Context } from '../../../../context.ts'
import { changes } from '../../../../db/change.ts'
import { ApiError } from '../../../../errors.ts'
import type { App } from '../../../../http/app.ts'
import type { FormBody } from '../../../../http/form-body.ts'
import type { OrderStatus } from '../../../../orders/schema.ts'
import { viewerOf } from '../../../../orders/store.ts'
import { PREFIX } from '../pages.ts'
import { type ById, ownApplication } from './own.ts'
import { refused } from './refused.ts'

/** Completes or cancels it. */
export function decideItsOrder(app: App, context: Context): void {
  app.post<ById>('/applications/:id/order', async (request: FastifyRequest, reply) => {
    const { id, orderId } = await ownApplication(context, request)
    const status = (request.body as FormBody).get('status') ?? ''
    try {
      if (orderId === undefined || !Object.hasOwn(DECISIONS, status)) throw new ApiError('order_not_found')
      const decision = {
        ...viewerOf(request.caller),
        ...{ id: orderId, now: context.clock() },
      }
      await context.write(changes.decideOrder, status as OrderStatus, decision)
    } catch (error) {
      return refused(context, request, reply, error)
    }
    return reply.redirect(`${PREFIX}/applications/${id}?done=${status}`, 303)
  })
}
