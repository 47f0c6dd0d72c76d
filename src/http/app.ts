import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyTypeProvider,
  LogController,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Config } from '../config.ts'
import { ApiError } from '../errors.ts'
import type { Access } from '../plans.ts'
import { sendError } from './error-body.ts'
import { parseJson } from './json-body.ts'
import { type AdmitAddress, answerParserErrors } from './parser-errors.ts'
import { loggablePath, requestId } from './request-id.ts'
import { validatorCompiler } from './validate.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a key must be allowed to do for this route; read when absent. */
    access?: Access
  }
}

interface TypeBoxProvider extends FastifyTypeProvider {
  validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown
  serializer: this['schema'] extends TSchema ? Static<this['schema']> : unknown
}

/** Fastify, with types that follow from the schemas. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxProvider
>

export type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void

const BODY_BYTES = 65_536
const HEADER_BYTES = 16_384
const URL_CHARACTERS = 8_192

interface Options {
  config: Config
  logger: FastifyBaseLogger
  /** What every request under /v1 passes first; also one whose address the router cannot read. */
  gate: Hook[]
  admitAddress: AdmitAddress
}

/** HTTP without any feature: limits, bodies, request ids, and errors of every kind in the one shape. */
export function createApp({ config, logger, gate, admitAddress }: Options): App {
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    // A logger of its own for each request costs more than the rest of the logging; lines name the request themselves.
    childLoggerFactory: (parent) => parent,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    trustProxy: config.trustProxy.length > 0 && config.trustProxy,
    bodyLimit: BODY_BYTES,
    requestTimeout: config.requestTimeoutSeconds * 1_000,
    keepAliveTimeout: config.keepAliveTimeoutSeconds * 1_000,
    return503OnClosing: false,
    routerOptions: { maxParamLength: HEADER_BYTES },
    http: {
      // Checked in `wellFormed`, which answers in our shape; Node's own answer would be bare.
      requireHostHeader: false,
      // A header sent twice is seen as such, instead of one of the two being dropped.
      joinDuplicateHeaders: true,
      maxHeaderSize: HEADER_BYTES,
      headersTimeout: config.headersTimeoutSeconds * 1_000,
      connectionsCheckingInterval: 1_000,
    },
    clientErrorHandler: () => undefined,
    frameworkErrors: async (error, request, reply) => {
      const hooks = request.url.startsWith('/v1/') ? gate : []
      try {
        for (const hook of hooks) await passed(hook, request, reply)
        throw error
      } catch (thrown) {
        reply.header('x-request-id', request.id)
        sendError(thrown, request, reply)
      }
    },
  }).withTypeProvider<TypeBoxProvider>()

  app.server.maxConnections = config.maxConnections
  // Node drops headers beyond a count without a word; their size is limited already.
  app.server.maxHeadersCount = 0
  answerParserErrors(app.server, admitAddress)
  app.setValidatorCompiler(validatorCompiler)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, readBody)
  app.setErrorHandler(sendError)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  app.addHook('onResponse', logRequest)
  return app as App
}

function passed(hook: Hook, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  return new Promise((resolve, reject) => {
    hook(request, reply, (error) => (error ? reject(error) : resolve()))
  })
}

/** application/json, with parameters, of which a charset must say UTF-8 (RFC 8259, section 8.1). */
const JSON_MEDIA_TYPE =
  /^application\/json(?:[ \t]*;[ \t]*[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"[^"\\]*"))*[ \t]*$/i
const CHARSET = /;[ \t]*charset=(?!"?utf-8"?(?:[ \t;]|$))/i

function readBody(
  request: FastifyRequest,
  body: Buffer,
  done: (error: Error | null, body?: unknown) => void,
): void {
  const type = request.headers['content-type'] ?? ''
  const coding = request.headers['content-encoding'] ?? 'identity'
  try {
    if (!JSON_MEDIA_TYPE.test(type) || CHARSET.test(type) || coding.toLowerCase() !== 'identity') {
      throw new ApiError('unsupported_media_type')
    }
    done(null, parseJson(body))
  } catch (error) {
    done(error as Error)
  }
}

/** Hook: what HTTP asks of every request, and Node does not check itself. */
export function wellFormed(
  request: FastifyRequest,
  _reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  const { url, httpVersion, headers } = request.raw
  if (url !== undefined && url.length > URL_CHARACTERS) return done(new ApiError('uri_too_long'))
  // RFC 9112, section 3.2: exactly one Host; two arrive joined by a comma.
  if (httpVersion === '1.1' && (headers.host === undefined || headers.host.includes(','))) {
    return done(new ApiError('bad_request', { message: 'The request needs exactly one Host header.' }))
  }
  done()
}

function logRequest(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  request.log.info(
    {
      reqId: request.id,
      method: request.method,
      path: loggablePath(request.url),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
    },
    'request',
  )
  done()
}
