import Fastify, { type FastifySchema, type RouteOptions } from 'fastify'
import type { Config } from '../../config.ts'
import { DETAIL_CODES, ERRORS } from '../../errors.ts'
import type { App } from '../../http/app.ts'
import { IDEMPOTENCY_KEY, REPLAYED } from '../../http/idempotency.ts'
import { Type } from '../../http/type.ts'
import { finish } from './openapi-finish.ts'

type Json = Record<string, unknown>

export const PREFIX = '/v1'

/**
 * Marks a list of values that may grow. With an enum, generated clients would fail on new values. With
 * `anyOf` of an enum and a string, generators make unusable types for Go and Java.
 */
const extensibleEnum = (values: readonly string[]) => ({ 'x-extensible-enum': [...values] })

const ErrorDetail = Type.Object(
  {
    pointer: Type.Optional(
      Type.String({ description: 'The member of the body, as a JSON Pointer (RFC 6901).' }),
    ),
    parameter: Type.Optional(Type.String({ description: 'The query parameter.' })),
    code: Type.String({
      ...extensibleEnum(DETAIL_CODES),
      description: 'The kind of problem. More codes may be added.',
    }),
    message: Type.String(),
  },
  { title: 'ErrorDetail', description: 'A problem with one part of the request.' },
)

const ErrorBody = Type.Object(
  {
    code: Type.String({
      ...extensibleEnum(Object.keys(ERRORS)),
      description:
        'Machine-readable code; the same kind of error always has the same code. More codes may be added: handle ' +
        'unknown codes by their status.',
    }),
    message: Type.String({ description: 'Explains the error and what to do, for people.' }),
    status: Type.Integer({ description: 'The HTTP status code of the response.' }),
    details: Type.Optional(
      Type.Array(ErrorDetail, { description: 'All problems of the request. Only with a 400.' }),
    ),
  },
  { title: 'Error' },
)

/** Errors that every operation has. */
const EVERYWHERE = {
  400: 'The request is malformed, or a part of it is invalid.',
  401: 'Missing or invalid API key.',
  408: 'The request did not arrive in time.',
  414: 'The address is too long.',
  429: 'Rate limit exceeded, or the key is temporarily banned.',
  431: 'The headers are too large.',
  500: 'Internal error.',
  503: 'The service is temporarily unavailable.',
}
const WITH_ACCESS = { 403: 'The API key does not have the required access.' }
const WITH_BODY = {
  409: 'A request with the same Idempotency-Key is still being processed.',
  413: 'The body is too large.',
  415: 'The body is not JSON in UTF-8.',
  422: 'The Idempotency-Key was used before with another body.',
}
/** The body of a DELETE is read, but ignored. */
const WITH_DELETE = { 413: WITH_BODY[413], 415: 'The Content-Type is malformed.' }
const WITH_PATH = { 404: 'The requested resource was not found.' }
const WITH_SUNSET = { 410: 'The operation was removed.' }

const text = (description: string) => ({ type: 'string', description })
const integer = (description: string, minimum = 0) => ({
  type: 'integer',
  minimum,
  description,
  required: true,
})
const string = (description: string, more: object = {}) => ({
  type: 'string',
  ...more,
  description,
  required: true,
})

const HEADERS = {
  'X-RateLimit-Limit': integer('Requests that the current window allows.'),
  'X-RateLimit-Remaining': integer('Requests remaining in the current window.'),
  'X-RateLimit-Reset': integer('Unix time, in seconds, at which the limit resets.'),
  'X-Request-Id': string('The id of the request in the log.', { pattern: '^[A-Za-z0-9._-]{1,128}$' }),
  'Cache-Control': string('Who may cache the response. Errors may not be cached.'),
  'X-Content-Type-Options': string('nosniff: the media type must not be guessed.'),
}
const VARY = {
  Vary: string(
    'Authorization and Origin, because responses differ by caller, and Accept-Encoding if the response can ' +
      'be compressed.',
  ),
}
const SUNSET_HEADERS = {
  Deprecation: text('The date of the deprecation (RFC 9745).'),
  Sunset: text('The date of the removal (RFC 8594).'),
  Link: text('The operation to use instead, as rel="successor-version".'),
}
const RETRY_AFTER = { 'Retry-After': integer('Seconds to wait before the next request.', 1) }
const MORE_HEADERS: Record<string, Json> = {
  201: { Location: string('The URL of the new resource.') },
  401: { 'WWW-Authenticate': string('The bearer challenge (RFC 6750).') },
  429: RETRY_AFTER,
  503: RETRY_AFTER,
}
const PATCH_HEADERS = { 'Accept-Patch': text('The media types that the body may have (RFC 5789).') }

declare module 'fastify' {
  interface FastifyInstance {
    /** Returns the OpenAPI 3.1 document. The first call makes it from the schemas of the routes. */
    describe(): Promise<object>
  }
}

/** Records all routes that are added after this call, and adds `describe` to the app. */
export function addOpenApiDocument(app: App, config: Config): void {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => void routes.push(route))
  let document: Promise<object> | undefined
  app.decorate('describe', () => {
    document ??= describeRoutes(routes, config)
    return document
  })
}

/** Adds the routes to a server that never listens, because @fastify/swagger sees only later routes. */
async function describeRoutes(routes: RouteOptions[], { servers }: Config): Promise<object> {
  const { default: swagger } = await import('@fastify/swagger')
  const described = Fastify({
    exposeHeadRoutes: false,
    schemaController: { compilersFactory: { buildValidator: () => NOTHING, buildSerializer: () => NOTHING } },
  })
  await described.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'adoptable',
        version: '1.0.0',
        description: 'Browse and manage the animals that are available for adoption.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } as { name: string },
      },
      servers: Object.entries(servers).flatMap(([description, url]) => (url ? [{ url, description }] : [])),
      tags: [
        { name: 'pets', description: 'Animals that are, or will be, available for adoption.' },
        { name: 'categories', description: 'Types of animals, such as dogs.' },
        { name: 'breeds', description: 'Names of breeds, by category.' },
        { name: 'colors', description: 'Names of colors, by category.' },
        { name: 'organizations', description: 'Shelters and rescues that care for the animals.' },
        { name: 'inventory', description: 'Numbers of animals by status.' },
        { name: 'store', description: 'Orders, each of one adopter for one animal.' },
        { name: 'applications', description: 'Applications to adopt an animal. Staff choose one.' },
      ],
      security: [{ apiKey: [] }],
      components: {
        securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'The API key.' } },
      },
    },
    stripBasePath: false,
    transform: ({ schema, url, route }) =>
      url.startsWith(`${PREFIX}/`)
        ? { schema: describeAnswers(schema, url, route), url: url.slice(PREFIX.length) }
        : { schema: { hide: true }, url },
    transformObject: (document) => finish((document as { openapiObject: Json }).openapiObject),
  })
  for (const { method, url, schema = {}, config = {} } of routes)
    if (method !== 'HEAD') described.route({ method, url, schema, config, handler: () => undefined })
  await described.ready()
  return described.swagger()
}

/** Replaces the schema compilers, because this server validates and serializes nothing. */
const NOTHING = () => () => undefined as never

function describeAnswers(
  schema: FastifySchema,
  url: string,
  { config, method }: RouteOptions,
): FastifySchema {
  const { deprecated } = schema as { deprecated?: boolean }
  const takesBody = method === 'POST' || method === 'PATCH' || method === 'PUT'
  const errors: Record<string, string> = {
    ...EVERYWHERE,
    ...(config?.access === 'read' ? {} : WITH_ACCESS),
    ...(takesBody ? WITH_BODY : {}),
    ...(method === 'DELETE' ? WITH_DELETE : {}),
    ...describeErrors(config?.errors, takesBody),
    ...(url.includes(':') ? WITH_PATH : {}),
    ...(deprecated ? WITH_SUNSET : {}),
  }
  const failures = Object.entries(errors).map(([status, description]) => [
    status,
    { ...ErrorBody, description },
  ])
  const answers: Record<string, Json> = {
    ...(schema.response as Record<string, Json>),
    ...Object.fromEntries(failures),
  }
  const response = Object.entries(answers).map(([status, answer]) => {
    const headers = {
      ...HEADERS,
      ...(Number(status) < 400 ? VARY : {}),
      ...(answer.headers as Json | undefined),
      ...(takesBody && Number(status) < 300 ? REPLAYED : {}),
      ...(MORE_HEADERS[status] ?? {}),
      ...(method === 'PATCH' && status === '415' ? PATCH_HEADERS : {}),
      ...(deprecated ? SUNSET_HEADERS : {}),
    }
    return [status, { ...answer, headers }]
  })
  const headers = { ...(takesBody ? IDEMPOTENCY_KEY : {}), ...config?.headers }
  const read = Object.keys(headers).length > 0 ? { headers: { type: 'object', properties: headers } } : {}
  const extensions = { 'x-access': config?.access, tags: [url.split('/')[2] ?? ''] }
  return { ...schema, ...read, ...extensions, response: Object.fromEntries(response) }
}

/** The errors of a route. For a status of every route with a body, the two descriptions are combined. */
function describeErrors(errors: Record<string, string> = {}, takesBody: boolean): Record<string, string> {
  const others: Record<string, string> = takesBody ? WITH_BODY : {}
  const described = Object.entries(errors).map(([status, meaning]) => [
    status,
    [meaning, others[status]].filter(Boolean).join(' Or: '),
  ])
  return Object.fromEntries(described)
}
