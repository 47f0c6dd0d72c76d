import type { Logger } from 'pino'
import { categoryRoutes } from './categories/routes.ts'
import type { Context } from './context.ts'
import { type App, createApp } from './http/app.ts'
import { describe } from './http/describe.ts'
import { notFound } from './http/not-found.ts'
import { publicRoutes } from './http/public-routes.ts'
import { requestLog } from './http/request-log.ts'
import { sendTogether } from './http/send-together.ts'
import { wellFormed } from './http/well-formed.ts'
import { inventoryRoutes } from './inventory/routes.ts'
import { anonymous, declareAccess, identify, requireAccess } from './keys/identify.ts'
import { limitRate, rateHeaders, refusalOf } from './limits/limit-rate.ts'
import { countAnswers } from './metrics/count-answers.ts'
import { orderRoutes } from './orders/routes.ts'
import { petRoutes } from './pets/routes.ts'
import { answerReady } from './ready.ts'

/** The whole service, in the order in which a request meets it. */
export async function buildServer(context: Context, logger: Logger): Promise<App> {
  const { config, limiter, metrics, tracing } = context
  const { identifyCaller, recall } = identify(context)
  const logRequest = requestLog(logger)
  const send = sendTogether()
  const gate = [identifyCaller, limitRate(limiter), requireAccess, wellFormed]

  const app = createApp({
    config,
    logger,
    logRequest,
    send,
    answerFirst: answerReady(context, recall, logRequest, send, logger),
    gate,
    admitAddress: async (address) => {
      const verdict = await limiter.take(anonymous(address, config.anonymous))
      return { headers: rateHeaders(verdict), refusal: refusalOf(verdict) }
    },
  })
  if (metrics) app.addHook('onResponse', countAnswers(metrics))
  if (tracing) app.addHook('onRequest', tracing.begin).addHook('onResponse', tracing.end)
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
