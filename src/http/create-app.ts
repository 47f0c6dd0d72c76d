import type { Server, ServerResponse } from 'node:http'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { Config } from '../config.ts'
import type { App, TypeBoxProvider } from './app.ts'
import {
  CountedResponse,
  closeStalled,
  type EarlyHandler,
  handleBeforeRouter,
  handleExpectations,
  limitUnread,
  lingerWhileSending,
  openConnections,
} from './connections.ts'
import type { CorsPolicy } from './cors.ts'
import { type Face, faceOf } from './face.ts'
import { gateHook } from './gate.ts'
import { answerParserErrors } from './parser-errors.ts'
import { type LogRequest, logRouted, requestId } from './request-log.ts'
import { addRouteHeaders, compressRouted, sendAtEndOfTurn } from './respond.ts'
import { sendError } from './send-error.ts'
import { serializerCompiler } from './serialize.ts'
import { validatorCompiler } from './validate.ts'

const MAX_HEADER_BYTES = 16_384

interface Options {
  config: Config
  logger: FastifyBaseLogger
  logRequest: LogRequest
  /** Handles every request before the router. */
  handleFirst: EarlyHandler
  /** The first face answers input that cannot be parsed as a request. The last one has no prefix. */
  faces: readonly Face[]
  cors: CorsPolicy
  /** Maps a client address to the name of its counter. */
  nameOfAddress: (address: string) => string
}

/** Creates the server without any feature: limits, request ids, and errors in the format of each face. */
export function createApp(options: Options): App {
  const { config, logger, logRequest, handleFirst, faces, cors } = options
  const sendErrorOf = (error: Error, request: FastifyRequest, reply: FastifyReply): void =>
    sendError(faceOf(faces, request.url), error, request, reply)
  /** For requests that never reach a route and its hooks. */
  function sendUnrouted(error: Error, request: FastifyRequest, reply: FastifyReply): void {
    const face = faceOf(faces, request.url)
    face.onUnrouted?.(request, reply)
    gateHook(face.gate)(request, reply, (refusal) => sendError(face, refusal ?? error, request, reply))
  }

  const requestTimeout = config.requestTimeoutSeconds * 1_000
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    // A child logger per request costs more than the rest of the logging.
    childLoggerFactory: (parent) => parent,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    trustProxy: config.trustProxy.length > 0 && config.trustProxy,
    requestTimeout,
    keepAliveTimeout: config.keepAliveTimeoutSeconds * 1_000,
    return503OnClosing: false,
    // Sets the compilers here, because Fastify would otherwise load its own compilers and ajv.
    schemaController: {
      compilersFactory: {
        buildValidator: () => validatorCompiler as never,
        buildSerializer: () => serializerCompiler as never,
      },
    },
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    http: parserOptions(config),
    clientErrorHandler: () => undefined,
    rewriteUrl: ({ url = '/' }) => {
      const { prefix, addressOf } = faceOf(faces, url)
      if (addressOf) return addressOf(url)
      return prefix === '' ? url : rejectEmptyIds(url, `${prefix}/`)
    },
    frameworkErrors: sendUnrouted,
  }).withTypeProvider<TypeBoxProvider>()

  configureServer(app.server, config)
  handleBeforeRouter(app.server, handleFirst)
  handleExpectations(app.server)
  lingerWhileSending(app.server)
  answerParserErrors(app.server, faces[0] as Face, cors, logger)
  app.decorate('connections', openConnections(app.server, { ...config, nameOf: options.nameOfAddress }))
  limitUnread(app.server, app.connections)
  closeStalled(app.server, app.connections, requestTimeout)
  app.removeAllContentTypeParsers()
  app.setErrorHandler((error: Error & { code?: string }, request, reply) =>
    // Node's parser accepts methods that HTTP does not have, such as RTSP's DESCRIBE.
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
  app.addHook('onSend', sendAtEndOfTurn)
  app.addHook('onResponse', logRouted(logRequest))
  return app as App
}

function parserOptions({ requestTimeoutSeconds, headersTimeoutSeconds }: Config) {
  const requestTimeout = requestTimeoutSeconds * 1_000
  return {
    ServerResponse: CountedResponse as typeof ServerResponse,
    // `findRequestFault` checks the Host header, because Node's own error has no body.
    requireHostHeader: false,
    // Joins repeated headers, so other code can detect the repetition. Node would drop the second one.
    joinDuplicateHeaders: true,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Limits how much of a body Node buffers in tiny chunks, each of which costs hundreds of bytes.
    highWaterMark: 2_048,
    // Node compares the two values when it creates the server.
    requestTimeout,
    headersTimeout: Math.min(headersTimeoutSeconds * 1_000, requestTimeout),
    connectionsCheckingInterval: 1_000,
  }
}

/**
 * Returns the URL that the router gets. For paths such as /v1/pets/ and /v1/pets//photos, adds slashes, so
 * the answer is 404. Otherwise the router would match a route with an empty id.
 * @param root of the face, which may have a page there
 */
function rejectEmptyIds(url: string, root: string): string {
  const query = url.search(/[?#]/)
  const end = query < 0 ? url.length : query
  const path = url.slice(0, end)
  const hasNoEmptyId = !path.endsWith('/') && !path.includes('//')
  return end <= 1 || path === root || hasNoEmptyId ? url : `${path}//${url.slice(end)}`
}

/** Settings that Node does not accept as options. */
function configureServer(server: Server, { maxConnections }: Config): void {
  server.maxConnections = maxConnections
  // By default Node silently drops headers beyond a count. Their total size is limited already.
  server.maxHeadersCount = 0
  // A client that closes its sending side still gets its response.
  Object.assign(server, { httpAllowHalfOpen: true })
}
