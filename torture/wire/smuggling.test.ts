import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { assertError } from '../../src/testing/client.ts'
import { readAll } from '../lab/creators.ts'
import { each, times } from '../lab/parallel.ts'
import { needs, randomOf, reached, rounds } from '../lab/rounds.ts'
import { ANYBODY, type Service, startService } from '../lab/service.ts'
import { type Answer, exchange, readAnswers } from '../lab/wire.ts'
import { type Case, MARKER, makeCase, OUTER, plainRequest } from './smuggling-cases.ts'
import { FRONTS } from './smuggling-fronts.ts'

const CASES = rounds(2_000)
const AT_ONCE = 16
/** A service that is silent for so long waits for more of the request. */
const SILENT_MS = 400
/** Longer than any answer takes, and than a connection may be there after its last one. */
const PATIENCE_MS = 20_000
const REFUSALS = [400, 413, 414, 431]

const startLogging = (t: TestContext) => startService(t, { settings: { ...ANYBODY, LOG_LEVEL: 'info' } })

/** @returns the ids of all requests that it saw */
async function stop(service: Service): Promise<string[]> {
  const { stderr } = await service.end('SIGTERM')
  return [...stderr.matchAll(/"reqId":"([^"]+)"/g)].map(([, id = '']) => id)
}

const namesIn = async (service: Service) => (await readAll(service)).map(({ name }) => name)

/** A front may reset a connection with unread bytes, and says nothing then. */
const send = (port: number, bytes: string): Promise<Buffer> =>
  exchange(port, bytes, {
    ...{ endAfterMs: SILENT_MS, patienceMs: PATIENCE_MS },
    mayReset: (came) => came.length === 0,
  })

/** All cases, a few at once. */
async function sendAll(port: number, key: string, check: (sent: Case, came: Buffer) => void): Promise<void> {
  const random = randomOf()
  const cases = times(CASES, (number) => makeCase(random, number, key))
  await each(cases, AT_ONCE, async (sent) => {
    const came = await send(port, sent.bytes).catch((error) => assert.fail(`${sent.about}: ${error}`))
    check(sent, came)
  })
}

function assertAnswered({ about, verdict }: Case, answers: Answer[]): void {
  const [first] = answers
  assert.ok(first, `${about}: no answer`)
  for (const answer of answers) {
    if (answer.status >= 400) assertError(answer, answer.status, answer.body.code, about)
    assert.ok(answer.status < 500, `${about}: ${answer.text}`)
  }
  if (verdict === 'served') assert.ok(first.status < 300, `${about}: ${first.text}`)
  if (verdict !== 'refused') return
  assert.ok(REFUSALS.includes(first.status), `${about}: ${first.text}`)
  assert.equal(first.headers.connection, 'close', about)
  assert.equal(answers.length, 1, `${about}: answered again after the refusal`)
}

const DOUBTFUL = `${CASES} requests of doubtful length`
test(`${DOUBTFUL}: each is seen once or refused, and nothing in it is carried out`, async (t) => {
  const service = await startLogging(t)
  let added = 0
  let refused = 0
  await sendAll(service.port, service.key, (sent, came) => {
    const answers = readAnswers(came)
    assertAnswered(sent, answers)
    added += answers.filter(({ status }) => status === 201).length
    if (answers[0]?.headers.connection === 'close' && answers[0].status >= 400) refused += 1
  })

  const names = await namesIn(service)
  const strange = names.filter((name) => !name.startsWith(OUTER))
  assert.deepEqual(strange, [])
  assert.equal(new Set(names).size, names.length)
  assert.equal(names.length, added)
  const smuggled = (await stop(service)).filter((id) => id.startsWith(MARKER))
  assert.deepEqual(smuggled, [])
  reached(t, `${CASES} cases: ${refused} refused and closed, ${added} animals added, 0 smuggled`)
})

test('control: a marker that does arrive as a request of its own is noticed', async (t) => {
  const service = await startLogging(t)
  const { port, key } = service
  await send(port, plainRequest(`${OUTER}-0`, key) + plainRequest(`${MARKER}-0`, key))

  assert.deepEqual(await namesIn(service), [`${MARKER}-0`, `${OUTER}-0`])
  assert.ok((await stop(service)).includes(`${MARKER}-0`))
})

for (const { program, start } of FRONTS) {
  const title = `${DOUBTFUL} behind ${program}: the service sees those that ${program} saw`
  test(title, needs(program), async (t) => {
    const service = await startLogging(t)
    const front = await start(t, service.port)
    let answered = 0
    await sendAll(front, service.key, (sent, came) => {
      assert.doesNotMatch(came.toString('latin1'), /^HTTP\/1.1 50[023]/m, sent.about)
      if (came.length > 0) answered += 1
    })
    const plain = await send(front, plainRequest('plain', service.key))
    assert.match(plain.toString('latin1'), /^HTTP\/1.1 201/)

    const names = await namesIn(service)
    assert.equal(new Set(names).size, names.length)
    const ids = await stop(service)
    // Whatever the front took for a request has an id of the front's own.
    const smuggled = ids.filter((id) => id.startsWith(MARKER) || id.startsWith(OUTER))
    assert.deepEqual(smuggled, [])
    assert.equal(new Set(ids).size, ids.length)
    reached(t, `${answered} of ${CASES} cases answered, ${ids.length} requests passed on, 0 smuggled`)
  })
}
