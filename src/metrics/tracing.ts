import type { IncomingMessage } from 'node:http'
import type { Context as TraceContext, Tracer } from '@opentelemetry/api'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { nameOf } from '../db/change.ts'
import type { Database } from '../db/database.ts'
import type { Hook } from '../http/app.ts'
import { loggablePath } from '../http/request-log.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Ends the span of this request, where there are spans. */
    endSpan?: (reply: FastifyReply) => void
  }
}

/** Spans for an SDK that the operator has added. */
export interface Tracing {
  /** Hook: a span that lasts as long as the request, around all that is done for it. */
  begin: Hook
  end(request: FastifyRequest, reply: FastifyReply, done: () => void): void
  /** The same store, with a span around each query and each change. */
  store<Store extends Pick<Database, 'db' | 'write' | 'writeOnce'>>(database: Store): Store
}

/** Where the API keeps what an SDK registers, so that all its copies in a process find it. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1')

/** @returns undefined without an SDK: the API is not even loaded then, and no request pays for it */
export async function openTracing(): Promise<Tracing | undefined> {
  const registered = (globalThis as { [REGISTERED]?: { trace?: unknown } })[REGISTERED]
  if (!registered?.trace) return undefined
  const api = await import('@opentelemetry/api')
  const tracer = api.trace.getTracer('adoptable')
  const { SERVER } = api.SpanKind

  return {
    begin(request, _reply, done) {
      const route = request.routeOptions.url
      const attributes = attributesOf(request.raw, route)
      const name = route ? `${request.method} ${route}` : request.method
      const span = tracer.startSpan(name, { kind: SERVER, attributes }, parentOf(api, request.raw))
      request.endSpan = ({ statusCode }) => {
        span.setAttribute('http.response.status_code', statusCode)
        if (statusCode >= 500) span.setStatus({ code: api.SpanStatusCode.ERROR })
        span.end()
      }
      api.context.with(api.trace.setSpan(api.context.active(), span), done)
    },
    end(request, reply, done) {
      request.endSpan?.(reply)
      done()
    },
    store: (database) => traceStore(api, tracer, database),
  }
}

type Api = typeof import('@opentelemetry/api')

/** The span of the caller, if the request names one (W3C Trace Context) and the SDK reads it. */
function parentOf({ context, propagation }: Api, { headers }: IncomingMessage): TraceContext {
  return propagation.extract(context.active(), headers)
}

/** Names of OpenTelemetry's semantic conventions for HTTP. Neither query nor key is among them. */
function attributesOf({ method = '', url = '' }: IncomingMessage, route: string | undefined) {
  return {
    'http.request.method': method,
    'url.path': loggablePath(url),
    'url.scheme': 'http',
    ...(route && { 'http.route': route }),
  }
}

function traceStore<Store extends Pick<Database, 'db' | 'write' | 'writeOnce'>>(
  api: Api,
  tracer: Tracer,
  database: Store,
): Store {
  const { CLIENT } = api.SpanKind
  async function within<Result>(name: string, text: string | undefined, work: () => Promise<Result>) {
    const attributes = text === undefined ? {} : { 'db.query.text': text }
    return tracer.startActiveSpan(name, { kind: CLIENT, attributes }, async (span) => {
      try {
        return await work()
      } catch (error) {
        span.setStatus({ code: api.SpanStatusCode.ERROR })
        throw error
      } finally {
        span.end()
      }
    })
  }

  // Every query that is read goes through one of these; values are not in the text, but beside it.
  const executor = database.db.getExecutor()
  for (const way of [executor, executor.adapter]) {
    if (!('executeQuery' in way)) continue
    const execute = way.executeQuery.bind(way) as typeof executor.executeQuery
    const executeQuery: typeof execute = (query, ...rest) =>
      within(`store ${query.sql.split(' ', 1)[0]}`, query.sql, () => execute(query, ...rest))
    Object.assign(way, { executeQuery })
  }
  const write: Database['write'] = (change, ...args) =>
    within(`store ${nameOf(change)}`, undefined, () => database.write(change, ...args))
  const writeOnce: Database['writeOnce'] = (once, change, ...args) =>
    within(`store ${nameOf(change)}`, undefined, () => database.writeOnce(once, change, ...args))
  return { ...database, write, writeOnce }
}
