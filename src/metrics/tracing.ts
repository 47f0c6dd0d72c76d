import type { IncomingMessage } from 'node:http'
import type { Context as TraceContext, Tracer } from '@opentelemetry/api'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { changeName } from '../db/change.ts'
import type { Database } from '../db/database.ts'
import type { Hook } from '../http/app.ts'
import { loggablePath } from '../http/request-log.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Ends the span of this request, if there is one. */
    endSpan?: (reply: FastifyReply) => void
  }
}

/** Creates spans if the operator has installed an OpenTelemetry SDK. */
export interface Tracing {
  /** Hook: starts a span for the request, which is the parent of all spans within it. */
  begin: Hook
  end(request: FastifyRequest, reply: FastifyReply, done: () => void): void
  /** Wraps the store, with a span around each query and change. */
  store<Store extends Pick<Database, 'db' | 'write' | 'writeOnce'>>(database: Store): Store
}

/** The global symbol under which an SDK registers itself. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1')

/** @returns undefined without an SDK; then not even the API is loaded */
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

/** Returns the parent span if the request carries a trace context (W3C) that the SDK reads. */
function parentOf({ context, propagation }: Api, { headers }: IncomingMessage): TraceContext {
  return propagation.extract(context.active(), headers)
}

/** Attributes by OpenTelemetry's semantic conventions for HTTP. They contain neither query nor key. */
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
  async function inSpan<Result>(name: string, text: string | undefined, work: () => Promise<Result>) {
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

  // Every read query goes through one of these two methods. The SQL text contains no values.
  const executor = database.db.getExecutor()
  for (const target of [executor, executor.adapter]) {
    if (!('executeQuery' in target)) continue
    const execute = target.executeQuery.bind(target) as typeof executor.executeQuery
    const executeQuery: typeof execute = (query, ...rest) =>
      inSpan(`store ${query.sql.split(' ', 1)[0]}`, query.sql, () => execute(query, ...rest))
    Object.assign(target, { executeQuery })
  }
  const write: Database['write'] = (change, ...args) =>
    inSpan(`store ${changeName(change)}`, undefined, () => database.write(change, ...args))
  const writeOnce: Database['writeOnce'] = (once, change, ...args) =>
    inSpan(`store ${changeName(change)}`, undefined, () => database.writeOnce(once, change, ...args))
  return { ...database, write, writeOnce }
}
