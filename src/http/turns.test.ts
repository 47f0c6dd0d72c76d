import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serializeInTurns, serializerCompiler } from './serialize.ts'
import { mapInTurns } from './turns.ts'

/** Occupies the event loop. */
function work(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

test('mapInTurns keeps the order, and lets other work run between long steps', async () => {
  const steps: unknown[] = []
  const other = () => void steps.push('other')
  const mapped = await mapInTurns([1, 2, 3], (item) => {
    steps.push(item)
    setImmediate(other)
    work(5)
    return item * 2
  })
  assert.deepEqual(mapped, [2, 4, 6])
  assert.deepEqual(steps, [1, 'other', 2, 'other', 3])
})

test('many tasks at once do not make a turn of the event loop longer than one task does', async () => {
  const stepsPerTurn = [0]
  const isOver = new AbortController()
  const countTurns = async (): Promise<void> => {
    for (; !isOver.signal.aborted; stepsPerTurn.push(0)) await new Promise(setImmediate)
  }
  const counting = countTurns()
  const step = (): void => {
    stepsPerTurn.push((stepsPerTurn.pop() ?? 0) + 1)
    work(2)
  }
  await Promise.all(Array.from({ length: 20 }, () => mapInTurns([1, 2, 3], step)))
  isOver.abort()
  await counting
  // The first turn has a step of each task, because they all begin in it.
  assert.ok(Math.max(...stepsPerTurn.slice(1)) <= 3, String(stepsPerTurn))
})

test('serializeInTurns returns the same text as the serializer of the whole list', async () => {
  const item = { type: 'object', properties: { id: { type: 'integer' }, text: { type: 'string' } } }
  const serialize = serializerCompiler({ schema: { type: 'array', items: item } } as never)
  for (const list of [[], [{ id: 1, text: 'é "x"\n' }], [{ text: 'a', hidden: 1 }, { id: 2 }]])
    assert.equal(String(await serializeInTurns(list, item)), serialize(list))
})
