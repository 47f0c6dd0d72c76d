import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, type ErrorDetail } from '../errors.ts'
import type { ObjectSchema, QuerySchema } from './query.ts'

const STRICT = /(?:^|[,;\s])handling\s*=\s*"?strict"?(?=$|[,;\s])/i

/** Checks whether the client prefers an error over ignored parameters (RFC 7240, section 4.4). */
export function wantsStrict({ prefer }: IncomingHttpHeaders): boolean {
  return prefer !== undefined && STRICT.test([prefer].flat().join(','))
}

function unknownParameters({ routeOptions, query }: FastifyRequest): string[] {
  const { properties = {} } = (routeOptions.schema?.querystring ?? {}) as Partial<ObjectSchema>
  return Object.keys(query as object).filter((name) => !Object.hasOwn(properties, name))
}

/** Parameters that have no effect unless another parameter is present. */
const DEPENDS_ON: Record<string, string> = { within: 'near' }

function findIneffective(query: object): ErrorDetail[] {
  return Object.entries(DEPENDS_ON).flatMap(([parameter, other]): ErrorDetail[] =>
    parameter in query && !(other in query)
      ? [
          {
            parameter,
            code: 'invalid_value',
            message: `This has no effect without \`${other}\`. Add \`${other}\`, or remove this.`,
          },
        ]
      : [],
  )
}

/** Finds values whose bytes are not UTF-8 (RFC 3986, section 2.5). */
function findUndecodable({ routeOptions, raw }: FastifyRequest): ErrorDetail[] {
  const query = raw.url?.split('?', 2)[1] ?? ''
  if (!query.includes('%')) return []
  const { properties = {} } = (routeOptions.schema?.querystring ?? {}) as Partial<ObjectSchema>
  return query.split('&').flatMap((part): ErrorDetail[] => {
    const [parameter = '', value = ''] = part.split('=', 2)
    if (!isText(properties[parameter]) || isDecodable(value)) return []
    return [{ parameter, code: 'invalid_value', message: 'This is not UTF-8. Percent-encode it as UTF-8.' }]
  })
}

/** Skips values of other types, because validation reports those. */
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

/**
 * Hook: refuses filters that have no effect. Otherwise a request with a misspelt filter would list
 * everything.
 */
export function refuseUnknownParameters(
  request: FastifyRequest,
  _reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  const details = findUndecodable(request)
  if (wantsStrict(request.headers))
    details.push(
      ...unknownParameters(request).map(unknownDetail),
      ...findIneffective(request.query as object),
    )
  done(details.length > 0 ? new ApiError('invalid_parameter', { details }) : undefined)
}

const unknownDetail = (parameter: string): ErrorDetail => ({
  parameter,
  code: 'invalid_value',
  message: 'This parameter does not exist. Remove it, or do not send Prefer: handling=strict.',
})
