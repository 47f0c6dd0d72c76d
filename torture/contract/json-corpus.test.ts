import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { type TestContext, test } from 'node:test'
import { parseJson } from '../../src/http/json-body.ts'
import type { Answer } from '../../src/testing/client.ts'
import { startApp, UNLIMITED } from '../../src/testing/start-app.ts'
import { each } from '../lab/parallel.ts'
import { randomOf, reached, rounds, seed } from '../lab/rounds.ts'
import { NO_UTF8, OPEN, RIGHT, WRONG } from './json-corpus-texts.ts'

const MUTANTS = rounds(20_000)
const AT_ONCE = 16

type Body = string | Buffer

/** A service that counts what it was made to store. */
async function startCounting(t: TestContext) {
  const { get, post } = await startApp(t, { key: UNLIMITED })
  let created = 0

  async function create(body: Body): Promise<Answer> {
    const answer = await post('/v1/pets', body)
    if (answer.status === 201) created += 1
    return answer
  }

  /** Each of the bodies, several at a time. */
  const all = <Case>(cases: Iterable<Case>, check: (one: Case) => Promise<void>) =>
    each(cases, AT_ONCE, check)

  /** Nothing is in the store but what was answered with a 201. */
  async function assertStored(): Promise<void> {
    const { overall } = (await get('/v1/inventory')).body
    assert.equal(overall.available + overall.unlisted + overall.pending + overall.sold, created)
  }
  return { create, all, assertStored }
}

/** The code of an answer, and of its first detail. */
function outcomeOf({ status, body }: Answer): string {
  if (status === 201) return 'created'
  const { code, details } = body
  return details ? `${code} ${details[0].code}` : code
}

const inBody = (text: string): string => `{"name":"Rex","categoryId":1,"extra":${text}}`

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

test('whatever is JSON is read as JSON.parse reads it, as a whole body and within one', async (t) => {
  const { create, all, assertStored } = await startCounting(t)
  const names = RIGHT.filter((text) => /^"[^\p{Cc}]*"$/u.test(text) && JSON.parse(text).trim() !== '')
  await all(new Set(RIGHT), async (text) => {
    // As text, in which there is no negative zero, as there is none in an int64.
    assert.equal(JSON.stringify(parseJson(Buffer.from(text))), JSON.stringify(JSON.parse(text)), text)
    const expected = text.trim().startsWith('{') ? 'missing' : 'invalid_type'
    assert.equal(outcomeOf(await create(text)), `validation_failed ${expected}`, text)
    assert.equal(outcomeOf(await create(inBody(text))), 'created', text)
  })
  await all(new Set(names), async (text) => {
    if (/[\p{Cc}\p{Cs}]/u.test(JSON.parse(text))) return
    const { status, body } = await create(`{"categoryId":1,"name":${text}}`)
    assert.deepEqual([status, body.name], [201, JSON.parse(text)], text)
  })
  await assertStored()
  reached(t, `${new Set(RIGHT).size} texts of JSON read as JSON.parse reads them`)
})

test('whatever is no JSON answers 400 and stores nothing, as a whole body and within one', async (t) => {
  const { create, all, assertStored } = await startCounting(t)
  const bodies = new Set(
    WRONG.flatMap((text) => [text, `[${text}]`, inBody(text)]).filter((text) => !isJson(text)),
  )
  assert.deepEqual(WRONG.filter(isJson), [], 'texts that are JSON after all')
  await all(bodies, async (body) => assert.equal(outcomeOf(await create(body)), 'invalid_json', body))

  const [start, end] = inBody('"\0"').split('\0') as [string, string]
  await all(NO_UTF8, async (bytes) => {
    for (const body of [Buffer.from(bytes), Buffer.from([0x22, ...bytes, 0x22])]) {
      assert.equal(outcomeOf(await create(body)), 'invalid_json', String(bytes))
    }
    const body = Buffer.concat([Buffer.from(start), Buffer.from(bytes), Buffer.from(end)])
    assert.equal(outcomeOf(await create(body)), 'invalid_json', String(bytes))
  })
  for (const encoding of ['utf16le', 'latin1'] as const) {
    assert.equal(outcomeOf(await create(Buffer.from(inBody('"é"'), encoding))), 'invalid_json', encoding)
  }
  await assertStored()
  reached(t, `${bodies.size + 3 * NO_UTF8.length} bodies that are no JSON refused, none stored`)
})

test('what the grammar leaves open comes to what is written down here', async (t) => {
  const { create, all, assertStored } = await startCounting(t)
  await all(OPEN, async ([why, body, outcome]) => {
    assert.equal(outcomeOf(await create(body)), outcome, `${why}: ${body.slice(0, 200)}`)
  })
  await assertStored()
  reached(t, `${OPEN.length} bodies on which parsers disagree, as written down`)
})

test(`${MUTANTS} bodies with a few wrong bytes are taken only where they are JSON`, async (t) => {
  const { create, all, assertStored } = await startCounting(t)
  const random = randomOf()
  const pieces = [...'{}[],:"\\/-+.eE01nultrfas \n\t\0é', '\\u', '\\ud83d', '"name"', '__proto__', '\ufeff']
  let read = 0

  function mutant(): Buffer {
    let bytes = Buffer.from(`{"name":"Rex","categoryId":1,"extra":${random.pick(RIGHT)}}`)
    for (let count = random.whole(1, 3); count > 0; count -= 1) {
      const place = random.whole(0, bytes.length)
      const instead = random.often(0.3) ? Buffer.of(random.whole(0, 255)) : Buffer.from(random.pick(pieces))
      const rest = bytes.subarray(place + random.whole(0, 2))
      bytes = Buffer.concat([bytes.subarray(0, place), ...(random.often(0.7) ? [instead] : []), rest])
    }
    return bytes
  }
  await all(Array(MUTANTS).keys(), async (number) => {
    const body = mutant()
    const outcome = outcomeOf(await create(body))
    const about = `seed ${seed}, body ${number}: ${body.toString('base64')} ${body}`
    const right = isUtf8(body) && isJson(String(body))
    if (right) read += 1
    if (!right) assert.equal(outcome, 'invalid_json', about)
    // The only JSON that is called none names a member twice.
    else if (outcome === 'invalid_json') assert.match(String(body), /("[^"]*"\s*):.*\1\s*:/s, about)
  })
  await assertStored()
  reached(t, `${MUTANTS} bodies, ${read} of them JSON: no other was taken`)
})
