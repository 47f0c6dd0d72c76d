import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, type ErrorDetail } from '../errors.ts'
import type { ObjectSchema, QuerySchema } from './query.ts'

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
    /** Whether it has parameters that its route ignores. */
    isLenient?: boolean
  }
}

function unknownParameters({ routeOptions, query }: FastifyRequest): string[] {
  const { properties = {} } = (routeOptions.schema?.querystring ?? {}) as Partial<ObjectSchema>
  return Object.keys(query as object).filter((name) => !Object.hasOwn(properties, name))
}

/** Parameters that mean nothing without another one. */
const NEEDS: Record<string, string> = { within: 'near' }

function detailsOfUseless(query: object): ErrorDetail[] {
  return Object.entries(NEEDS).flatMap(([parameter, other]): ErrorDetail[] =>
    parameter in query && !(other in query)
      ? [{ parameter, code: 'invalid_value', message: `It means nothing without \`${other}\`.` }]
      : [],
  )
}

/** Texts whose bytes are no UTF-8 (RFC 3986, section 2.5). */
function detailsOfUndecodable({ routeOptions, raw }: FastifyRequest): ErrorDetail[] {
  const query = raw.url?.split('?', 2)[1] ?? ''
  if (!query.includes('%')) return []
  const { properties = {} } = (routeOptions.schema?.querystring ?? {}) as Partial<ObjectSchema>
  return query.split('&').flatMap((part): ErrorDetail[] => {
    const [parameter = '', value = ''] = part.split('=', 2)
    if (!isText(properties[parameter]) || isDecodable(value)) return []
    return [{ parameter, code: 'invalid_value', message: 'Write it in UTF-8, percent-encoded.' }]
  })
}

/** Of others it is told how to write them. */
const isText = (schema: QuerySchema | undefined): boolean =>
  schema?.type === 'string' || (schema?.items !== undefined && isText(schema.items))

function isDecodable(value: string): boolean {
  try {
    decodeURIComponent(value)
    return true
  } catch {
    return false
  }
}

/** Hook, before a query is read: a filter that is misspelt or useless would otherwise list everything. */
export function refuseUnknown(
  request: FastifyRequest,
  _reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  const ignored = [...unknownParameters(request).map(detailOf), ...detailsOfUseless(request.query as object)]
  request.isLenient = ignored.length > 0
  const details = detailsOfUndecodable(request)
  if (wantsStrict(request.headers)) details.push(...ignored)
  done(details.length > 0 ? new ApiError('invalid_parameter', { details }) : undefined)
}

const detailOf = (parameter: string): ErrorDetail => ({
  parameter,
  code: 'invalid_value',
  message: 'There is no such parameter here, and Prefer: handling=strict asks for an error then.',
})
