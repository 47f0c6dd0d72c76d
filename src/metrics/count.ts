import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Account, Limiter, Ruling } from '../limits/limiter.ts'
import type { Metrics } from './metrics.ts'

/** Hook: counts each answer of a route. */
export function countAnswers({ answered }: Metrics) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    answered(operationOf(request), reply.statusCode, request.caller, reply.elapsedTime)
    done()
  }
}

/** The operationId; `other` is what lies outside /v1, and `none` what no route took. */
function operationOf({ is404, routeOptions }: FastifyRequest): string {
  const { operationId } = (routeOptions.schema ?? {}) as { operationId?: string }
  return operationId ?? (is404 || routeOptions.url === undefined ? 'none' : 'other')
}

/** The same limiter, each verdict of which is counted. */
export function countVerdicts(limiter: Limiter, { judged }: Metrics): Limiter {
  return {
    ...limiter,
    take(caller: Account) {
      const count = (ruling: Ruling): Ruling => {
        judged(caller, ruling)
        return ruling
      }
      const ruling = limiter.take(caller)
      return ruling instanceof Promise ? ruling.then(count) : count(ruling)
    },
  }
}
