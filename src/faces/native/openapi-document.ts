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
 * Values of which there may be more. Not an enum: clients generated from one fail on a value that it has not,
 * and of `anyOf` an enum or a string Go and Java make types that nobody can use.
 */
const mayGrow = (values: readonly string[]) => ({ 'x-extensible-enum': [...values] })

const ErrorDetail = Type.Object(
  {
    pointer: Type.Optional(Type.String({ description: 'The member of the body (RFC 6901).' })),
    parameter: Type.Optional(Type.String({ description: 'The query parameter.' })),
    code: Type.String({ ...mayGrow(DETAIL_CODES), description: 'What is wrong; there may be more.' }),
    message: Type.String(),
  },
  { title: 'ErrorDetail', description: 'What is wrong with one part of the request.' },
)

const ErrorBody = Type.Object(
  {
    code: Type.String({
      ...mayGrow(Object.keys(ERRORS)),
      description:
        'Machine-readable error code; it never changes for a condition. There may be more: treat one that ' +
        'you do not know by its status.',
    }),
    message: Type.String({ description: 'What went wrong and what to do, for a person.' }),
    status: Type.Integer({ description: 'The HTTP status code of the response.' }),
    details: Type.Optional(
      Type.Array(ErrorDetail, { description: 'Every problem of the request; only with a 400.' }),
    ),
  },
  { title: 'Error' },
)

/** Errors that every operation can answer, and what they mean. */
const EVERYWHERE = {
  400: 'The request is malformed, or a part of it is invalid.',
  401: 'Missing or invalid API key.',
  408: 'The request did not arrive in time.',
  414: 'The address is too long.',
  429: 'Rate limit exceeded, or the key is banned for a while.',
  431: 'The headers are too large.',
  500: 'Something failed in the service.',
  503: 'The service cannot answer right now.',
}
const WITH_ACCESS = { 403: 'The API key may not do this.' }
const WITH_BODY = {
  409: 'A request with the same Idempotency-Key is still being answered.',
  413: 'The body is too large.',
  415: 'The body is not JSON in UTF-8.',
  422: 'The Idempotency-Key came with another body before.',
}
/** Its body says nothing, and is read all the same. */
const WITH_DELETE = { 413: WITH_BODY[413], 415: 'The Content-Type is malformed.' }
const WITH_PATH = { 404: 'The requested resource could not be found.' }
const WITH_SUNSET = { 410: 'The operation was removed.' }

const text = (description: string) => ({ type: 'string', description })
// On every answer of their status.
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
  'X-RateLimit-Limit': integer('The limit that applies to the caller.'),
  'X-RateLimit-Remaining': integer('Requests remaining in the current window.'),
  'X-RateLimit-Reset': integer('Unix time, in seconds, at which the limit resets.'),
  'X-Request-Id': string('Names the request, in the log too.', { pattern: '^[A-Za-z0-9._-]{1,128}$' }),
  'Cache-Control': string('Who may keep the answer: nobody an error.'),
  'X-Content-Type-Options': string('nosniff: the answer is what its type says.'),
}
const VARY = {
  Vary: string(
    'Authorization, Origin: each caller has its own answers. Accept-Encoding where it may come compressed.',
  ),
}
const SUNSET_HEADERS = {
  Deprecation: text('Since when the operation is deprecated (RFC 9745).'),
  Sunset: text('When the operation is removed (RFC 8594).'),
  Link: text('The operation to use instead, as rel="successor-version".'),
}
const RETRY_AFTER = { 'Retry-After': integer('Seconds to wait before the next request.', 1) }
const MORE_HEADERS: Record<string, Json> = {
  201: { Location: string('The address of what was added.') },
  401: { 'WWW-Authenticate': string('The bearer challenge (RFC 6750).') },
  429: RETRY_AFTER,
  503: RETRY_AFTER,
}
const PATCH_HEADERS = { 'Accept-Patch': text('What the body may be (RFC 5789).') }

declare module 'fastify' {
  interface FastifyInstance {
    /** The routes as OpenAPI 3.1, from their own schemas. What makes it loads when it is first needed. */
    describe(): Promise<object>
  }
}

/** Meets every route from now on, to describe it when somebody asks. */
export function addOpenApiDocument(app: App, config: Config): void {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => void routes.push(route))
  let document: Promise<object> | undefined
  app.decorate('describe', () => {
    document ??= describeRoutes(routes, config)
    return document
  })
}

/** Adds the routes to a server that never listens: the package describes the routes that it saw added. */
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
        { name: 'categories', description: 'Kinds of animals.' },
        { name: 'breeds', description: 'Names of breeds, by category.' },
        { name: 'colors', description: 'Names of colors, by category.' },
        { name: 'organizations', description: 'Shelters and rescues, whose the animals are.' },
        { name: 'inventory', description: 'How many animals there are.' },
        { name: 'store', description: 'Orders: somebody wants an animal.' },
        { name: 'applications', description: 'Many would like to adopt an animal, and staff choose.' },
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

/** In the place of a compiler of schemas, where nothing is validated or written. */
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
  const shown = { 'x-access': config?.access, tags: [url.split('/')[2] ?? ''] }
  return { ...schema, ...read, ...shown, response: Object.fromEntries(response) }
}

/** Errors of the route itself, beside what every route with a body answers under the same status. */
function describeErrors(errors: Record<string, string> = {}, takesBody: boolean): Record<string, string> {
  const others: Record<string, string> = takesBody ? WITH_BODY : {}
  const described = Object.entries(errors).map(([status, meaning]) => [
    status,
    [meaning, others[status]].filter(Boolean).join(' Or: '),
  ])
  return Object.fromEntries(described)
}
