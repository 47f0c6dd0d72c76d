import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import type { ObjectSchema } from './query.ts'

const STRICT = /(?:^|[,;\s])handling\s*=\s*"?strict"?(?=$|[,;\s])/i

/**
 * Whether a client would rather have an error than an answer without what it asked for (RFC 7240, section
 * 4.4).
 */
export function wantsStrict({ prefer }: IncomingHttpHeaders): boolean {
  return prefer !== undefined && STRICT.test([prefer].flat().join(','))
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether it has parameters that its route does not know, and ignores. */
    isLenient?: boolean
  }
}

function unknownParameters({ routeOptions, query }: FastifyRequest): string[] {
  const { properties = {} } = (routeOptions.schema?.querystring ?? {}) as Partial<ObjectSchema>
  return Object.keys(query as object).filter((name) => !Object.hasOwn(properties, name))
}

/** Hook, before a query is read: a misspelt filter would otherwise list everything. */
export function refuseUnknown(
  request: FastifyRequest,
  _reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  const unknown = unknownParameters(request)
  request.isLenient = unknown.length > 0
  if (!request.isLenient || !wantsStrict(request.headers)) {
    done()
    return
  }
  const message = 'There is no such parameter here, and Prefer: handling=strict asks for an error then.'
  const details = unknown.map((parameter) => ({ parameter, code: 'invalid_value', message }) as const)
  done(new ApiError('invalid_parameter', { details }))
}
