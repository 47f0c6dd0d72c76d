import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { AdoptableClient } from './client.ts'
import { answered, limited, startClient } from './testing/start-client.ts'

const REASON = new Error('changed my mind')

test('aborted before it begins, a call sends nothing', async (t) => {
  const { app, client } = await startClient(t)

  await assert.rejects(client.listPets({}, { signal: AbortSignal.abort(REASON) }), REASON)
  await assert.rejects(client.pets({}, { signal: AbortSignal.abort(REASON) }).next(), REASON)
  assert.equal(answered(app, 200), 0)
})

test('the signals of the client and of the call both end it, without what Node has only since 20.3', async (t) => {
  const { app, settings } = await startClient(t)
  t.mock.method(AbortSignal, 'any', () => {
    throw new TypeError('AbortSignal.any is not a function')
  })
  const other = new AbortController().signal

  for (const [all, one] of [
    [AbortSignal.abort(REASON), other],
    [other, AbortSignal.abort(REASON)],
  ]) {
    const client = new AdoptableClient({ ...settings, signal: all })
    await assert.rejects(client.listPets({}, { signal: one }), REASON)
  }
  const client = new AdoptableClient({ ...settings, signal: other })
  await client.listPets({}, { signal: other })

  assert.equal(answered(app, 200), 1)
  assert.deepEqual(getEventListeners(other, 'abort'), [])
})

test('aborted while it waits for an answer, a call ends, and so do those that wait for their turn', async (t) => {
  const { proxy, settings } = await startClient(t)
  proxy.mode = 'stall'
  const all = new AbortController()
  const client = new AdoptableClient({ ...settings, signal: all.signal })
  const one = new AbortController()
  const calls = Array.from({ length: 40 }, (_, at) =>
    client.listPets({}, at >= 20 ? { signal: one.signal } : {}),
  )
  const ends = Promise.allSettled(calls)

  one.abort(REASON)
  await assert.rejects(calls[39] as Promise<unknown>, REASON)
  all.abort(REASON)

  assert.deepEqual(
    (await ends).map((end) => end.status === 'rejected' && end.reason),
    calls.map(() => REASON),
  )
})

test('aborted while it waits for an answer, a call that is not sent again rejects with the reason too', async (t) => {
  const { proxy, client } = await startClient(t)
  proxy.mode = 'stall'
  const controller = new AbortController()
  const call = client.deletePet({ petId: 1 }, { signal: controller.signal })

  setImmediate(() => controller.abort(REASON))

  await assert.rejects(call, REASON)
})

test('aborted while it waits for the limit, a call ends, and leaves its turn to the next', async (t) => {
  const { app, settings, waits } = await startClient(t, { key: limited(1) })
  const controller = new AbortController()
  const sleep = async (milliseconds: number, signal?: AbortSignal) => {
    controller.abort(REASON)
    await settings.sleep?.(milliseconds, signal)
  }
  const client = new AdoptableClient({ ...settings, sleep })
  await client.listPets()

  const calls = Array.from({ length: 40 }, (_, at) =>
    client.listPets({}, at < 39 ? { signal: controller.signal } : {}),
  )
  const ends = await Promise.allSettled(calls)

  assert.deepEqual(
    new Set(ends.slice(0, 39).map((end) => end.status === 'rejected' && end.reason)),
    new Set([REASON]),
  )
  assert.equal(ends[39]?.status, 'fulfilled')
  assert.ok(waits.every((wait) => wait === 60_250))
  assert.ok(answered(app, 429) >= 1)
})

test('the wait of the machine ends with the signal, and otherwise by itself', async (t) => {
  const { proxy, settings } = await startClient(t)
  const { clock: _, sleep: __, ...real } = settings
  let lost = 0
  proxy.onSend = () => ++lost === 1
  const client = new AdoptableClient({ ...real, random: () => 0.01 })
  await client.listPets()
  assert.equal(lost, 2)

  proxy.cut()
  const slow = new AdoptableClient({ ...real, random: () => 0.999 })
  const controller = new AbortController()
  const call = slow.listPets({}, { signal: controller.signal })
  setImmediate(() => controller.abort(REASON))
  await assert.rejects(call, REASON)
})
