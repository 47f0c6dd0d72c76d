import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { execFileSync } from 'node:child_process'
import { type TestContext, test } from 'node:test'
import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  trace,
} from '@opentelemetry/api'
import { startApp } from '../testing/start-app.ts'

interface RecordedSpan {
  name: string
  attributes: Attributes
  id: string
  parent: string | undefined
  ended: boolean
  error: boolean
}

/** A minimal SDK that records every span. */
function registerSdk(t: TestContext): RecordedSpan[] {
  const spans: RecordedSpan[] = []
  const storage = new AsyncLocalStorage<Context>()
  context.setGlobalContextManager({
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, work, self, ...args) => storage.run(active, () => work.apply(self, args)),
    bind: (_active, target) => target,
    enable() {
      return this
    },
    disable() {
      return this
    },
  })
  propagation.setGlobalPropagator({
    inject: () => undefined,
    extract(onto, carrier) {
      const [, traceId, spanId] = String(carrier.traceparent ?? '').split('-')
      return traceId && spanId ? trace.setSpanContext(onto, { traceId, spanId, traceFlags: 1 }) : onto
    },
    fields: () => ['traceparent'],
  })
  const startSpan = (name: string, { attributes = {} } = {}, parent: Context = context.active()): Span => {
    const id = String(spans.length + 1)
    const seen: RecordedSpan = {
      ...{ name, attributes: { ...attributes }, id },
      ...{ parent: trace.getSpanContext(parent)?.spanId, ended: false, error: false },
    }
    spans.push(seen)
    return {
      spanContext: () => ({ traceId: '1', spanId: id, traceFlags: 1 }),
      setAttribute(key: string, value: number) {
        seen.attributes[key] = value
        return this
      },
      setStatus() {
        seen.error = true
        return this
      },
      end() {
        seen.ended = true
      },
    } as unknown as Span
  }
  trace.setGlobalTracerProvider({
    getTracer: () => ({
      startSpan,
      startActiveSpan(name: string, options: object, work: (span: Span) => unknown) {
        const span = startSpan(name, options)
        return context.with(trace.setSpan(context.active(), span), () => work(span))
      },
    }),
  } as never)
  t.after(() => {
    trace.disable()
    context.disable()
    propagation.disable()
  })
  return spans
}

test('with an OpenTelemetry SDK each request has a span, with a span for each query and change within it', async (t) => {
  const spans = registerSdk(t)
  const { get, post, key } = await startApp(t)
  /** Spans of requests since the previous call, without spans of background sweeps. */
  const latest = () => spans.splice(0).filter(({ name, parent }) => parent || !name.startsWith('store '))
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  latest()
  await post('/v1/pets', { name: 'Rex', categoryId: 1 }, { traceparent })
  const [request, ...queries] = latest()
  assert.equal(request?.name, 'POST /v1/pets')
  assert.equal(request.parent, 'b7ad6b7169203331')
  assert.equal(request.attributes['http.response.status_code'], 201)
  assert.ok(queries.some(({ name }) => name === 'store insertPet'))
  assert.ok(queries.every(({ name, parent }) => name.startsWith('store ') && parent === request.id))

  await get(`/v1/pets?key=${key}`)
  const routed = latest()
  assert.equal(routed[0]?.name, 'GET /v1/pets')
  assert.match(String(routed.at(-1)?.attributes['db.query.text']), /^select .* from "pet"/)
  await get(`/v1/pets?key=${key}`, { traceparent })
  const [ready, ...more] = latest()
  assert.deepEqual(more, [])
  assert.equal(ready?.parent, 'b7ad6b7169203331')
  const { 'http.response.status_code': first, ...own } = routed[0].attributes
  assert.deepEqual(ready.attributes, { ...own, 'http.response.status_code': first })

  await get('/v1/nowhere')
  const [missed] = latest()
  assert.deepEqual([missed?.name, missed?.attributes['http.response.status_code']], ['GET', 404])
  const all = [request, ...queries, ...routed, ready, missed]
  assert.ok(all.every((span) => span?.ended))
  assert.doesNotMatch(JSON.stringify(all), /adopt_|Rex/)
})

test('without an OpenTelemetry SDK the OpenTelemetry API is not loaded', () => {
  const program = `
    const { openTracing } = await import('./src/metrics/tracing.ts')
    const tracing = await openTracing()
    const { createRequire } = await import('node:module')
    const loaded = Object.keys(createRequire(import.meta.url).cache).filter((file) => file.includes('opentelemetry'))
    console.log(tracing, loaded.length)`
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program]).toString()
  assert.equal(printed, 'undefined 0\n')
})
