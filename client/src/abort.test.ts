import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { AdoptableClient } from './client.ts'
import { startFront } from './testing/front.ts'
import { answered, limited, startClient } from './testing/start-client.ts'

const REASON = new Error('changed my mind')

test('a call with an aborted signal sends nothing', async (t) => {
  const { app, client } = await startClient(t)

  await assert.rejects(client.listPets({}, { signal: AbortSignal.abort(REASON) }), REASON)
  await assert.rejects(client.pets({}, { signal: AbortSignal.abort(REASON) }).next(), REASON)
  assert.equal(answered(app, 200), 0)
})

test('the signal of the client and the signal of a call both abort a call, without AbortSignal.any', async (t) => {
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

test('an abort during a request rejects its call and the calls queued after it', async (t) => {
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

test('an abort during a DELETE rejects with the reason of the signal', async (t) => {
  const { proxy, client } = await startClient(t)
  proxy.mode = 'stall'
  const controller = new AbortController()
  const call = client.deletePet({ petId: 1 }, { signal: controller.signal })

  setImmediate(() => controller.abort(REASON))

  await assert.rejects(call, REASON)
})

test('an abort of calls that wait for the rate limit rejects them, and a call after them still succeeds', async (t) => {
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

test('the default sleep ends when the signal aborts or the time has passed', async (t) => {
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

test('an abort ends an iteration in the middle of a page; a new iteration starts at the first page', async (t) => {
  const { app, client, settings } = await startClient(t)
  for (const name of ['A', 'B', 'C']) await client.createPet({ name, categoryId: 1 })
  for (const whose of ['client', 'call']) {
    const controller = new AbortController()
    const { signal } = controller
    const animals =
      whose === 'client'
        ? new AdoptableClient({ ...settings, signal }).pets({ limit: 2 })
        : client.pets({ limit: 2 }, { signal })
    assert.equal((await animals.next()).value?.name, 'C')

    controller.abort(REASON)

    await assert.rejects(animals.next(), REASON)
    assert.deepEqual(await animals.next(), { done: true, value: undefined })
  }
  assert.equal(answered(app, 200), 2)

  const names: string[] = []
  for await (const { name } of client.pets({ limit: 2 })) names.push(name)
  assert.deepEqual(names, ['C', 'B', 'A'])
})

test('after all calls are aborted, the program can exit', async (t) => {
  const { app, proxy } = await startClient(t)
  const front = await startFront(t, app.port)
  front.replies = Array.from({ length: 20 }, () => ({ status: 429, headers: { 'retry-after': '50' } }))
  proxy.mode = 'stall'
  const program = `
    import { AdoptableClient } from '${new URL('client.ts', import.meta.url)}'
    const settings = { key: '${app.key}', signal: AbortSignal.timeout(300) }
    for (const baseUrl of ['${front.baseUrl}', 'http://127.0.0.1:${proxy.port}/v1']) {
      const client = new AdoptableClient({ ...settings, baseUrl })
      for (let count = 0; count < 20; count += 1) {
        client.pets().next().catch(({ name }) => process.stdout.write(name === 'TimeoutError' ? 'x' : name))
      }
    }
    setTimeout(() => process.exit(1), 20_000).unref()`

  const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program])

  assert.equal((await run).stdout, 'x'.repeat(40))
})
