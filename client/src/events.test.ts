import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { changes } from '../../src/db/change.ts'
import { type Event, type Pet, verifyWebhook, WebhookError } from './client.ts'
import { startClient, type TestClient } from './testing/start-client.ts'

const REX = { name: 'Rex', categoryId: 1 }
const DAY_MS = 86_400_000

/** A copy of all animals in memory. */
function createCopy() {
  const pets = new Map<number, Pet>()
  const copy = {
    pets,
    reached: '',
    copies: 0,
    /** Called when the mirror has reached an event. */
    onProgress(after: string) {
      copy.reached = after
    },
    onUpsert(changed: Pet[]) {
      for (const pet of changed) pets.set(pet.id, pet)
    },
    onRemove(ids: number[]) {
      for (const id of ids) pets.delete(id)
    },
    onCopied(ids: ReadonlySet<number>) {
      copy.copies += 1
      for (const id of pets.keys()) if (!ids.has(id)) pets.delete(id)
    },
  }
  return copy
}

async function allPets({ client }: TestClient): Promise<Pet[]> {
  const all: Pet[] = []
  for await (const pet of client.pets({ sort: 'id' })) all.push(pet)
  return all
}

const newestId = async ({ app }: TestClient): Promise<string> =>
  /after=(\d+)/.exec(String((await app.get('/v1/events?after=latest')).headers.link))?.[1] ?? ''

/** Mirrors until the copy has reached the newest event. */
async function mirrorToEnd(
  t: TestContext,
  started: TestClient,
  copy: ReturnType<typeof createCopy>,
  after?: string,
): Promise<void> {
  const stop = new AbortController()
  t.after(() => stop.abort())
  const end = await newestId(started)
  const target = {
    ...copy,
    async onProgress(position: string) {
      copy.onProgress(position)
      if (position >= end) stop.abort(new Error('reached the end'))
    },
  }
  await assert.rejects(started.client.mirror({ ...target, after }, { signal: stop.signal }), {
    message: 'reached the end',
  })
}

test('events() yields events oldest first, continues after an id, and waits for new events', async (t) => {
  const { client, waits } = await startClient(t)
  for (let count = 0; count < 3; count += 1) await client.createPet(REX)
  await client.deletePet({ petId: 1 })

  const all: Event[] = []
  for await (const event of client.events()) if (all.push(event) === 4) break
  assert.deepEqual(
    all.map(({ type, data: { petId } }) => [type, petId]),
    [
      ['pet.created', 1],
      ['pet.created', 2],
      ['pet.created', 3],
      ['pet.deleted', 1],
    ],
  )

  const deleted = client.events({ after: all[1]?.id, types: ['pet.deleted'], pollSeconds: 7 })
  assert.deepEqual((await deleted.next()).value, all[3])
  assert.deepEqual(waits, [])
  const next = deleted.next()
  await client.deletePet({ petId: 2 })
  assert.equal((await next).value?.data.petId, 2)
  assert.ok(waits.every((wait) => wait === 7_000))
})

test('the signal ends events() while it waits', async (t) => {
  const { client } = await startClient(t)
  const stop = new AbortController()
  const next = client.events({ after: 'latest' }, { signal: stop.signal }).next()
  stop.abort(new Error('enough'))
  await assert.rejects(next, { message: 'enough' })
})

test('mirror() copies all animals during many changes, and ends with every animal equal', async (t) => {
  const started = await startClient(t)
  const { client } = started
  for (let count = 1; count <= 230; count += 1) await client.createPet({ ...REX, name: `Pet ${count}` })
  const copy = createCopy()
  const stop = new AbortController()
  const mirrored = client.mirror({ ...copy, onProgress: (after) => copy.onProgress(after) }, stop)
  const stopped = assert.rejects(mirrored, { message: 'enough' })

  const change = async (from: number): Promise<void> => {
    for (let petId = from; petId <= 230; petId += 8) {
      if (petId % 3 === 0) await client.deletePet({ petId })
      else await client.updatePet({ petId, status: 'available', name: `New ${petId}` })
      await client.createPet({ ...REX, name: `Late ${petId}` })
    }
  }
  await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(change))
  stop.abort(new Error('enough'))
  await stopped
  await mirrorToEnd(t, started, copy, copy.reached || undefined)

  const all = await allPets(started)
  assert.equal(all.length, 230 - 76 + 230)
  assert.deepEqual(
    [...copy.pets.values()].sort((one, other) => one.id - other.id),
    all,
  )
})

test('mirror() copies all animals again when the log no longer has the next event', async (t) => {
  const started = await startClient(t)
  const { client, app } = started
  for (let count = 0; count < 3; count += 1) await client.createPet(REX)
  const copy = createCopy()
  await mirrorToEnd(t, started, copy)
  const after = copy.reached
  await client.deletePet({ petId: 1 })
  await client.createPet(REX)
  app.clock.now += 40 * DAY_MS
  await app.service.context.write(changes.removeOldEvents, app.clock.now)

  await mirrorToEnd(t, started, copy, after)
  assert.equal(copy.copies, 2)
  assert.deepEqual([...copy.pets.keys()].sort(), [2, 3, 4])
})

const SECRETS = [
  'whsec_b25lIHNlY3JldCBvZiAzMiBieXRlcyBleGFjdGx5ISE=',
  'whsec_YW5vdGhlciBzZWNyZXQgb2YgMzIgYnl0ZXMuLi4uLiE=',
]
const BODY = '{"type":"pet.created","timestamp":"2026-12-01T00:00:00.000Z","data":{"petId":7,"eventId":"é"}}'
const NOW = 1_796_083_200

function sign(secrets: string[], timestamp = NOW, body = BODY): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(6), 'base64')
    return `v1,${createHmac('sha256', key).update(`evt_1.${timestamp}.${body}`).digest('base64')}`
  })
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
}

test('verifyWebhook() accepts a signature of each secret, in every kind of headers and body', async () => {
  const options = { clock: () => NOW * 1_000 }
  const headers = sign(SECRETS)
  for (const secret of SECRETS)
    for (const sent of [headers, new Headers(headers), { 'Webhook-Id': 'evt_1', ...headers }])
      for (const body of [BODY, new TextEncoder().encode(BODY)])
        assert.deepEqual(await verifyWebhook(sent, body, secret, options), {
          ...JSON.parse(BODY),
          id: 'evt_1',
        })
})

test('verifyWebhook() refuses other signatures, changed bodies, missing headers and old requests', async () => {
  const [secret = '', other = ''] = SECRETS
  const verify = (headers: Record<string, string>, body = BODY, own = secret, toleranceSeconds = 300) =>
    verifyWebhook(headers, body, own, { toleranceSeconds, clock: () => NOW * 1_000 })
  const headers = sign([secret])
  const refused = [
    () => verify(headers, BODY, other),
    () => verify(headers, BODY.replace('7', '8')),
    () => verify({ ...headers, 'webhook-id': 'evt_2' }),
    () => verify({ ...headers, 'webhook-timestamp': String(NOW + 1) }),
    () => verify({ ...headers, 'webhook-timestamp': 'now' }),
    () => verify({ ...headers, 'webhook-signature': `v2,${headers['webhook-signature']?.slice(3)}` }),
    () => verify({ ...headers, 'webhook-signature': 'v1,' }),
    () => verify({ ...headers, 'webhook-signature': 'v1,%' }),
    ...Object.keys(headers).map((name) => () => verify({ ...headers, [name]: '' })),
    () => verify(sign([secret], NOW - 301)),
    () => verify(sign([secret], NOW + 301)),
    () => verify(sign([secret], NOW - 11), BODY, secret, 10),
  ]
  for (const call of refused) await assert.rejects(call, WebhookError)
  await verify(sign([secret], NOW - 300))
  await assert.rejects(verify(headers, BODY, 'secret'), TypeError)
})
