import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendTogether } from './send-together.ts'

const endOfTurn = () => new Promise(setImmediate)

test('answers of one turn of the event loop go out at its end, in their order', async () => {
  const send = sendTogether()
  const sent: string[] = []
  send(() => sent.push('first'))
  await Promise.resolve()
  send(() => sent.push('second'))
  assert.equal(sent.length, 0)
  await endOfTurn()
  assert.deepEqual(sent, ['first', 'second'])

  send(() => sent.push('of the next turn'))
  await endOfTurn()
  assert.equal(sent.at(-1), 'of the next turn')
})

test('an answer waits for no more than 31 others', async () => {
  const send = sendTogether()
  let sent = 0
  const count = (): void => {
    sent += 1
  }
  for (let answer = 0; answer < 31; answer += 1) send(count)
  assert.equal(sent, 0)
  send(count)
  assert.equal(sent, 32)
  send(count)
  assert.equal(sent, 32)
  await endOfTurn()
  assert.equal(sent, 33)
})
