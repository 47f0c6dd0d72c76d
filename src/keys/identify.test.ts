import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { changes } from '../db/change.ts'
import { startApp } from '../testing/start-app.ts'
import { apiKeyCredentials, createCallerIdentifier, findByHash } from './identify.ts'

test('concurrent requests with the same key cause one lookup, and one more after the key is revoked', async (t) => {
  const app = await startApp(t)
  const { context } = app.service
  let lookups = 0
  const { identify } = createCallerIdentifier(context, {
    ...apiKeyCredentials(context.config.environment),
    find: (db, hash) => {
      lookups += 1
      return findByHash(db, hash)
    },
  })
  const headers = { authorization: `Bearer ${app.key}` }
  const ask = () => identify({ headers, socket: new Socket() } as unknown as IncomingMessage, '127.0.0.1')

  const callers = await Promise.all(Array.from({ length: 100 }, ask))
  assert.deepEqual([lookups, new Set(callers.map(({ kind }) => kind))], [1, new Set(['key'])])

  await context.write(changes.revokeKey, callers[0]?.id ?? 0, app.clock.now)
  assert.equal((await ask()).kind, 'visitor')
  assert.equal(lookups, 2)
})
