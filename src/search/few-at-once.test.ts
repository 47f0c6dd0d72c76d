import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../errors.ts'
import { fewAtOnce } from './few-at-once.ts'

test('so many run at once, and who came first goes first', async () => {
  const inTurn = fewAtOnce(2)
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const run = (name: string): Promise<string> =>
    inTurn(async () => {
      begun.push(name)
      await new Promise<void>((end) => ends.set(name, end))
      return name
    })
  const all = ['a', 'b', 'c', 'd', 'e'].map(run)
  const [a, b, c, d, e] = all
  assert.deepEqual(begun, ['a', 'b'])
  ends.get('b')?.()
  assert.equal(await b, 'b')
  assert.deepEqual(begun, ['a', 'b', 'c'])
  ends.get('c')?.()
  ends.get('a')?.()
  assert.deepEqual(await Promise.all([a, c]), ['a', 'c'])
  assert.deepEqual(begun, ['a', 'b', 'c', 'd', 'e'])
  ends.get('d')?.()
  ends.get('e')?.()
  assert.deepEqual(await Promise.all([d, e]), ['d', 'e'])
})

test('while the store is lost nobody waits for his turn, and then it goes on', async () => {
  const inTurn = fewAtOnce(1)
  const lost = new ApiError('service_unavailable')
  const { promise, reject } = Promise.withResolvers<string>()
  const first = inTurn(() => promise)
  const others = ['b', 'c'].map((name) => inTurn(async () => name))
  reject(lost)
  const settled = await Promise.allSettled([first, ...others])
  assert.deepEqual(
    settled.map((one) => one.status === 'rejected' && one.reason),
    [lost, lost, lost],
  )
  assert.equal(await inTurn(async () => 'd'), 'd')
})

test('what is wrong with one search fails no other', async () => {
  const inTurn = fewAtOnce(1)
  const { promise, reject } = Promise.withResolvers<string>()
  const first = inTurn(() => promise)
  const other = inTurn(async () => 'b')
  reject(new ApiError('invalid_parameter'))
  await assert.rejects(first, { code: 'invalid_parameter' })
  assert.equal(await other, 'b')
})
