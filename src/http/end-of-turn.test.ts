import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atEndOfTurn } from './respond.ts'

/** Occupies the event loop. */
function work(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

const turnEnds = () => new Promise((resolve) => setImmediate(resolve))

test('atEndOfTurn sends the responses of one turn at its end, in order', async () => {
  const sent: number[] = []
  for (const answer of [1, 2, 3]) atEndOfTurn(() => sent.push(answer))
  assert.deepEqual(sent, [])
  await turnEnds()
  assert.deepEqual(sent, [1, 2, 3])
})

test('atEndOfTurn lets at most 32 responses wait for each other', async () => {
  const sent: number[] = []
  for (let answer = 1; answer <= 33; answer++) atEndOfTurn(() => sent.push(answer))
  assert.equal(sent.length, 32)
  await turnEnds()
  assert.equal(sent.length, 33)
})

test('atEndOfTurn sends long responses in several turns', async () => {
  let turns = 0
  let [sent, isDone] = [0, false]
  const countTurns = async () => {
    for (; !isDone; turns += 1) await turnEnds()
  }
  const counting = countTurns()
  await new Promise<void>((resolve) => {
    const sendSlowly = () => {
      work(5)
      sent += 1
      if (sent === 4) resolve()
    }
    for (let answer = 1; answer <= 4; answer += 1) atEndOfTurn(sendSlowly, 100_000)
  })
  isDone = true
  await counting
  assert.ok(turns >= 3, String(turns))
})
