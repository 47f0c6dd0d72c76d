import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Account, Limiter, LimiterVerdict } from '../limits/limiter.ts'
import type { Metrics } from './metrics.ts'

/** `onResponse` hook: counts each response. */
export function countAnswers({ countAnswer }: Metrics) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    countAnswer(operationOf(request), reply.statusCode, request.caller, reply.elapsedTime)
    done()
  }
}

/** The operationId of the request; `other` for routes outside of /v1, `none` for requests without a route. */
function operationOf({ is404, routeOptions }: FastifyRequest): string {
  const { operationId } = (routeOptions.schema ?? {}) as { operationId?: string }
  return operationId ?? (is404 || routeOptions.url === undefined ? 'none' : 'other')
}

export function countVerdicts(limiter: Limiter, { countVerdict }: Metrics): Limiter {
  return {
    ...limiter,
    take(caller: Account) {
      const count = (verdict: LimiterVerdict): LimiterVerdict => {
        countVerdict(caller, verdict)
        return verdict
      }
      const verdict = limiter.take(caller)
      return verdict instanceof Promise ? verdict.then(count) : count(verdict)
    },
  }
}
