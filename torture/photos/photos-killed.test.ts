import assert from 'node:assert/strict'
import { globSync, readdirSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import sharp from 'sharp'
import type { Context } from '../../src/context.ts'
import { orphanedPhotoFiles, removedPhotos } from '../../src/photos/jobs.ts'
import { sweepWorkFolder } from '../../src/photos/storage/folder.ts'
import { openPhotoStore } from '../../src/photos/storage/open.ts'
import {
  ALL_RENDITIONS,
  fileName,
  type PhotoStore,
  readFileName,
} from '../../src/photos/storage/photo-files.ts'
import { picture } from '../../src/testing/pictures.ts'
import { LOST_RETRY_MS, repeat, waitFor } from '../lab/parallel.ts'
import { randomOf, reportFigure, rounds } from '../lab/rounds.ts'
import { NO_ANONYMOUS_LIMITS, newService, type Service } from '../lab/service.ts'
import { withStore } from '../lab/stores.ts'

const ROUNDS = rounds(200)
const ANIMALS = 4
const MAX_LIFE_MS = 1_200
const A_DAY_MS = 86_400_000

interface PhotoView {
  id: number
  sizes: Record<string, string>
}

/** Adds and removes photos, and requests files that are not made yet, until the service ends. */
function startClients({ ask }: Service, number: () => number) {
  const acknowledged = new Map<string, boolean>()
  const change = async (): Promise<void> => {
    const path = `/v1/pets/${(number() % ANIMALS) + 1}/photos`
    const body = await picture({ number: number(), width: 700, height: 500 + (number() % 90) })
    const added = await ask(path, { method: 'POST', body, headers: { 'content-type': 'image/jpeg' } })
    if (added.status === 201) acknowledged.set(`${path}/${added.body.id}`, true)
    const { body: photos } = await ask(path)
    const oldest: PhotoView | undefined = photos.length > 5 ? photos[0] : undefined
    if (!oldest) return
    await ask(new URL(oldest.sizes.medium ?? '').pathname)
    acknowledged.delete(`${path}/${oldest.id}`)
    await ask(`${path}/${oldest.id}`, { method: 'DELETE' })
  }
  const working = repeat(3, () => change().catch(() => pause(LOST_RETRY_MS)), 1)
  return { acknowledged, stop: () => working.stop() }
}

const filesIn = (folder: string): string[] => globSync('??/*', { cwd: folder })

/** Dates all files back by two days, and runs the service's cleanup. */
async function sweep(databaseUrl: string, photoStore: PhotoStore): Promise<void> {
  const folder = join(photoStore.workFolder, '..')
  const seconds = (Date.now() - 2 * A_DAY_MS) / 1_000
  for (const file of globSync('*/*', { cwd: folder })) utimesSync(join(folder, file), seconds, seconds)
  await withStore(databaseUrl, async ({ db, write }) => {
    const photos = { store: photoStore } as Context['photos']
    const context = { db, write, photos, clock: Date.now } as Context
    await sweepWorkFolder(photoStore)
    await removedPhotos.run(context, async () => true)
    await orphanedPhotoFiles.run(context, async () => true)
  })
}

test('kill -9 during photo changes: every visible photo is complete, and orphaned files are removed', async (t) => {
  const service = await newService(t, { settings: NO_ANONYMOUS_LIMITS })
  const random = randomOf()
  let numbers = 0
  const number = () => (numbers += 1)
  const clients = startClients(service, number)
  for (let round = 0; round < ROUNDS; round += 1) {
    await service.start()
    for (let animal = 1; round === 0 && animal <= ANIMALS; animal += 1)
      await service.ask('/v1/pets', { body: { name: `Rex ${animal}`, categoryId: 1 } })
    // On a slow machine too, there must be a photo that a kill could lose.
    if (round === 0) await waitFor(t, () => clients.acknowledged.size > 0)
    await pause(random.integer(0, MAX_LIFE_MS))
    await service.end()
  }
  await service.start()
  await clients.stop()

  const { DATABASE_URL } = service.settings
  const folder = join(dirname(DATABASE_URL.slice('sqlite:'.length)), 'photos')
  const listed = new Set<string>()
  for (let animal = 1; animal <= ANIMALS; animal += 1) {
    const path = `/v1/pets/${animal}/photos`
    const { body } = await service.ask(path)
    for (const { id, sizes } of body as PhotoView[]) {
      clients.acknowledged.delete(`${path}/${id}`)
      for (const address of Object.values(sizes)) {
        const { pathname } = new URL(address)
        const answer = await fetch(service.address + pathname)
        assert.equal(answer.status, 200, address)
        await sharp(Buffer.from(await answer.arrayBuffer()), { failOn: 'warning' })
          .raw()
          .toBuffer()
      }
      listed.add(readFileName(new URL(sizes.full ?? '').pathname.slice('/photos/'.length))?.hash ?? '')
    }
  }
  assert.deepEqual([...clients.acknowledged.keys()], [], 'answered with 201 but missing')
  assert.ok(listed.size > 0)
  await service.end()

  const store = await openPhotoStore({ photosUrl: undefined, databaseUrl: DATABASE_URL })
  for (const hash of listed)
    for (const rendition of ALL_RENDITIONS.filter((rendition) => rendition !== 'jpeg'))
      assert.ok(await store.size(fileName(hash, rendition)), `${hash} ${rendition}`)
  const listOrphans = () => filesIn(folder).filter((file) => !listed.has(file.slice(3, 35)))
  const orphans = listOrphans().length
  const partialFiles = readdirSync(store.workFolder).length
  await sweep(DATABASE_URL, store)
  assert.deepEqual(listOrphans(), [])
  assert.deepEqual(readdirSync(store.workFolder), [])
  assert.equal(new Set(filesIn(folder).map((file) => file.slice(3, 35))).size, listed.size)
  reportFigure(
    t,
    `${ROUNDS} kills, ${numbers} pictures, ${listed.size} photos whole, ${orphans} + ${partialFiles} files swept`,
  )
})
