import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ACCESS_LEVELS, includesAccess, NEEDED_ACCESS } from './access.ts'
import { assertError } from './testing/client.ts'
import { makeKey, startApp } from './testing/start-app.ts'

interface Operation {
  operationId: string
  'x-access': (typeof ACCESS_LEVELS)[number]
}

const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8'))
const OPERATIONS = Object.entries<Record<string, Operation>>(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    ...operation,
  })),
)

test('every operation is in the list of access levels, and every line of the list is an operation', () => {
  const described = OPERATIONS.map((operation) => [operation.operationId, operation['x-access']])

  assert.deepEqual(Object.fromEntries(described), NEEDED_ACCESS)
})

test('every operation answers 403 to a key of every level below the one it needs, and to no other', async (t) => {
  const app = await startApp(t)
  for (const held of ACCESS_LEVELS) {
    const authorization = `Bearer ${await makeKey(app.databaseUrl, { access: held })}`
    for (const { method, path, 'x-access': needed } of OPERATIONS) {
      const call = `${method} ${path}`
      const answer = await app.request(`/v1${path.replace(/\{\w+\}/, '77')}`, {
        method,
        headers: { authorization },
      })
      if (includesAccess(held, needed))
        assert.ok(answer.status !== 403 && answer.status < 500, `${call}: ${answer.status}`)
      else assertError(answer, 403, 'insufficient_access', `${call} with ${held}`)
    }
  }
})
