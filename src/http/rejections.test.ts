import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Answer } from '../testing/client.ts'
import { sendForm } from '../testing/console.ts'
import { startApp, UNLIMITED } from '../testing/start-app.ts'

const MAX_BYTES = 16_384
const MAX_DETAILS = 20

interface Schema {
  $ref?: string
  properties?: Record<string, { items?: object }>
}
interface Operation {
  requestBody?: { content: Record<string, { schema: Schema }> }
}

const { paths, components } = JSON.parse(readFileSync('openapi.json', 'utf8'))

/** Finds every list in the request body of an operation. */
const LISTS = Object.entries<Record<string, Operation>>(paths).flatMap(([path, operations]) =>
  Object.entries(operations).flatMap(([method, { requestBody }]) =>
    Object.entries(requestBody?.content ?? {}).flatMap(([type, { schema }]) => {
      const { properties = {} }: Schema = components.schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema
      const lists = Object.keys(properties).filter((member) => properties[member]?.items)
      return lists.map((member) => ({ method: method.toUpperCase(), path, type, member }))
    }),
  ),
)

const ITEMS = [1, {}, [], null, 'x'.repeat(500), { question: [1], answer: 1 }]

function assertShort({ status, body }: Answer, about: string): void {
  assert.equal(status, 400, about)
  assert.ok(body.details.length <= MAX_DETAILS, about)
  assert.ok(Buffer.byteLength(JSON.stringify(body)) <= MAX_BYTES, about)
}

test('a list that is too long, in every request body, is one problem, whatever its items are', async (t) => {
  const { request } = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  assert.ok(LISTS.length >= 8)
  for (const { method, path, type, member } of LISTS) {
    for (const item of ITEMS) {
      const count = Math.floor(60_000 / (JSON.stringify(item).length + 1))
      const body = { [member]: Array.from({ length: count }, () => item) }
      const headers = { 'content-type': type }
      const answer = await request(`/v1${path.replaceAll(/\{\w+\}/g, '1')}`, { method, body, headers })
      const about = `${method} ${path} ${member} ${JSON.stringify(item).slice(0, 20)}`
      assertShort(answer, about)
      const problems = answer.body.details.filter(({ pointer = '' }) => pointer.startsWith(`/${member}`))
      assert.deepEqual(
        problems.map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code]),
        [[`/${member}`, 'out_of_range']],
        about,
      )
    }
  }
})

test('at most 20 problems are listed, and the message has the number of all problems', async (t) => {
  const { get, post } = await startApp(t)
  const body = { tags: Array.from({ length: 20 }, () => 1), colors: [1, 2, 3] }
  const refused = await post('/v1/pets', body)
  assertShort(refused, 'body')
  assert.match(refused.body.message, /first 20 of 25 problems/)

  const names = Array.from({ length: 900 }, (_, index) => `n${index}`).join('&')
  for (const query of [names, `${'%01'.repeat(800)}=1&${'%02'.repeat(800)}=2`]) {
    assertShort(await get(`/v1/pets?${query}`, { prefer: 'handling=strict' }), 'query')
  }
})

test('a form with more than 1,000 fields gets 400', async (t) => {
  const app = await startApp(t)
  const path = '/animals/1/apply'
  const fields = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, '']))
  assert.equal((await sendForm(app, path, fields(1_000))).status, 404)
  const { status, text } = await sendForm(app, path, fields(1_001))
  assert.equal(status, 400)
  assert.match(text, /1,?000 fields/)
})
