import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { join } from 'node:path'
import type { SQLInputValue } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import Fastify, { type FastifyRequest, type RouteOptions } from 'fastify'
import { Kysely } from 'kysely'
import { readConfig } from '../../config.ts'
import type { Context } from '../../context.ts'
import { openToRead, openToWrite } from '../../db/open-sqlite.ts'
import { NodeSqliteDialect, openFile } from '../../db/sqlite.ts'
import type { Db } from '../../db/tables.ts'
import type { ApiError } from '../../errors.ts'
import type { Gate } from '../../http/face.ts'
import { authorizeCaller, identifyCaller } from '../../http/gate.ts'
import { generateKey, hashKey } from '../../keys/key-format.ts'
import * as keys from '../../keys/store.ts'
import { cleanup } from '../../testing/cleanup.ts'
import { scratchFolder } from '../../testing/start-app.ts'
import { declareAccess, nativeGate } from './face.ts'

// Who is calling, as a server with a real store finds out.

const CONFIG = readConfig({})
const NOW = Date.UTC(2026, 11, 1)
const VISITOR = { kind: 'visitor', id: 0, view: 'public', name: 'ip:127.0.0.1', limits: CONFIG.anonymous }

function serverOf(t: TestContext, gate: Gate) {
  const app = Fastify({ forceCloseConnections: true })
  cleanup(t).defer(() => app.close())
  app.addHook('onRoute', declareAccess)
  app.addHook('onRequest', identifyCaller(gate))
  const tell = async ({ caller }: FastifyRequest) => caller
  app.setErrorHandler(({ status, code, headers, cause }: ApiError, _request, reply) =>
    reply
      .code(status)
      .headers(headers)
      .send({ code, cause: cause instanceof Error }),
  )
  app.setNotFoundHandler(async (request, reply) => reply.code(404).send(await tell(request)))
  app.register(async (told) => {
    told.get('/changes', { schema: { operationId: 'listPetChanges' } }, tell)
  })
  app.register(
    async (guarded) => {
      guarded.addHook('onRequest', authorizeCaller(gate))
      guarded.setNotFoundHandler(async (request, reply) => reply.code(404).send(await tell(request)))
      guarded.get('/pets', { schema: { operationId: 'listPets' } }, tell)
      guarded.post('/pets', { schema: { operationId: 'createPet' } }, tell)
      guarded.post('/categories', { schema: { operationId: 'createCategory' } }, tell)
    },
    { prefix: '/v1' },
  )
  return app
}

/** A request over a connection of its own. */
function sent(authorization: string | undefined): IncomingMessage {
  return Object.assign(new IncomingMessage(new Socket()), { headers: { authorization } })
}

async function openGate(t: TestContext, version?: Context['version']) {
  const file = join(scratchFolder(t), 'keys.db')
  const [writable, reader, connection] = [await openToWrite(file), openToRead(file), openFile(file, 'read')]
  cleanup(t).defer(() => writable.database.close())
  writable.database.exec('pragma synchronous = off')
  let lookUps = 0
  const beside: { look?: () => void } = {}
  const prepare = connection.prepare.bind(connection)
  connection.prepare = (sql) => {
    const statement = prepare(sql)
    const read = statement.all.bind(statement)
    const all = (...values: SQLInputValue[]) => {
      const found = read(...values)
      lookUps += 1
      beside.look?.()
      return found
    }
    return Object.assign(statement, { all })
  }
  const db: Db = new Kysely({ dialect: new NodeSqliteDialect(connection) })
  const clock = { now: NOW }
  const closeStore = () => {
    reader.close()
    connection.close()
  }
  cleanup(t).defer(() => {
    if (connection.isOpen) closeStore()
  })
  const context = { config: CONFIG, db, version: version ?? reader.version, clock: () => clock.now }
  const gate = nativeGate(context as Context)
  const address = await serverOf(t, gate).listen({ host: '127.0.0.1', port: 0 })
  return {
    ...{ clock, closeStore, gate, db: writable.db, lookUps: () => lookUps },
    /** Runs when a look-up has read the store, and nobody has heard of it. */
    beside,
    database: writable.database,
    async make(key: Partial<keys.NewKey> = {}) {
      const text = generateKey('production')
      const whole: keys.NewKey = { name: 'test', plan: 'free', access: 'read', ...key }
      return { text, id: await keys.insertKey(writable.db, whole, hashKey(text), 0) }
    },
    async ask(what: string, authorization?: string) {
      const [method = '', path] = what.split(' ')
      const headers = authorization === undefined ? {} : { authorization }
      const answer = await fetch(address + path, { method, headers, signal: AbortSignal.timeout(5_000) })
      const challenge = answer.headers.get('www-authenticate')
      return {
        status: answer.status,
        body: (await answer.json()) as Record<string, unknown>,
        ...(challenge && { challenge }),
      }
    },
  }
}

test('a valid key is counted by its id, with the figures of its plan, and can be banned', async (t) => {
  const { make, ask } = await openGate(t)
  const [free, own] = [
    await make(),
    await make({ plan: 'enterprise', access: 'admin', limits: { perMinute: 7, perDay: 70 } }),
  ]

  assert.deepEqual(await ask('GET /v1/pets', `Bearer ${free.text}`), {
    status: 200,
    body: {
      ...{ kind: 'key', id: free.id, access: 'read', view: 'public', name: `key:${free.id}` },
      ...{ limits: { perMinute: 60, perDay: 1_000 }, ban: CONFIG.ban, plan: 'free' },
    },
  })
  assert.deepEqual((await ask('GET /v1/pets', `Bearer ${own.text}`)).body, {
    ...{ kind: 'key', id: own.id, access: 'admin', view: 'all', name: `key:${own.id}` },
    ...{ limits: { perMinute: 7, perDay: 70 }, ban: CONFIG.ban, plan: 'enterprise' },
  })
})

test('each request is counted by its own key, also after another one on the same connection', async (t) => {
  const { make, gate } = await openGate(t)
  const [one, other] = [await make(), await make()]
  const socket = new Socket()
  const keyIds = []
  for (const authorization of [one, one, other, undefined, other, { text: 'x' }, one].map(
    (key) => key && `Bearer ${key.text}`,
  )) {
    const request = { socket, headers: { authorization } } as IncomingMessage
    keyIds.push((await gate.identify(request, '127.0.0.1')).id)
  }

  assert.deepEqual(keyIds, [one.id, one.id, other.id, 0, other.id, 0, one.id])
})

test('the scheme is known in any letter case and before any blanks, with nothing after the key', async (t) => {
  const { make, ask } = await openGate(t)
  const { text } = await make()

  for (const [authorization, status] of [
    [`bEARER   ${text}`, 200],
    [`Bearer ${text} more`, 401],
    [`Bearer${text}`, 401],
    [`The Bearer ${text}`, 401],
    [text, 401],
  ] as const) {
    assert.equal((await ask('GET /v1/pets', authorization)).status, status, authorization)
  }
})

test('without a valid key the address is counted, and the 401 names an error only for one that was sent', async (t) => {
  const { make, ask } = await openGate(t)
  const { text } = await make()
  const realm = 'Bearer realm="adoptable"'

  for (const authorization of [undefined, '', 'Basic abc', 'Bearer', `The Bearer ${text}`]) {
    assert.deepEqual(await ask('GET /v1/pets', authorization), {
      ...{ status: 401, challenge: realm, body: { code: 'missing_api_key', cause: false } },
    })
    assert.deepEqual((await ask('GET /changes', authorization)).body, VISITOR)
  }
  const wrong = ['x', '  x', generateKey('production'), generateKey('staging'), `${text}x`]
  for (const authorization of [...wrong.map((token) => `Bearer ${token}`), `Basic x, Bearer ${text}`]) {
    assert.deepEqual(await ask('GET /v1/pets', authorization), {
      ...{ status: 401, challenge: `${realm}, error="invalid_token"` },
      body: { code: 'invalid_api_key', cause: false },
    })
    assert.deepEqual((await ask('GET /changes', authorization)).body, VISITOR)
  }
})

test('a key may do what its access includes, and where nothing is, all that a reader may', async (t) => {
  const { make, ask } = await openGate(t)
  for (const [access, statuses] of [
    ['read', [200, 403, 403, 404]],
    ['write', [200, 200, 403, 404]],
    ['admin', [200, 200, 200, 404]],
  ] as const) {
    const { text } = await make({ access })
    const found = []
    for (const what of ['GET /v1/pets', 'POST /v1/pets', 'POST /v1/categories', 'GET /v1/nowhere']) {
      found.push((await ask(what, `Bearer ${text}`)).status)
    }
    assert.deepEqual(found, statuses, access)
    const { body } = await ask('POST /v1/categories', `Bearer ${text}`)
    if (access !== 'admin') assert.equal(body.code, 'insufficient_access')
  }
  assert.equal((await ask('GET /v1/nowhere')).status, 401)
})

test('an operation about whose access nobody decided stops the start', () => {
  assert.throws(() => declareAccess({} as RouteOptions), /the operation undefined has no place in the list/)
})

test('a key is looked up once between two commits, and a revoked one is refused at once', async (t) => {
  const { make, ask, db, lookUps } = await openGate(t)
  const { text, id } = await make()
  const ask3 = async () => {
    const statuses = []
    for (let asked = 0; asked < 3; asked += 1)
      statuses.push((await ask('GET /v1/pets', `Bearer ${text}`)).status)
    return statuses
  }

  assert.deepEqual(await ask3(), [200, 200, 200])
  assert.equal(lookUps(), 1)
  await make()
  assert.deepEqual(await ask3(), [200, 200, 200])
  assert.equal(lookUps(), 2)
  await keys.revokeKey(db, id, NOW)
  assert.deepEqual(await ask3(), [401, 401, 401])
})

test('a key revoked while somebody looks it up is refused from the next request on', async (t) => {
  // Of PostgreSQL, whose look-up takes more than one turn of the event loop.
  let commits = 0
  const { make, ask, beside, database, gate } = await openGate(t, () => commits)
  const { text, id } = await make()
  beside.look = () => {
    delete beside.look
    database.exec(`update api_key set revoked_at = ${NOW} where id = ${id}`)
    commits += 1
    // Another request hears of the commit before the look-up is answered.
    void gate.identify(sent(`Bearer ${generateKey('production')}`), '127.0.0.1')
  }

  assert.equal((await ask('GET /v1/pets', `Bearer ${text}`)).status, 200, 'it was valid when it was read')
  assert.equal((await ask('GET /v1/pets', `Bearer ${text}`)).status, 401)
})

test('of more keys than are remembered each is still known, by a look-up of its own', async (t) => {
  const { database, gate, lookUps } = await openGate(t)
  const authorizations = Array.from({ length: 10_001 }, () => `Bearer ${generateKey('production')}`)
  database.exec(`begin;
    insert into api_key (id, name, plan, access, created_at) values (1, 'test', 'free', 'read', 0)`)
  const insert = database.prepare('insert into api_key_secret (key_id, hash, created_at) values (1, ?, 0)')
  for (const authorization of authorizations) insert.run(hashKey(authorization.slice('Bearer '.length)))
  database.exec('commit')
  const keyIdOf = async (authorization: string): Promise<number> =>
    (await gate.identify(sent(authorization), '127.0.0.1')).id

  for (const authorization of authorizations) assert.equal(await keyIdOf(authorization), 1)
  const last = authorizations.at(-1) ?? ''
  assert.equal(await keyIdOf(last), 1)
  assert.equal(lookUps(), 10_002)
  assert.equal(await keyIdOf(authorizations[9_999] ?? ''), 1)
  assert.equal(lookUps(), 10_002, 'this one is remembered')
})

test('a key that is remembered is identified without a look into the store, as long as it is valid', async (t) => {
  const { make, ask, db, clock, gate, lookUps } = await openGate(t)
  const { text, id } = await make()
  const authorization = `Bearer ${text}`
  await keys.rotateKey(db, id, hashKey(generateKey('production')), NOW, 1_000)
  await ask('GET /v1/pets', authorization)
  assert.equal(lookUps(), 1)

  const identify = async (header?: string) => (await gate.identify(sent(header), '127.0.0.1')).id
  assert.deepEqual([await identify(authorization), await identify(text), await identify()], [id, 0, 0])
  clock.now = NOW + 1_000
  assert.equal(await identify(authorization), 0)
  assert.equal(lookUps(), 1)
})

test('a secret is valid until the millisecond at which its overlap ends', async (t) => {
  const { make, ask, db, clock } = await openGate(t)
  const { text, id } = await make()
  const next = generateKey('production')
  await keys.rotateKey(db, id, hashKey(next), NOW, 1_000)

  clock.now = NOW + 999
  assert.equal((await ask('GET /v1/pets', `Bearer ${text}`)).body.id, id)
  clock.now = NOW + 1_000
  assert.deepEqual((await ask('GET /changes', `Bearer ${text}`)).body, VISITOR)
  assert.equal((await ask('GET /v1/pets', `Bearer ${next}`)).body.id, id)
})

test('while the store cannot say whose key it is, nobody is let in by it, and it is not called wrong', async (t) => {
  const { make, ask, closeStore } = await openGate(t)
  const [known, other] = [await make(), await make()]
  assert.equal((await ask('GET /v1/pets', `Bearer ${known.text}`)).status, 200)
  closeStore()

  for (const { text } of [known, other]) {
    assert.deepEqual(await ask('GET /v1/pets', `Bearer ${text}`), {
      ...{ status: 503, body: { code: 'service_unavailable', cause: true } },
    })
    assert.deepEqual((await ask('GET /changes', `Bearer ${text}`)).body, VISITOR)
  }
  assert.equal((await ask('GET /v1/pets')).status, 401, 'who sent none is told so')
})
