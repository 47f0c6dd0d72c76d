import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Context } from '../context.ts'
import { ApiError } from '../errors.ts'
import type { Face, ReadBody } from '../http/face.ts'
import { collectBody } from '../http/json-body.ts'
import { Type } from '../http/type.ts'
import { visitorOf } from '../keys/identify.ts'
import { charge } from '../limits/limiter.ts'
import * as pets from '../pets/store.ts'
import { startApp } from '../testing/start-app.ts'

const FORM_TYPE = 'application/x-www-form-urlencoded'
const FORM = { 'content-type': FORM_TYPE }
const MAX_BYTES = 1_000

/** Reads bodies of one media type up to a size. */
function readText(type: string, maxBytes: number, toBody: (text: string) => unknown): ReadBody {
  return ({ headers }, payload, done) => {
    if (headers['content-type'] !== type) return done(new ApiError('unsupported_media_type'))
    collectBody(payload, Number(headers['content-length']), maxBytes, (error, bytes) => {
      if (error) done(error)
      else done(null, toBody(bytes.toString()))
    })
  }
}

const readForm = readText(FORM_TYPE, MAX_BYTES, (text) => Object.fromEntries(new URLSearchParams(text)))

/** A protocol that shares only the data with the API under /v1. */
function classicFace({ config, db, limiter }: Context): Face {
  const visitor = (address: string | undefined) => visitorOf(address, config.anonymous)
  return {
    prefix: '/classic',
    gate: {
      identify: (_request, address) => visitor(address),
      visitor,
      admit: (caller) => charge(limiter, caller),
      authorize: () => undefined,
    },
    readBody: readForm,
    writeError: ({ status, code }) => ({ type: 'text/plain; charset=utf-8', body: `${status}: ${code}` }),
    routes(app) {
      const params = Type.Object({ name: Type.String() })
      app.get('/animals/:name', { schema: { params } }, async ({ params }, reply) => {
        const found = await pets.find(db, Number(params.name))
        if (!found) throw new ApiError('pet_not_found')
        return reply.type('text/plain').send(found.pet.name)
      })
      app.get('/broken', () => {
        throw new Error('a fault of the face')
      })
      const body = Type.Object({ wish: Type.String({ maxLength: 20 }) })
      app.post('/wishes', { schema: { body } }, (request, reply) => {
        reply.type('text/plain').send(`${request.caller.kind} wishes for ${request.body.wish}`)
      })
      const readNote = readText('text/plain', 5, (text) => text)
      app.post('/notes', { config: { readBody: readNote } }, (request, reply) => {
        reply.type('text/plain').send(request.body)
      })
    },
  }
}

const faces = (context: Context): Face[] => [classicFace(context)]

test('a second protocol has its own routes and limits, and uses the same data as the first', async (t) => {
  const { request, post } = await startApp(t, { faces, settings: { ANONYMOUS_PER_MINUTE: '5' } })
  await post('/v1/pets', { name: 'Rex', categoryId: 1 })

  const first = await request('/classic/animals/1', { headers: { authorization: undefined } })

  assert.deepEqual([first.status, first.text], [200, 'Rex'])
  assert.equal(first.headers['x-ratelimit-remaining'], '4')
  for (let spent = 1; spent < 5; spent += 1) await request('/classic/animals/1')
  const limited = await request('/classic/animals/1')
  assert.deepEqual([limited.status, limited.text], [429, '429: rate_limit_exceeded'])
  assert.ok(Number(limited.headers['retry-after']) > 0)
  assert.equal((await request('/v1/pets')).status, 200, 'a key has its own limit')
})

test('every error under the prefix of a protocol has the format of that protocol, even for unknown paths', async (t) => {
  const { request, get } = await startApp(t, { faces })
  const expected: [path: string, method: string, status: number, code: string][] = [
    ['/classic/animals/7', 'GET', 404, 'pet_not_found'],
    ['/classic/nothing', 'GET', 404, 'route_not_found'],
    ['/classic/wishes', 'PUT', 405, 'method_not_allowed'],
    ['/classic/%zz', 'GET', 400, 'bad_request'],
    ['/classic/broken', 'GET', 500, 'internal_error'],
  ]
  for (const [path, method, status, code] of expected) {
    const answer = await request(path, { method })
    assert.deepEqual([answer.status, answer.text], [status, `${status}: ${code}`], path)
    assert.equal(answer.headers['content-type'], 'text/plain; charset=utf-8')
  }
  assert.equal((await get('/v1/nothing')).body.code, 'route_not_found', 'other faces keep their format')
  assert.equal((await get('/nothing')).body.code, 'route_not_found')
})

test('a protocol reads the bodies of its routes; a route can have its own body reader and size limit', async (t) => {
  const { request } = await startApp(t, { faces })
  const send = (path: string, headers: Record<string, string>, body: string) =>
    request(`/classic/${path}`, { method: 'POST', headers, body }).then(({ text }) => text)

  assert.equal(await send('wishes', FORM, 'wish=a+dog'), 'visitor wishes for a dog')
  assert.equal(await send('wishes', FORM, 'hope=none'), '400: validation_failed')
  assert.equal(await send('wishes', FORM, `wish=${'a'.repeat(MAX_BYTES)}`), '413: payload_too_large')
  const json = { 'content-type': 'application/json' }
  assert.equal(await send('wishes', json, '{"wish": "a dog"}'), '415: unsupported_media_type')
  const text = { 'content-type': 'text/plain' }
  assert.equal(await send('notes', text, 'woof!'), 'woof!')
  assert.equal(await send('notes', text, 'woofs!'), '413: payload_too_large')
  assert.equal(await send('notes', FORM, 'wish=it'), '415: unsupported_media_type')
})
