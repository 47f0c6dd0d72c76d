import type { Server } from 'node:http'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { Config } from '../config.ts'
import { type AnswerFirst, meetFirst } from './answer-first.ts'
import type { App, TypeBoxProvider } from './app.ts'
import { addRouteHeaders } from './cache-headers.ts'
import { compressRouted } from './compress.ts'
import { openConnections } from './connections.ts'
import type { ShareWithOrigin } from './cors.ts'
import { meetExpectations } from './expectations.ts'
import { type Face, faceOf } from './face.ts'
import { gateHooks, pass } from './gate.ts'
import { lingerWhileSending } from './linger.ts'
import { answerParserErrors } from './parser-errors.ts'
import { requestId } from './request-id.ts'
import { type LogRequest, logRouted } from './request-log.ts'
import { sendError } from './send-error.ts'
import { serializerCompiler } from './serialize.ts'
import { endStalled } from './stalled.ts'
import { validatorCompiler } from './validate.ts'

const HEADER_BYTES = 16_384

interface Options {
  config: Config
  logger: FastifyBaseLogger
  logRequest: LogRequest
  /** Meets every request before the router. */
  answerFirst: AnswerFirst
  /** The first one answers what never becomes a request; the last one has no prefix. */
  faces: readonly Face[]
  share: ShareWithOrigin
  /** The name under which a client address is counted. */
  nameOfAddress: (address: string) => string
}

/** HTTP without any feature: limits, request ids, and errors of every kind in the form of their face. */
export function createApp(options: Options): App {
  const { config, logger, logRequest, answerFirst, faces, share } = options
  const sendErrorOf = (error: Error, request: FastifyRequest, reply: FastifyReply): void =>
    sendError(faceOf(faces, request.url), error, request, reply)
  /** For what never reaches a route and its hooks. */
  async function sendUnrouted(error: Error, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const face = faceOf(faces, request.url)
    try {
      await pass([...(face.onUnrouted ? [face.onUnrouted] : []), ...gateHooks(face)], request, reply)
      throw error
    } catch (thrown) {
      sendError(face, thrown, request, reply)
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
    // In the options, not set later: else Fastify loads its own compilers, and ajv with them.
    schemaController: {
      compilersFactory: {
        buildValidator: () => validatorCompiler as never,
        buildSerializer: () => serializerCompiler as never,
      },
    },
    routerOptions: { maxParamLength: HEADER_BYTES },
    http: parserOptions(config),
    clientErrorHandler: () => undefined,
    rewriteUrl: ({ url = '/' }) => {
      const { prefix, addressOf } = faceOf(faces, url)
      if (addressOf) return addressOf(url)
      return prefix === '' ? url : withoutEmptyId(url, `${prefix}/`)
    },
    frameworkErrors: sendUnrouted,
  }).withTypeProvider<TypeBoxProvider>()

  setUp(app.server, config)
  meetFirst(app.server, answerFirst)
  meetExpectations(app.server)
  lingerWhileSending(app.server)
  answerParserErrors(app.server, faces[0] as Face, share, logger)
  app.decorate('connections', openConnections(app.server, { ...config, nameOf: options.nameOfAddress }))
  endStalled(app.server, app.connections, requestTimeout)
  app.removeAllContentTypeParsers()
  app.setErrorHandler((error: Error & { code?: string }, request, reply) =>
    // A method that Node's parser knows and HTTP does not, such as RTSP's DESCRIBE: not even a 404 has it.
    error.code === 'FST_ERR_NOT_FOUND'
      ? sendUnrouted(error, request, reply)
      : sendErrorOf(error, request, reply),
  )
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  app.addHook('onSend', addRouteHeaders)
  app.addHook('onSend', compressRouted)
  app.addHook('onResponse', logRouted(logRequest))
  return app as App
}

/** How Node reads requests. */
function parserOptions({ requestTimeoutSeconds, headersTimeoutSeconds }: Config) {
  const requestTimeout = requestTimeoutSeconds * 1_000
  return {
    // Checked in `wellFormed`, which answers in our shape; Node's own answer would be bare.
    requireHostHeader: false,
    // A header sent twice is seen as such, instead of one of the two being dropped.
    joinDuplicateHeaders: true,
    maxHeaderSize: HEADER_BYTES,
    // Of a body in tiny pieces Node keeps so many bytes unread, each piece with hundreds of its own.
    highWaterMark: 2_048,
    // Node compares the two where the server is made, and refuses headers that may take longer than all.
    requestTimeout,
    headersTimeout: Math.min(headersTimeoutSeconds * 1_000, requestTimeout),
    connectionsCheckingInterval: 1_000,
  }
}

/**
 * The router reads a path such as /v1/pets/ or /v1/pets//photos as one with an empty id. It is an address of
 * its own, at which there is nothing; with more slashes it is so for the router too.
 *
 * @param root of the face, which may have a page there
 */
function withoutEmptyId(url: string, root: string): string {
  const query = url.search(/[?#]/)
  const end = query < 0 ? url.length : query
  const path = url.slice(0, end)
  const isWhole = !path.endsWith('/') && !path.includes('//')
  return end <= 1 || path === root || isWhole ? url : `${path}//${url.slice(end)}`
}

/** What Node does not take with the other options. */
function setUp(server: Server, { maxConnections }: Config): void {
  server.maxConnections = maxConnections
  // Node drops headers beyond a count without a word; their size is limited already.
  server.maxHeadersCount = 0
  // A client that has said all it has to say still gets its answer: what it asked for is done in any case.
  Object.assign(server, { httpAllowHalfOpen: true })
}
