import assert from 'node:assert/strict'
import net from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Answer, assertError, readAnswers } from '../src/testing/client.ts'
import { spawnCli } from '../src/testing/process.ts'
import { makeKey, scratchFolder, UNLIMITED } from '../src/testing/start-app.ts'
import { readAll } from './creators.ts'
import { needs, randomOf, reached, rounds } from './given.ts'
import { type Case, MARKER, makeCase, OUTER, plainRequest } from './smuggling-cases.ts'
import { FRONTS } from './smuggling-fronts.ts'

const CASES = rounds(2_000)
const AT_ONCE = 16
/** A service that is silent for so long waits for more of the request. */
const SILENT_MS = 400
/** Longer than any answer takes, and than a connection may be there after its last one. */
const PATIENCE_MS = 20_000
const REFUSALS = [400, 413, 414, 431]

/** The service with a log; `stop` gives the ids of all requests that it saw. */
async function startService(t: TestContext) {
  const DATABASE_URL = `sqlite:${join(scratchFolder(t), 'adoptable.db')}`
  const key = await makeKey(DATABASE_URL, UNLIMITED)
  const limits = { ANONYMOUS_PER_MINUTE: '1000000', ANONYMOUS_PER_DAY: '1000000' }
  const { child, serving, exited } = spawnCli(t, ['serve'], { DATABASE_URL, PORT: '0', ...limits })
  const address = await serving
  return {
    key,
    address,
    port: Number(new URL(address).port),
    async stop(): Promise<string[]> {
      child.kill('SIGTERM')
      const { stderr } = await exited
      return [...stderr.matchAll(/"reqId":"([^"]+)"/g)].map(([, id = '']) => id)
    },
  }
}

/**
 * Sends bytes and returns all that comes until the other side closes; it ends the sending side itself only
 * when it hears nothing for a while, and not after an answer that announces the end.
 */
function exchange(port: number, bytes: string, about: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => {
      socket.write(bytes, 'latin1')
    })
    const patience = setTimeout(() => socket.destroy(new Error(`${about}: not closed: ${text}`)), PATIENCE_MS)
    socket.setTimeout(SILENT_MS, () => {
      if (!/^connection: close\r$/im.test(text)) socket.end()
    })
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('end', () => socket.end())
    // A front may reset a connection with unread bytes, after its answer.
    socket.on('error', (error) => (text === '' && 'code' in error ? resolve(text) : reject(error)))
    socket.on('close', () => {
      clearTimeout(patience)
      resolve(text)
    })
  })
}

/** All cases, a few at once. */
async function sendAll(port: number, key: string, check: (sent: Case, text: string) => void): Promise<void> {
  const random = randomOf()
  const cases = Array.from({ length: CASES }, (_, number) => makeCase(random, number, key)).values()
  const worker = async (): Promise<void> => {
    for (const sent of cases) check(sent, await exchange(port, sent.bytes, sent.about))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
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

test(`${CASES} requests of doubtful length: each is seen once or refused, and nothing in it is carried out`, async (t) => {
  const { port, key, address, stop } = await startService(t)
  let added = 0
  let refused = 0
  await sendAll(port, key, (sent, text) => {
    const answers = readAnswers(text)
    assertAnswered(sent, answers)
    added += answers.filter(({ status }) => status === 201).length
    if (answers[0]?.headers.connection === 'close' && answers[0].status >= 400) refused += 1
  })

  const names = (await readAll(address, key)).map(({ name }) => name)
  assert.deepEqual(
    names.filter((name) => !name.startsWith(OUTER)),
    [],
  )
  assert.equal(new Set(names).size, names.length)
  assert.equal(names.length, added)
  assert.deepEqual(
    (await stop()).filter((id) => id.startsWith(MARKER)),
    [],
  )
  reached(t, `${CASES} cases: ${refused} refused and closed, ${added} animals added, 0 smuggled`)
})

test('a marker that does arrive as a request of its own is noticed', async (t) => {
  const { port, key, address, stop } = await startService(t)
  await exchange(port, plainRequest(`${OUTER}-0`, key) + plainRequest(`${MARKER}-0`, key), 'two requests')

  const names = (await readAll(address, key)).map(({ name }) => name)
  assert.deepEqual(names, [`${MARKER}-0`, `${OUTER}-0`])
  assert.ok((await stop()).includes(`${MARKER}-0`))
})

for (const { program, start } of FRONTS) {
  test(`${CASES} requests of doubtful length behind ${program}: the service sees those that ${program} saw`, {
    ...needs(program),
  }, async (t) => {
    const { port, key, address, stop } = await startService(t)
    const front = await start(t, port)
    let answered = 0
    await sendAll(front, key, (sent, text) => {
      assert.doesNotMatch(text, /^HTTP\/1.1 50[023]/m, sent.about)
      if (text !== '') answered += 1
    })
    const plain = await exchange(front, plainRequest('plain', key), 'a plain request')
    assert.match(plain, /^HTTP\/1.1 201/)

    const names = (await readAll(address, key)).map(({ name }) => name)
    assert.equal(new Set(names).size, names.length)
    const ids = await stop()
    // Whatever the front took for a request has an id of the front's own.
    assert.deepEqual(
      ids.filter((id) => id.startsWith(MARKER) || id.startsWith(OUTER)),
      [],
    )
    assert.equal(new Set(ids).size, ids.length)
    reached(t, `${answered} of ${CASES} cases answered, ${ids.length} requests passed on, 0 smuggled`)
  })
}
