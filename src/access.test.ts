import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ACCESS_LEVELS, includesAccess, REQUIRED_ACCESS } from './access.ts'
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

test('REQUIRED_ACCESS lists exactly the operations of openapi.json, with their access levels', () => {
  const described = OPERATIONS.map((operation) => [operation.operationId, operation['x-access']])

  assert.deepEqual(Object.fromEntries(described), REQUIRED_ACCESS)
})

test('every operation answers 403 to a key below its access level, and to no other key', async (t) => {
  const app = await startApp(t)
  for (const level of ACCESS_LEVELS) {
    const authorization = `Bearer ${await makeKey(app.databaseUrl, { access: level })}`
    for (const { method, path, 'x-access': needed } of OPERATIONS) {
      const call = `${method} ${path}`
      const answer = await app.request(`/v1${path.replace(/\{\w+\}/, '77')}`, {
        // A stream has no end.
        method: path.endsWith('/stream') ? 'HEAD' : method,
        headers: { authorization },
      })
      if (includesAccess(level, needed))
        assert.ok(answer.status !== 403 && answer.status < 500, `${call}: ${answer.status}`)
      else assertError(answer, 403, 'insufficient_access', `${call} with ${level}`)
    }
  }
})
