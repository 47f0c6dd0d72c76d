import type { FastifyBaseLogger } from 'fastify'
import { categoryRoutes } from './categories/routes.ts'
import type { Context } from './context.ts'
import { type App, createApp, wellFormed } from './http/app.ts'
import { describe } from './http/describe.ts'
import { notFound } from './http/not-found.ts'
import { publicRoutes } from './http/public-routes.ts'
import { inventoryRoutes } from './inventory/routes.ts'
import { anonymous, declareAccess, identify, requireAccess } from './keys/identify.ts'
import { limitRate, rateHeaders, refusalOf } from './limits/limit-rate.ts'
import { orderRoutes } from './orders/routes.ts'
import { petRoutes } from './pets/routes.ts'

/** The whole service, in the order in which a request meets it. */
export async function buildServer(context: Context, logger: FastifyBaseLogger): Promise<App> {
  const { config, limiter } = context
  const gate = [identify(context), limitRate(limiter), requireAccess, wellFormed]

  const app = createApp({
    config,
    logger,
    gate,
    admitAddress: async (address) => {
      const verdict = await limiter.take(anonymous(address, config.anonymous))
      return { headers: rateHeaders(verdict), refusal: refusalOf(verdict) }
    },
  })
  const answerNotFound = notFound(app)
  await describe(app, config)

  await app.register(
    async (v1: App) => {
      v1.addHook('onRoute', declareAccess)
      for (const hook of gate) v1.addHook('onRequest', hook)
      v1.setNotFoundHandler(answerNotFound)
      petRoutes(v1, context)
      categoryRoutes(v1, context)
      inventoryRoutes(v1, context)
      orderRoutes(v1, context)
    },
    { prefix: '/v1' },
  )
  await app.register(async (outside: App) => {
    outside.addHook('onRequest', wellFormed)
    publicRoutes(outside, context)
  })
  app.setNotFoundHandler(answerNotFound)
  return app
}
