import type { FastifyReply, FastifyRequest } from 'fastify'
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
