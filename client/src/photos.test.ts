import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changes } from '../../src/changes.ts'
import { picture } from '../../src/testing/pictures.ts'
import type { Progress } from './client.ts'
import { startClient } from './testing/start-client.ts'

const blobOf = async (type = 'image/jpeg', number = 0): Promise<Blob> =>
  new Blob([new Uint8Array(await picture({ width: 800, height: 600, number }))], { type })

test('photos are added to an animal and an organization, with progress', async (t) => {
  const { client, app } = await startClient(t)
  await client.createPet({ name: 'Rex', categoryId: 1 })
  const file = await blobOf()
  const progress: Progress[] = []

  const { data, status } = await client.photos.add(1, file, {
    alt: 'Rex asleep',
    onProgress: (one) => progress.push(one),
  })

  assert.deepEqual([status, data.alt, data.width], [201, 'Rex asleep', 800])
  assert.deepEqual(progress.at(-1), { sent: file.size, total: file.size })
  assert.deepEqual((await client.getPet({ petId: 1 })).data.photos, [data])
  assert.equal((await client.photos.add(1, file)).status, 200, 'the photo exists already')
  await app.service.context.write(changes.insertOrganization, { name: 'Shelter' }, 0)
  assert.equal((await client.photos.addToOrganization(1, file)).status, 201)
})

test('an invalid photo fails with the error code of the service, or before anything is sent', async (t) => {
  const { client } = await startClient(t)
  await client.createPet({ name: 'Rex', categoryId: 1 })
  for (const [petId, file, code] of [
    [1, await blobOf('image/heic'), 'unsupported_media_type'],
    [1, new Blob(['x'], { type: 'image/png' }), 'invalid_image'],
    [9, await blobOf(), 'pet_not_found'],
  ] as const) {
    for (const onProgress of [undefined, () => undefined])
      await assert.rejects(client.photos.add(petId, file, { onProgress }), { code }, code)
  }
  await assert.rejects(client.photos.add(1, 'rex.jpg' as never), /file must be a Blob/)
  await assert.rejects(client.addPetPhoto({ petId: 1 }, undefined as never), /file must be a Blob/)
  await assert.rejects(client.photos.add(1, await blobOf('')), {
    name: 'TypeError',
    message: 'file needs a type such as image/jpeg',
  })
  assert.deepEqual((await client.listPetPhotos({ petId: 1 })).data, [])
})

test('after a lost connection a photo is sent again and stored once', async (t) => {
  // Waits take no time here, while the service may process the photo for a second.
  const { client, proxy } = await startClient(t, { client: { retries: 1_000 } })
  await client.createPet({ name: 'Rex', categoryId: 1 })
  let sent = 0
  proxy.onSend = () => ++sent === 1

  await client.photos.add(1, await blobOf())

  assert.ok(sent > 1)
  assert.equal((await client.listPetPhotos({ petId: 1 })).data.length, 1)
})

test('an aborted upload leaves no photo', async (t) => {
  const { client } = await startClient(t)
  await client.createPet({ name: 'Rex', categoryId: 1 })
  const controller = new AbortController()
  const reason = new Error('changed my mind')
  const onProgress = () => controller.abort(reason)

  const { signal } = controller
  await assert.rejects(client.photos.add(1, await blobOf(), { signal, onProgress }), reason)

  assert.deepEqual((await client.listPetPhotos({ petId: 1 })).data, [])
})
