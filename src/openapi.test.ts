import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { startApp } from './testing/start-app.ts'

const committed = JSON.parse(readFileSync('openapi.json', 'utf8'))
const operations = committed.paths

test('the served description is the committed openapi.json; `adoptable openapi` prints the same', async (t) => {
  const { get } = await startApp(t, { settings: { BASE_URL: 'http://127.0.0.1:8080/v1' } })

  const served = await get('/openapi.json')

  const renew = 'renew it with: npx adoptable openapi > openapi.json'
  assert.deepEqual(served.body, committed, renew)
  const printed = execFileSync(process.execPath, ['bin/adoptable.js', 'openapi'], {
    env: { PATH: process.env.PATH },
  })
  assert.equal(printed.toString(), readFileSync('openapi.json', 'utf8'), renew)
})

test('the stable operations are the three of the contract; all others say how stable they are', () => {
  const found = Object.entries<Record<string, Operation>>(operations).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation['x-stability'] === undefined)
      .map(([method, { operationId, deprecated = false }]) => {
        return { operationId, call: `${method} ${path}`, deprecated }
      }),
  )
  assert.deepEqual(found, [
    { operationId: 'listPets', call: 'get /pets', deprecated: false },
    { operationId: 'createPet', call: 'post /pets', deprecated: false },
    { operationId: 'getPet', call: 'get /pets/{petId}', deprecated: true },
  ])
  assert.equal(committed.info.version, '1.0.0')
  assert.equal(committed.openapi, '3.1.0')
  assert.equal(operations['/pets/{petId}'].get['x-deprecated-sunset'], '2030-12-05')
})

test('the schemas have the members, types and bounds of the contract', () => {
  const { NewPet, Pet, Pets, PetStatus, Error: ErrorBody } = committed.components.schemas

  assert.deepEqual(NewPet.required, ['name', 'categoryId'])
  assert.deepEqual(Object.keys(NewPet.properties), ['name', 'categoryId', 'status'])
  assert.deepEqual(Pet.required, ['id', 'name', 'categoryId'])
  for (const { categoryId } of [NewPet.properties, Pet.properties]) {
    assert.deepEqual([categoryId.type, categoryId.format], ['integer', 'int64'])
  }
  assert.deepEqual([Pet.properties.id.type, Pet.properties.id.format], ['integer', 'int64'])
  assert.deepEqual(Pets.items, { $ref: '#/components/schemas/Pet' })
  assert.deepEqual([PetStatus.type, PetStatus.enum], ['string', ['available', 'pending', 'sold']])
  assert.deepEqual(ErrorBody.required, ['code', 'message', 'status'])
  const [limit, status] = operations['/pets'].get.parameters
  assert.deepEqual([limit.name, limit.in, limit.required ?? false], ['limit', 'query', false])
  const { type, minimum, maximum, default: fallback } = limit.schema
  assert.deepEqual(
    { type, minimum, maximum, fallback },
    { type: 'integer', minimum: 1, maximum: 100, fallback: 20 },
  )
  assert.deepEqual([status.name, status.schema], ['status', { $ref: '#/components/schemas/PetStatus' }])
})

test('every operation asks for the bearer key, and every answer has its headers and, if it fails, an Error', () => {
  const scheme = Object.keys(committed.components.securitySchemes)[0] ?? ''
  assert.deepEqual(committed.security, [{ [scheme]: [] }])
  assert.equal(committed.components.securitySchemes[scheme].scheme, 'bearer')
  for (const [path, methods] of Object.entries<Record<string, { responses: Record<string, Response> }>>(
    operations,
  )) {
    for (const { responses } of Object.values(methods)) {
      assert.ok(responses[401] && responses[429], path)
      for (const [status, { headers, content }] of Object.entries(responses)) {
        for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']) {
          assert.ok(headers[name], `${path} ${status} ${name}`)
        }
        if (status === '429') assert.ok(headers['Retry-After'])
        if (Number(status) < 400) continue
        assert.deepEqual(content['application/json']?.schema, { $ref: '#/components/schemas/Error' })
      }
    }
  }
})

interface Operation {
  operationId: string
  deprecated?: boolean
  'x-stability'?: 'beta' | 'experimental'
}

interface Response {
  headers: Record<string, unknown>
  content: Record<string, { schema: unknown }>
}
