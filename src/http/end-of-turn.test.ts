import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atEndOfTurn } from './end-of-turn.ts'

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
