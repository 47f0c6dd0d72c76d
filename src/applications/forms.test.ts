import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Question } from '../organizations/schema.ts'
import { startApp, UNLIMITED } from '../testing/start-app.ts'
import { readApplication, toAnswers, validateAnswers } from './forms.ts'

const QUESTIONS: Question[] = [
  { id: 'home', text: 'Who is at home?', kind: 'text', required: true },
  { id: 'garden', text: 'Is there a garden?', kind: 'yesNo', required: false },
  {
    id: 'area',
    text: 'Where do you live?',
    kind: 'choice',
    options: ['A town', 'The country'],
    required: true,
  },
]

test('validateAnswers returns the question and a code for each problem', () => {
  const codesOf = (given: Record<string, string>) =>
    validateAnswers(QUESTIONS, given).map(({ id, code }) => `${id} ${code}`)
  const good = { home: 'I am.', area: 'A town' }
  assert.deepEqual(codesOf(good), [])
  assert.deepEqual(codesOf({ ...good, garden: 'no', unknown: 'x' }), [])
  assert.deepEqual(codesOf({}), ['home missing', 'area missing'])
  assert.deepEqual(codesOf({ home: ' \r\n', area: '' }), ['home missing', 'area missing'])
  assert.deepEqual(codesOf({ ...good, garden: 'perhaps', area: 'The sea' }), [
    'garden invalid_value',
    'area invalid_value',
  ])
  assert.deepEqual(codesOf({ ...good, home: 'x'.repeat(2_001) }), ['home too_long'])
  assert.deepEqual(codesOf({ ...good, home: '🐕'.repeat(2_000) }), [])
  assert.deepEqual(codesOf({ ...good, home: 'a\u0000' }), ['home invalid_value'])
  assert.deepEqual(
    validateAnswers([{ ...QUESTIONS[0], id: 'constructor' } as Question], {})[0]?.code,
    'missing',
  )
  for (const { message } of validateAnswers(QUESTIONS, {})) assert.match(message, /\.$/)
})

test('toAnswers pairs answers with the texts of their questions and leaves out empty answers', () => {
  assert.deepEqual(toAnswers(QUESTIONS, { home: ' I am.\r\nAlways. ', garden: '', area: 'A town' }), [
    { question: 'Who is at home?', answer: 'I am.\nAlways.' },
    { question: 'Where do you live?', answer: 'A town' },
  ])
  assert.equal(toAnswers(QUESTIONS, {}), undefined)
})

test('readApplication validates an application with the schema of the API', () => {
  const applicant = { name: 'Ada', email: 'ada@example.org' }
  assert.deepEqual(readApplication({ petId: 1, applicant, more: 1 }), {
    application: { petId: 1, applicant },
  })
  const read = readApplication({ petId: 1, applicant: { name: '', email: 'ada' } })
  assert.deepEqual('problems' in read && read.problems.map(({ pointer }) => pointer), [
    '/applicant/name',
    '/applicant/email',
  ])
})

test('applicationQuestions of an organization are public, and stay until a PATCH removes them', async (t) => {
  const { get, post, patch } = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  const more = QUESTIONS.map((question) => ({ ...question, secret: 'Unexpected.' }))
  const made = await post('/v1/organizations', { name: 'A', applicationQuestions: more })
  assert.deepEqual([made.status, made.body.applicationQuestions], [201, QUESTIONS])
  assert.deepEqual((await get('/v1/organizations/1')).body.applicationQuestions, QUESTIONS)
  const [first] = QUESTIONS
  assert.deepEqual(
    (await patch('/v1/organizations/1', { applicationQuestions: [first] })).body.applicationQuestions,
    [first],
  )
  assert.deepEqual((await patch('/v1/organizations/1', { phone: '1' })).body.applicationQuestions, [first])
  for (const none of [null, []]) {
    await patch('/v1/organizations/1', { applicationQuestions: [first] })
    const { body } = await patch('/v1/organizations/1', { applicationQuestions: none })
    assert.equal(body.applicationQuestions, undefined)
  }
})

test('POST /v1/organizations with invalid applicationQuestions: 400 that names the invalid questions', async (t) => {
  const { get, post } = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  const text = { id: 'a', text: 'Why?', kind: 'text', required: true }
  const choice = { ...text, kind: 'choice', options: ['one', 'two'] }
  for (const [applicationQuestions, ...pointers] of [
    ['x', ''],
    [[{}], '/0/id', '/0/text', '/0/kind', '/0/required'],
    [[{ ...text, id: 'A b' }], '/0/id'],
    [[{ ...text, text: 'a\nb' }], '/0/text'],
    [[{ ...text, text: 'x'.repeat(501) }], '/0/text'],
    [[{ ...text, kind: 'number' }], '/0/kind'],
    [[{ ...text, required: 'yes' }], '/0/required'],
    [[text, { ...text, text: 'How?' }], '/1/id'],
    [[{ ...choice, options: undefined }], '/0/options'],
    [[{ ...choice, options: ['one'] }], '/0/options'],
    [[{ ...choice, options: ['one', 'one'] }], '/0/options'],
    [[{ ...choice, kind: 'yesNo' }], '/0/options'],
    [Array.from({ length: 31 }, (_, index) => ({ ...text, id: `q${index}` })), ''],
  ] as const) {
    const { status, body } = await post('/v1/organizations', { name: 'A', applicationQuestions })
    const actual = body.details.map(({ pointer }: { pointer: string }) => pointer)
    const expected = pointers.map((pointer) => `/applicationQuestions${pointer}`)
    assert.deepEqual(
      [status, actual.toSorted()],
      [400, expected.toSorted()],
      JSON.stringify(applicationQuestions),
    )
  }
  assert.deepEqual((await get('/v1/organizations')).body, [])
})
