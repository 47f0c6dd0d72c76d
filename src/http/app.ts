import type { IncomingMessage, Server, ServerResponse } from 'node:http'
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
import type { Access } from '../access.ts'
import type { Config } from '../config.ts'
import { openConnections } from './connections.ts'
import { sendError } from './error-body.ts'
import { lingerWhileSending } from './linger.ts'
import { type AdmitAddress, answerParserErrors } from './parser-errors.ts'
import { readBody } from './read-body.ts'
import { requestId } from './request-id.ts'
import { type LogRequest, logRouted } from './request-log.ts'
import { type Send, sendRouted } from './send-together.ts'
import { endStalled } from './stalled.ts'
import { validatorCompiler } from './validate.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a key must be allowed to do for this route, as src/access.ts has it. */
    access?: Access
    /** Errors that only this route answers, for the description: status and meaning. */
    errors?: Record<number, string>
    /** Headers that only this route reads, for the description. */
    headers?: Record<string, { type: 'string'; description: string }>
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

const HEADER_BYTES = 16_384
/** In the spellings that the router reads as that. */
const UNDER_V1 = /^\/(?:v|%76)(?:1|%31)\//

/** Answers a request, or leaves it, untouched, to the router. */
export type AnswerFirst = (request: IncomingMessage, response: ServerResponse, route: () => void) => void

interface Options {
  config: Config
  logger: FastifyBaseLogger
  logRequest: LogRequest
  send: Send
  /** Meets every request before the router. */
  answerFirst: AnswerFirst
  /** What every request under /v1 passes first; also one whose address the router cannot read. */
  gate: Hook[]
  admitAddress: AdmitAddress
}

/** HTTP without any feature: limits, bodies, request ids, and errors of every kind in the one shape. */
export function createApp(options: Options): App {
  const { config, logger, logRequest, send, answerFirst, gate, admitAddress } = options
  /** For what never reaches a route and its hooks. */
  async function sendUnrouted(error: Error, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const hooks = UNDER_V1.test(request.url) ? gate : []
    try {
      for (const hook of hooks) await passed(hook, request, reply)
      throw error
    } catch (thrown) {
      sendError(thrown, request, reply)
    }
  }

  const requestTimeout = config.requestTimeoutSeconds * 1_000
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    // A logger of its own for each request costs more than the rest of the logging; lines name the request
    // themselves.
    childLoggerFactory: (parent) => parent,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    trustProxy: config.trustProxy.length > 0 && config.trustProxy,
    requestTimeout,
    keepAliveTimeout: config.keepAliveTimeoutSeconds * 1_000,
    return503OnClosing: false,
    routerOptions: { maxParamLength: HEADER_BYTES },
    http: {
      // Checked in `wellFormed`, which answers in our shape; Node's own answer would be bare.
      requireHostHeader: false,
      // A header sent twice is seen as such, instead of one of the two being dropped.
      joinDuplicateHeaders: true,
      maxHeaderSize: HEADER_BYTES,
      // Of a body in tiny pieces Node keeps so many bytes unread, each piece with hundreds of its own.
      highWaterMark: 2_048,
      // Node compares the two where the server is made, and refuses headers that may take longer than all.
      requestTimeout,
      headersTimeout: Math.min(config.headersTimeoutSeconds * 1_000, requestTimeout),
      connectionsCheckingInterval: 1_000,
    },
    clientErrorHandler: () => undefined,
    // The form for proxies (RFC 9112, section 3.2.2), taken off here so that all that follows meets one form.
    rewriteUrl: ({ url = '/' }) => url.replace(/^https?:\/\/[^/?#]+\/?/i, '/'),
    frameworkErrors: sendUnrouted,
  }).withTypeProvider<TypeBoxProvider>()

  setUp(app.server, config)
  meetFirst(app.server, answerFirst)
  app.server.prependListener('request', closeAfterUpgrade)
  lingerWhileSending(app.server)
  answerParserErrors(app.server, admitAddress, logger)
  app.decorate('connections', openConnections(app.server))
  endStalled(app.server, app.connections, requestTimeout)
  app.setValidatorCompiler(validatorCompiler)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', readBody)
  app.setErrorHandler((error: Error & { code?: string }, request, reply) =>
    // A method that Node's parser knows and HTTP does not, such as RTSP's DESCRIBE: not even a 404 has it.
    error.code === 'FST_ERR_NOT_FOUND'
      ? sendUnrouted(error, request, reply)
      : sendError(error, request, reply),
  )
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  app.addHook('onSend', sendRouted(send))
  app.addHook('onResponse', logRouted(logRequest))
  return app as App
}

/** What Node does not take with the other options. */
function setUp(server: Server, { maxConnections }: Config): void {
  server.maxConnections = maxConnections
  // Node drops headers beyond a count without a word; their size is limited already.
  server.maxHeadersCount = 0
  // A client that has said all it has to say still gets its answer: what it asked for is done in any case.
  Object.assign(server, { httpAllowHalfOpen: true })
}

function meetFirst(server: Server, answerFirst: AnswerFirst): void {
  const routers = server.listeners('request')
  server.removeAllListeners('request').on('request', (request, response) => {
    answerFirst(request, response, () => {
      for (const router of routers) router.call(server, request, response)
    })
  })
}

/**
 * A request for another protocol is answered as any other, but Node's parser then drops what came behind it
 * in the same packet: a client has to know that it must send that again.
 */
function closeAfterUpgrade({ headers }: IncomingMessage, response: ServerResponse): void {
  if (headers.upgrade !== undefined) response.shouldKeepAlive = false
}

function passed(hook: Hook, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  return new Promise((resolve, reject) => {
    hook(request, reply, (error) => (error ? reject(error) : resolve()))
  })
}
