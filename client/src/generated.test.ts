import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { DESCRIPTION, generate, SOURCES } from '../generate.ts'

test('the generated files match openapi.json and the list of errors', () => {
  for (const [name, text] of Object.entries(generate(DESCRIPTION))) {
    const renew = `${name}: renew it with npm run generate -w client`
    assert.equal(readFileSync(new URL(name, SOURCES), 'utf8'), text, renew)
  }
})

test('an OpenAPI description that the generator does not support is rejected', () => {
  const { '/pets': pets, ...paths } = DESCRIPTION.paths
  const mixed = { ...pets?.post, parameters: pets?.get?.parameters } as (typeof pets & object)['post']
  const { components } = DESCRIPTION

  assert.throws(
    () =>
      generate({ components, paths: { ...paths, '/pets': { post: mixed as NonNullable<typeof mixed> } } }),
    new Error('createPet: body and query'),
  )
})
