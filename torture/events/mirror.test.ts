import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { AdoptableClient } from '../../client/src/client.ts'
import type { MirrorParameters } from '../../client/src/events.ts'
import type { Pet } from '../../client/src/schemas.ts'
import { changes } from '../../src/changes.ts'
import { cleanup } from '../../src/testing/cleanup.ts'
import { scratchDatabase } from '../../src/testing/postgres.ts'
import { UNLIMITED } from '../../src/testing/start-app.ts'
import { findNextPage } from '../lab/creators.ts'
import { LOST_RETRY_MS, repeat, times } from '../lab/parallel.ts'
import { randomOf, reportFigure, rounds } from '../lab/rounds.ts'
import { type Service, startService } from '../lab/service.ts'
import { withStore } from '../lab/stores.ts'

const ROUNDS = rounds(50)
const [WRITERS, MAX_LIFE_MS, MAX_TRIES, MAX_CHANGING] = [4, 2_500, 600, 60]

/** Adds, changes, bonds and removes animals. A request may fail, because a service was killed. */
function createWriter(service: Service, part: number): () => Promise<void> {
  const random = randomOf(part)
  let last = 1
  return async () => {
    const anyId = () => random.integer(Math.max(1, last - MAX_CHANGING), last)
    const path = `/v1/pets/${anyId()}`
    const name = `Rex ${random.integer(1, 1e6)}`
    const status = random.pick(['available', 'pending', 'sold'])
    const [method, to, body] = random.weighted<[string, string, object?]>([
      [3, ['POST', '/v1/pets', { name, categoryId: 1, status, organizationId: 1 }]],
      [4, ['PATCH', path, { name }]],
      [3, ['PATCH', path, { status }]],
      [2, ['PATCH', path, { bondedWith: random.chance(0.6) ? [anyId()] : null }]],
      [2, ['PATCH', path, { externalId: random.chance(0.8) ? `A${random.integer(1, 9)}` : null }]],
      [1, ['DELETE', path]],
    ])
    const answer = await service.ask(to, { method, ...(body && { body }) }).catch(() => undefined)
    if (!answer) await pause(LOST_RETRY_MS)
    else if (answer.status === 201) last = answer.body.id
  }
}

async function readAnimals({ ask }: Service): Promise<Pet[]> {
  const pets: Pet[] = []
  for (let next: string | undefined = '/v1/pets?sort=id&limit=100'; next; ) {
    const answer = await ask(next)
    pets.push(...answer.body)
    next = findNextPage(answer)
  }
  return pets
}

/** Animals as texts. Pages at the source replace the ids of the animals and of their partners. */
function compared(pets: Pet[], address: string): string[] {
  const pages = new Map(pets.map(({ id, source = `${address}/animals/${id}` }) => [id, source]))
  const texts = pets.map(({ id, source: _, organizationId: _own, bondedWith = [], ...pet }) =>
    JSON.stringify([pages.get(id), bondedWith.map((one) => pages.get(one)).toSorted(), pet]),
  )
  return texts.toSorted()
}

/** A test cannot wait until the leases of a killed process expire. */
const expireLeases = ({ settings }: Service) =>
  withStore(settings.DATABASE_URL, ({ db }) => db.updateTable('followed').set({ leased_until: 0 }).execute())

test('a directory and a mirror follow a source, and all are killed: every animal is equal in the end', async (t) => {
  const open = { WEBHOOK_ALLOW_NETWORKS: 'loopback' }
  const key = { ...UNLIMITED, access: 'admin' } as const
  const source = await startService(t, { key, settings: open })
  const settings = { ...open, DATABASE_URL: await scratchDatabase(t) }
  const directory = await startService(t, { key, settings })
  await source.ask('/v1/organizations', { body: { name: 'Shelter' } })
  for (const [own, { address: url, key: apiKey }] of [
    [directory, source],
    [source, directory],
  ] as const)
    await withStore(own.settings.DATABASE_URL, ({ write }) =>
      write(changes.insertSource, { url, apiKey, organizationId: undefined }, Date.now()),
    )

  const mirrored = new Map<number, Pet>()
  const remove = (ids: number[]) => void ids.map((id) => mirrored.delete(id))
  const ended = cleanup(t).adopt(new AbortController(), (one) => one.abort())
  const client = new AdoptableClient({ baseUrl: `${source.address}/v1`, key: source.key })
  const mirror: MirrorParameters = {
    pollSeconds: 0.1,
    onUpsert: (pets) => void pets.map((pet) => mirrored.set(pet.id, pet)),
    onRemove: remove,
    onCopied: (ids) => remove([...mirrored.keys()].filter((id) => !ids.has(id))),
    onProgress: (after) => void Object.assign(mirror, { after }),
  }
  const follower = repeat(1, () => client.mirror(mirror, ended).catch(() => pause(LOST_RETRY_MS)))

  const writes = times(WRITERS, (writer) => createWriter(source, 300 + writer))
  const writers = repeat(WRITERS, (writer) => (writes[writer] as () => Promise<void>)(), 5)
  const random = randomOf(310)
  for (let round = 0; round < ROUNDS; round += 1) {
    await pause(random.integer(0, MAX_LIFE_MS))
    const killed = random.pick([[source], [directory], [source, directory]])
    for (const service of killed) await service.end('SIGKILL')
    for (const service of killed) await expireLeases(service).then(() => service.start())
  }
  await writers.stop()

  const originals = await readAnimals(source)
  const expected = compared(originals, source.address)
  const copies = [() => readAnimals(directory), async () => [...mirrored.values()]]
  for (const [index, read] of copies.entries()) {
    const readAgain = async () => compared(await read(), index === 0 ? '' : source.address)
    let seen = await readAgain()
    for (let tries = 0; tries < MAX_TRIES && seen.join() !== expected.join(); tries += 1)
      seen = await pause(LOST_RETRY_MS).then(readAgain)
    assert.deepEqual(seen, expected)
  }
  assert.ok(
    originals.every((pet) => pet.source === undefined),
    'an animal came back from the directory',
  )
  ended.abort()
  await follower.stop()
  reportFigure(t, `${ROUNDS} kills, ${expected.length} animals equal in the directory and the mirror`)
})
