import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { join } from 'node:path'
import type { SQLInputValue } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import Fastify, { type RouteOptions } from 'fastify'
import { Kysely } from 'kysely'
import { readConfig } from '../../config.ts'
import type { Context } from '../../context.ts'
import { NodeSqliteDialect } from '../../db/dialect.ts'
import { openToRead, openToWrite } from '../../db/open-sqlite.ts'
import { openFile } from '../../db/sqlite.ts'
import type { Db } from '../../db/tables.ts'
import type { ApiError } from '../../errors.ts'
import type { Caller } from '../../http/caller.ts'
import type { Gate } from '../../http/face.ts'
import { gateHook } from '../../http/gate.ts'
import { generateKey, hashKey } from '../../keys/key-format.ts'
import * as keys from '../../keys/store.ts'
import { cleanup } from '../../testing/cleanup.ts'
import { scratchFolder } from '../../testing/start-app.ts'
import { declareAccess, nativeGate } from './face.ts'

// Uses a real store to identify callers.

const CONFIG = readConfig({})
const NOW = Date.UTC(2026, 11, 1)
const VISITOR = { kind: 'visitor', id: 0, view: 'public', name: 'ip:127.0.0.1', limits: CONFIG.anonymous }

function serverOf(t: TestContext, gate: Gate, onCaller: (caller: Caller) => void) {
  const app = Fastify({ forceCloseConnections: true })
  cleanup(t).defer(() => app.close())
  app.addHook('onRoute', declareAccess)
  app.addHook('onRequest', gateHook(gate))
  app.addHook('onSend', async ({ caller }) => onCaller(caller))
  app.setErrorHandler(({ status, code, headers, cause }: ApiError, _request, reply) =>
    reply
      .code(status)
      .headers(headers)
      .send({ code, cause: cause instanceof Error }),
  )
  const answer = async () => ({})
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({}))
  app.get('/v1/pets', { schema: { operationId: 'listPets' } }, answer)
  app.post('/v1/pets', { schema: { operationId: 'createPet' } }, answer)
  app.post('/v1/categories', { schema: { operationId: 'createCategory' } }, answer)
  return app
}

/** A request on its own connection. */
function requestWith(authorization: string | undefined): IncomingMessage {
  return Object.assign(new IncomingMessage(new Socket()), { headers: { authorization } })
}

async function openGate(t: TestContext, version?: Context['version']) {
  const file = join(scratchFolder(t), 'keys.db')
  const [writable, reader, connection] = [await openToWrite(file), openToRead(file), openFile(file, 'read')]
  cleanup(t).defer(() => writable.database.close())
  writable.database.exec('pragma synchronous = off')
  let lookUps = 0
  const hooks: { look?: () => void } = {}
  const prepare = connection.prepare.bind(connection)
  connection.prepare = (sql) => {
    const statement = prepare(sql)
    const read = statement.all.bind(statement)
    const all = (...values: SQLInputValue[]) => {
      const found = read(...values)
      lookUps += 1
      hooks.look?.()
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
  const admit = async () => ({ headers: {} })
  const gate = { ...nativeGate(context as Context), admit }
  let caller: Caller | undefined
  const app = serverOf(t, gate, (latest) => {
    caller = latest
  })
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    ...{ clock, closeStore, gate, db: writable.db, lookUps: () => lookUps },
    /** `look` runs after a look-up has read the store and before the result is used. */
    hooks,
    database: writable.database,
    async make(key: Partial<keys.NewKey> = {}) {
      const text = generateKey('production')
      const newKey: keys.NewKey = { name: 'test', plan: 'free', access: 'read', ...key }
      return { text, id: await keys.insertKey(writable.db, newKey, hashKey(text), 0) }
    },
    async ask(call: string, authorization?: string) {
      const [method = '', path] = call.split(' ')
      const headers = authorization === undefined ? {} : { authorization }
      const answer = await fetch(address + path, { method, headers, signal: AbortSignal.timeout(5_000) })
      const challenge = answer.headers.get('www-authenticate')
      return {
        status: answer.status,
        body: (await answer.json()) as Record<string, unknown>,
        caller: caller && JSON.parse(JSON.stringify(caller)),
        ...(challenge && { challenge }),
      }
    },
  }
}

test('a valid key is counted by its id with the limits of its plan, and can be banned', async (t) => {
  const { make, ask } = await openGate(t)
  const [free, own] = [
    await make(),
    await make({ plan: 'enterprise', access: 'admin', limits: { perMinute: 7, perDay: 70 } }),
  ]

  assert.deepEqual(await ask('GET /v1/pets', `Bearer ${free.text}`), {
    status: 200,
    body: {},
    caller: {
      ...{ kind: 'key', id: free.id, access: 'read', view: 'public', name: `key:${free.id}` },
      ...{ limits: { perMinute: 60, perDay: 1_000 }, ban: CONFIG.ban, plan: 'free' },
    },
  })
  assert.deepEqual((await ask('GET /v1/pets', `Bearer ${own.text}`)).caller, {
    ...{ kind: 'key', id: own.id, access: 'admin', view: 'all', name: `key:${own.id}` },
    ...{ limits: { perMinute: 7, perDay: 70 }, ban: CONFIG.ban, plan: 'enterprise' },
  })
})

test('several keys on one connection: each request is counted for its own key', async (t) => {
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

test('Authorization: Bearer is accepted in any case, with any spaces before the key; text after the key gets 401', async (t) => {
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

test('a request without a valid key counts for the IP address; the 401 names an error only if a key was sent', async (t) => {
  const { make, ask } = await openGate(t)
  const { text } = await make()
  const realm = 'Bearer realm="adoptable"'

  for (const authorization of [undefined, '', 'Basic abc', 'Bearer', `The Bearer ${text}`]) {
    assert.deepEqual(await ask('GET /v1/pets', authorization), {
      ...{ status: 401, challenge: realm, body: { code: 'missing_api_key', cause: false } },
      caller: VISITOR,
    })
  }
  const wrong = ['x', '  x', generateKey('production'), generateKey('staging'), `${text}x`]
  for (const authorization of [...wrong.map((token) => `Bearer ${token}`), `Basic x, Bearer ${text}`]) {
    assert.deepEqual(await ask('GET /v1/pets', authorization), {
      ...{ status: 401, challenge: `${realm}, error="invalid_token"` },
      ...{ body: { code: 'invalid_api_key', cause: false }, caller: VISITOR },
    })
  }
})

test('a key with read, write or admin access gets 403 beyond its access, and 404 for unknown routes', async (t) => {
  const { make, ask } = await openGate(t)
  for (const [access, statuses] of [
    ['read', [200, 403, 403, 404]],
    ['write', [200, 200, 403, 404]],
    ['admin', [200, 200, 200, 404]],
  ] as const) {
    const { text } = await make({ access })
    const found = []
    for (const call of ['GET /v1/pets', 'POST /v1/pets', 'POST /v1/categories', 'GET /v1/nowhere']) {
      found.push((await ask(call, `Bearer ${text}`)).status)
    }
    assert.deepEqual(found, statuses, access)
    const { body } = await ask('POST /v1/categories', `Bearer ${text}`)
    if (access !== 'admin') assert.equal(body.code, 'insufficient_access')
  }
  assert.equal((await ask('GET /v1/nowhere')).status, 401)
})

test('an operation without an entry in access.ts throws at start', () => {
  assert.throws(() => declareAccess({} as RouteOptions), /the operation undefined is missing from the list/)
})

test('a key is looked up once between two commits; a revoked key is refused immediately', async (t) => {
  const { make, ask, db, lookUps } = await openGate(t)
  const { text, id } = await make()
  const ask3 = async () => {
    const statuses = []
    for (let count = 0; count < 3; count += 1)
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

test('a key revoked during its look-up is refused from the next request on', async (t) => {
  // As with PostgreSQL, where a look-up takes more than one turn of the event loop.
  let commits = 0
  const { make, ask, hooks, database, gate } = await openGate(t, () => commits)
  const { text, id } = await make()
  const revoke = () => {
    database.exec(`update api_key set revoked_at = ${NOW} where id = ${id}`)
    commits += 1
    // Another request sees the commit before the look-up ends.
    void gate.identify(requestWith(`Bearer ${generateKey('production')}`), '127.0.0.1')
  }
  hooks.look = () => {
    delete hooks.look
    queueMicrotask(revoke)
  }

  assert.equal(
    (await ask('GET /v1/pets', `Bearer ${text}`)).status,
    200,
    'the key was valid when it was read',
  )
  assert.equal((await ask('GET /v1/pets', `Bearer ${text}`)).status, 401)
})

test('more keys than the cache can store: every key is still identified by a look-up', async (t) => {
  const { database, gate, lookUps } = await openGate(t)
  const authorizations = Array.from({ length: 10_001 }, () => `Bearer ${generateKey('production')}`)
  database.exec(`begin;
    insert into api_key (id, name, plan, access, created_at) values (1, 'test', 'free', 'read', 0)`)
  const insert = database.prepare('insert into api_key_secret (key_id, hash, created_at) values (1, ?, 0)')
  for (const authorization of authorizations) insert.run(hashKey(authorization.slice('Bearer '.length)))
  database.exec('commit')
  const keyIdOf = async (authorization: string): Promise<number> =>
    (await gate.identify(requestWith(authorization), '127.0.0.1')).id

  for (const authorization of authorizations) assert.equal(await keyIdOf(authorization), 1)
  const last = authorizations.at(-1) ?? ''
  assert.equal(await keyIdOf(last), 1)
  assert.equal(lookUps(), 10_002)
  assert.equal(await keyIdOf(authorizations[9_999] ?? ''), 1)
  assert.equal(lookUps(), 10_002, 'this key is cached')
})

test('a cached key is identified without a look-up while it is valid', async (t) => {
  const { make, ask, db, clock, gate, lookUps } = await openGate(t)
  const { text, id } = await make()
  const authorization = `Bearer ${text}`
  await keys.rotateKey(db, id, hashKey(generateKey('production')), NOW, 1_000)
  await ask('GET /v1/pets', authorization)
  assert.equal(lookUps(), 1)

  const identify = async (header?: string) => (await gate.identify(requestWith(header), '127.0.0.1')).id
  assert.deepEqual([await identify(authorization), await identify(text), await identify()], [id, 0, 0])
  clock.now = NOW + 1_000
  assert.equal(await identify(authorization), 0)
  assert.equal(lookUps(), 1)
})

test('a rotated secret is valid until the millisecond at which its overlap ends', async (t) => {
  const { make, ask, db, clock } = await openGate(t)
  const { text, id } = await make()
  const next = generateKey('production')
  await keys.rotateKey(db, id, hashKey(next), NOW, 1_000)

  clock.now = NOW + 999
  assert.equal((await ask('GET /v1/pets', `Bearer ${text}`)).caller?.id, id)
  clock.now = NOW + 1_000
  assert.deepEqual((await ask('GET /v1/pets', `Bearer ${text}`)).caller, VISITOR)
  assert.equal((await ask('GET /v1/pets', `Bearer ${next}`)).caller?.id, id)
})

test('a request with a key while the store fails gets 503: the key is neither accepted nor called invalid', async (t) => {
  const { make, ask, closeStore } = await openGate(t)
  const [cached, other] = [await make(), await make()]
  assert.equal((await ask('GET /v1/pets', `Bearer ${cached.text}`)).status, 200)
  closeStore()

  for (const { text } of [cached, other]) {
    assert.deepEqual(await ask('GET /v1/pets', `Bearer ${text}`), {
      ...{ status: 503, body: { code: 'service_unavailable', cause: true }, caller: VISITOR },
    })
  }
  assert.equal((await ask('GET /v1/pets')).status, 401, 'no key was sent')
})
