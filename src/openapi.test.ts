import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { ERRORS } from './errors.ts'
import { callsOf } from './faces/native/reference/description.ts'
import { EMAIL, MULTILINE, ONE_LINE, PORTABLE_PATTERNS } from './http/text.ts'
import { runCli } from './testing/process.ts'
import { startApp } from './testing/start-app.ts'

const committed = JSON.parse(readFileSync('openapi.json', 'utf8'))
const operations = committed.paths
const CALLS = callsOf(committed)

test('GET /openapi.json and `adoptable openapi` return the committed openapi.json', async (t) => {
  const { get } = await startApp(t, { settings: { BASE_URL: 'http://127.0.0.1:8080/v1' } })

  const served = await get('/openapi.json')

  const renew = 'update it with: npx adoptable openapi > openapi.json'
  assert.deepEqual(served.body, committed, renew)
  const printed = await runCli(t, ['openapi'], {})
  assert.equal(printed.stdout, readFileSync('openapi.json', 'utf8'), renew)
})

test('the three operations of the contract are stable; all others have x-stability', () => {
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

test('the schemas have the members, types and limits of the contract', () => {
  const { NewPet, Pet, Pets, PetStatus, Error: ErrorBody } = committed.components.schemas

  assert.deepEqual(NewPet.required, ['name', 'categoryId'])
  assert.deepEqual(Object.keys(NewPet.properties).slice(0, 3), ['name', 'categoryId', 'status'])
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
  // The contract has a single status; a repeated one matches animals with any of the values.
  const petStatus = { $ref: '#/components/schemas/PetStatus' }
  assert.deepEqual(status.schema, { oneOf: [petStatus, { type: 'array', items: petStatus, maxItems: 3 }] })
  assert.deepEqual([status.name, status.example, status.explode ?? true], ['status', 'available', true])
})

test('every operation requires a bearer key; every response has rate-limit headers; errors have an Error body', () => {
  const scheme = Object.keys(committed.components.securitySchemes)[0] ?? ''
  assert.deepEqual(committed.security, [{ [scheme]: [] }])
  assert.equal(committed.components.securitySchemes[scheme].scheme, 'bearer')
  for (const { operationId, responses } of CALLS) {
    assert.ok(responses[401] && responses[429], operationId)
    for (const [status, { headers = {}, content = {} }] of Object.entries(responses)) {
      for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']) {
        assert.ok(headers[name]?.schema, `${operationId} ${status} ${name}`)
      }
      if (status === '429') assert.ok(headers['Retry-After'])
      if (Number(status) < 400) continue
      assert.deepEqual(content['application/json']?.schema, { $ref: '#/components/schemas/Error' })
    }
  }
})

/** Yields every object in a JSON value, which includes all schemas. */
function* objectsIn(node: unknown): Generator<Record<string, unknown>> {
  if (typeof node !== 'object' || node === null) return
  if (!Array.isArray(node)) yield node as Record<string, unknown>
  for (const value of Object.values(node)) yield* objectsIn(value)
}

test('every pattern has the same meaning in RE2, Java, Python and JavaScript', () => {
  const patterns = [...objectsIn(committed)].flatMap(({ pattern }) =>
    typeof pattern === 'string' ? [pattern] : [],
  )
  assert.ok(patterns.length > 10)
  for (const pattern of new Set(patterns)) {
    assert.doesNotThrow(() => new RegExp(pattern, 'u'), pattern)
    assert.doesNotMatch(pattern, /\(\?(?!:)/, `look-around or a named group in ${pattern}`)
    assert.doesNotMatch(pattern, /\\[^.x[\]]/, `an escape that not all of them support in ${pattern}`)
    // In Java, an unescaped [ in a class begins a nested class.
    assert.doesNotMatch(pattern, /\[[^\]\\]*\[/, `a class in a class in ${pattern}`)
    for (const [, maximum] of pattern.matchAll(/\{\d+,(\d+)\}/g)) assert.ok(Number(maximum) <= 1_000, pattern)
  }
})

test('a published pattern accepts all valid texts, and its description names the further restrictions', () => {
  const texts = [
    'Rex',
    ' a ',
    'ä🐕',
    '\u00a0x',
    'a\tb',
    'a\nb',
    'a\r\nb',
    'a\u0000',
    'a\u0085',
    '\u007f',
    'a\u2028',
  ]
  for (const strict of [ONE_LINE, MULTILINE]) {
    const { pattern = '', description: words = '' } = PORTABLE_PATTERNS[strict] ?? {}
    for (const text of texts) {
      assert.equal(
        new RegExp(pattern, 'u').test(text),
        new RegExp(strict, 'u').test(text),
        JSON.stringify(text),
      )
    }
    assert.match(words, /not a space/)
    const uses = [...objectsIn(committed)].filter((schema) => schema.pattern === pattern)
    assert.ok(uses.length > 0 && uses.every(({ description }) => String(description).endsWith(words)))
  }
})

const ajv = new Ajv2020({ strict: false })
ajv.addFormat('int64', true)
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
ajv.addFormat('email', true)
ajv.addSchema({ $id: 'description', components: committed.components })

/** Validators by schema, because many responses share one. */
const validators = new Map<string, ValidateFunction>()

function assertFits(schema: object, example: unknown, about: string): void {
  assert.notEqual(example, undefined, `${about} has no example`)
  const local = JSON.stringify(schema).replaceAll('"#/components', '"description#/components')
  const validate = validators.get(local) ?? ajv.compile(JSON.parse(local))
  validators.set(local, validate)
  assert.ok(validate(example), `${about}: ${ajv.errorsText(validate.errors)}`)
}

test('every parameter, body and response has examples that match its schema', () => {
  for (const { operationId, parameters = [], requestBody, responses } of CALLS) {
    for (const { name, schema, example } of parameters) {
      // Cursors are signed, so there is no valid example.
      if (name !== 'cursor') assertFits(schema, example, `${operationId} ${name}`)
    }
    for (const [status, { content = {} }] of [
      ...Object.entries(responses),
      ['body', requestBody ?? {}] as const,
    ]) {
      for (const [type, { schema, examples = {} }] of Object.entries(content)) {
        // The bytes of an image have no example.
        if (type.startsWith('image/')) continue
        const entries = Object.entries(examples)
        assert.ok(entries.length > 0, `${operationId} ${status} has no example`)
        for (const [code, { value }] of entries) {
          assertFits(schema, value, `${operationId} ${status}`)
          if (Number(status) >= 400) assert.equal(ERRORS[code as keyof typeof ERRORS][0], Number(status))
        }
      }
    }
  }
})

test('error codes are in x-extensible-enum, and any string is valid, so new codes can be added', () => {
  const { Error: ErrorBody, ErrorDetail } = committed.components.schemas
  assert.deepEqual(ErrorBody.properties.code['x-extensible-enum'], Object.keys(ERRORS))
  for (const { code } of [ErrorBody.properties, ErrorDetail.properties]) {
    assert.deepEqual([code.type, code.enum], ['string', undefined])
    assert.ok(code['x-extensible-enum'].length > 0)
  }
})

test('responses and headers shared by operations appear once, under components', () => {
  const responses: Record<string, unknown>[] = Object.values(operations as Record<string, object>).flatMap(
    (methods) => Object.values(methods).map((operation: { responses: object }) => operation.responses),
  ) as never
  const inline = responses.flatMap((answers) =>
    Object.entries(answers).filter(
      ([status, answer]) => Number(status) >= 400 && !('$ref' in (answer as object)),
    ),
  )
  const texts = [...inline.map(([, answer]) => answer), ...Object.values(committed.components.responses)].map(
    (answer) => JSON.stringify(answer),
  )
  assert.equal(new Set(texts).size, texts.length, 'a response appears twice')
  for (const { headers } of objectsIn([operations, committed.components.responses])) {
    for (const header of Object.values(headers ?? {})) assert.match(header.$ref, /^#\/components\/headers\//)
  }
  const maxBytes = 12_000 * responses.length
  assert.ok(readFileSync('openapi.json').length < maxBytes)
  assert.ok(JSON.stringify(committed).length < maxBytes * 0.55)
})

test('every id is at least 1, and every request header has a maximum length', () => {
  for (const { format, minimum } of objectsIn(committed)) {
    if (format === 'int64') assert.equal(minimum, 1)
  }
  const headers = CALLS.flatMap(({ parameters = [] }) => parameters.filter((one) => one.in === 'header'))
  assert.deepEqual([...new Set(headers.map(({ name }) => name))].sort(), [
    'Idempotency-Key',
    'If-Match',
    'If-Modified-Since',
    'If-None-Match',
    'If-Unmodified-Since',
    'Last-Event-ID',
  ])
  for (const { name, schema } of headers) {
    assert.ok(schema.minLength === 1 && (schema.maxLength ?? 0) > 0, name)
    assert.equal(schema.pattern !== undefined, name === 'Idempotency-Key')
  }
})

for (const [settings, expected] of [
  [{}, { production: 'http://127.0.0.1:8080/v1' }],
  [{ ADOPTABLE_ENVIRONMENT: 'staging' }, { staging: 'http://127.0.0.1:8080/v1' }],
  [
    { BASE_URL: 'https://a.example/v1', STAGING_BASE_URL: 'https://b.example/v1' },
    { production: 'https://a.example/v1', staging: 'https://b.example/v1' },
  ],
  [
    { BASE_URL: 'https://a.example/v1', ADOPTABLE_ENVIRONMENT: 'staging' },
    { production: 'https://a.example/v1', staging: 'http://127.0.0.1:8080/v1' },
  ],
] as const) {
  test(`servers with ${JSON.stringify(settings)} are this server, and the other server only if its address is set`, async (t) => {
    const { servers } = JSON.parse((await runCli(t, ['openapi'], settings)).stdout)
    assert.deepEqual(
      Object.fromEntries(servers.map(({ url, description }: Record<string, string>) => [description, url])),
      expected,
    )
  })
}

/**
 * The e-mail patterns of ajv-formats (full) and zod 4. Both refuse quoted names and require a dot.
 */
const ORACLES = [
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i,
  /^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/,
]
const ADDRESSES = [
  ...['a@example.org', "o'brien+x@sub.ex-ample.org", 'A.B@EXAMPLE.ORG', 'x_1@a.b.c.example'],
  ...['a@localhost', '"a b"@example.org', '"a"@example.org', 'a@[127.0.0.1]', 'a@[IPv6:::1]', 'a@127.0.0.1'],
  ...[
    '.a@example.org',
    'a.@example.org',
    'a..b@example.org',
    'a@-x.org',
    'a@x-.org',
    'a@example.o',
    'a@.org',
  ],
  ...[
    'a@example.org.',
    'a@b@example.org',
    'a b@example.org',
    'ä@example.org',
    'a@exämple.org',
    'a@',
    '@a.org',
  ],
  `a@${'x'.repeat(63)}.org`,
]

test('an e-mail address is accepted exactly if openapi.json and common validators accept it', async (t) => {
  const { post } = await startApp(t)
  const { pattern, format } = committed.components.schemas.Adopter.properties.email
  assert.deepEqual([pattern, format], [EMAIL, 'email'])
  for (const email of ADDRESSES) {
    const adopter = { name: 'A', email }
    const { status, body } = await post('/v1/store/orders', { petId: 1, adopter })
    // The animal does not exist, but the service checks the address first: 404 means that it is valid.
    const isAccepted = status === 404
    assert.equal(isAccepted, new RegExp(pattern).test(email), email)
    assert.equal(
      isAccepted,
      ORACLES.every((oracle) => oracle.test(email)),
      email,
    )
    if (!isAccepted) assert.equal(body.details[0].message, 'This must be an email address.', email)
  }
})

interface Operation {
  operationId: string
  deprecated?: boolean
  'x-stability'?: 'beta' | 'experimental'
}
