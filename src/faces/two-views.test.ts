import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { type TestContext, test } from 'node:test'
import { changes } from '../changes.ts'
import type { Context } from '../context.ts'
import { openForCommand } from '../db/open-database.ts'
import type { Caller } from '../http/caller.ts'
import { etagOf, validatorHeaders } from '../http/conditional.ts'
import type { Face } from '../http/face.ts'
import { sendPage } from '../http/send-page.ts'
import { Type } from '../http/type.ts'
import { apiKeyCredentials, createCallerIdentifier } from '../keys/identify.ts'
import { charge } from '../limits/limiter.ts'
import { petRoutes } from '../pets/routes.ts'
import * as pets from '../pets/store.ts'
import { until } from '../testing/redis.ts'
import { startApp, UNLIMITED } from '../testing/start-app.ts'

const ALL = { 'x-view': 'all' }
const PUBLIC = { 'x-view': 'public' }

/** The API with keys, but each request chooses its view by a header. */
function viewFace(context: Context): Face {
  const keys = createCallerIdentifier(context, apiKeyCredentials(context.config.environment))
  const withView = (caller: Caller, { headers }: IncomingMessage): Caller => ({
    ...caller,
    view: headers['x-view'] === 'all' ? 'all' : 'public',
  })
  return {
    prefix: '/views',
    gate: {
      visitor: keys.visitor,
      async identify(request, address) {
        return withView(await keys.identify(request, address), request)
      },
      admit: (caller) => charge(context.limiter, caller),
      authorize: () => undefined,
    },
    readBody({ headers }, payload, done) {
      const chunks: Buffer[] = []
      payload.on('data', (chunk) => chunks.push(chunk))
      payload.on('end', () => done(null, headers['content-length'] && JSON.parse(`${Buffer.concat(chunks)}`)))
    },
    writeError: ({ status, code }) => ({ type: 'application/json', body: JSON.stringify({ status, code }) }),
    routes(app) {
      petRoutes(app, context)
      const params = Type.Object({ id: Type.String() })
      const schema = { params, response: { 200: Type.Unknown() } }
      app.get('/animals/:id', { schema }, async (request, reply) => {
        const read = async () => {
          const stored = await pets.find(context.db, Number(request.params.id))
          const { pet } = stored as pets.StoredPet
          const { view } = request.caller
          const body = JSON.stringify(view === 'all' ? pet : { name: pet.name })
          return { body, headers: validatorHeaders({ etag: etagOf('animal', body) }, view) }
        }
        return sendPage(request, reply, context, read)
      })
    },
  }
}

async function startViews(t: TestContext) {
  const app = await startApp(t, { faces: (context) => [viewFace(context)], key: UNLIMITED })
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1, staff: { kennel: 'B2' } })
  await app.post('/v1/pets', { name: 'Momo', categoryId: 2 })
  return app
}

test('two views of an animal use separate cached pages and separate 304 responses', async (t) => {
  const { get } = await startViews(t)
  for (const path of ['/views/animals/1', '/views/pets/1', '/views/pets', '/views/pets?id=1']) {
    const etags = new Map<string, string>()
    // The second response of each view comes from the cache.
    for (const headers of [ALL, PUBLIC, ALL, PUBLIC]) {
      const { status, body, headers: got } = await get(path, headers)
      assert.equal(status, 200)
      if (path === '/views/animals/1') assert.equal('id' in body, headers === ALL)
      const view = headers['x-view']
      assert.equal(etags.get(view) ?? got.etag, got.etag)
      etags.set(view, got.etag ?? '')
    }
    const [all = '', open = ''] = [etags.get('all'), etags.get('public')]
    assert.notEqual(all, open)
    assert.equal((await get(path, { ...ALL, 'if-none-match': all })).status, 304)
    assert.equal((await get(path, { ...PUBLIC, 'if-none-match': open })).status, 304)
    assert.equal((await get(path, { ...ALL, 'if-none-match': open })).status, 200)
    assert.equal((await get(path, { ...PUBLIC, 'if-none-match': all })).status, 200)
  }
})

test('If-Match with the ETag of another view gets 412', async (t) => {
  const { get, request } = await startViews(t)
  const { etag } = (await get('/views/pets/1', PUBLIC)).headers
  const rename = (view: object) =>
    request('/views/pets/1', {
      method: 'PATCH',
      headers: { ...view, 'if-match': etag },
      body: { name: 'Max' },
    })

  assert.equal((await rename(ALL)).status, 412)
  assert.equal((await rename(PUBLIC)).status, 200)
})

test('a cursor of another view gets 400', async (t) => {
  const { get } = await startViews(t)
  const { link = '' } = (await get('/views/pets?limit=1', PUBLIC)).headers
  const next = /<[^>]*(\/views\/pets\?[^>]*)>; rel="next"/.exec(String(link))?.[1] ?? ''

  const refused = await get(next, ALL)

  assert.deepEqual([refused.status, refused.body.code], [400, 'invalid_cursor'])
  assert.deepEqual((await get(next, PUBLIC)).body, [{ id: 1, name: 'Rex', categoryId: 1 }])
})

test('an idempotent request is replayed to the same view only', async (t) => {
  const { post } = await startViews(t)
  const add = (view: object) =>
    post('/views/pets', { name: 'Luna', categoryId: 1 }, { ...view, 'idempotency-key': 'luna' })

  const [first, other, again] = [await add(ALL), await add(PUBLIC), await add(ALL)]

  assert.deepEqual([first.body.id, other.body.id, again.body.id], [3, 4, 3])
  const replayed = [first, other, again].map(({ headers }) => headers['idempotent-replayed'])
  assert.deepEqual(replayed, [undefined, undefined, 'true'])
})

test('public and staff responses are not mixed up while another process changes the animal', async (t) => {
  const { get, databaseUrl, clock } = await startViews(t)
  const other = await openForCommand(databaseUrl, changes)
  t.after(() => other.close())
  for (let round = 1; round <= 20; round += 1) {
    const name = `Rex ${round}`
    const changing = other.write(changes.updatePet, { name }, { id: 1, by: { keyId: 1 }, now: clock.now })
    const views = Array.from({ length: 8 }, (_, turn) => (turn % 2 ? ALL : PUBLIC))
    const answers = await Promise.all(views.map((view) => get('/views/animals/1', view)))
    for (const [turn, { body }] of answers.entries()) assert.equal('id' in body, views[turn] === ALL)
    await changing
    // PostgreSQL notifies a moment later, and each view may have read the animal before.
    for (const view of [PUBLIC, ALL])
      await until(async () => (await get('/views/animals/1', view)).body.name === name)
    assert.deepEqual((await get('/views/animals/1', PUBLIC)).body, { name })
    const { body } = await get('/views/animals/1', ALL)
    assert.deepEqual(body, { id: 1, name, categoryId: 1, staff: { kennel: 'B2' } })
  }
})
