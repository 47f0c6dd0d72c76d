import { type ChildProcess, fork } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { adoptable } from './adoptable.ts'
import { ANY } from './answers.ts'
import { another, photograph } from './camera.ts'
import { heard, mind, stop } from './children.ts'
import { BARE, type Contestant, compete } from './contest.ts'
import { type Exchange, load } from './load.ts'
import { type Comparison, closing, fine, type Setup, setup, summarise, table, whole } from './report.ts'
import { addAnimals, type Door, record } from './requests.ts'
import { makeKey, memoryOf, type Service, startBare, startService } from './servers.ts'
import type { Options } from './speed.ts'
import { type Spread, spread } from './statistics.ts'

// What photos cost: beside the library alone, beside a bare server that has the files in memory, and what
// others notice of it.

/** An animal has no more. */
const PHOTOS_OF_ONE = 20
const FILE_BYTES = 30_000
const FILE = 'a photo file of some 30 kB'
const MOST = { alone: 1.2, p99: 1.5, growthMb: 30 } as const
const LEAST = { throughput: 0.9, file: 0.8 } as const

export interface Photos {
  setup: Setup
  photoBytes: number
  /** At the same time. */
  uploads: number
  /** From the first byte sent to the answer, and of the library alone. */
  uploadMs: Spread
  aloneMs: Spread
  ofAlone: Spread
  /** Of all at once, photos a second beside those of the library alone. */
  throughput: Spread
  /** Of reads by 64 connections beside the uploads, and alone. */
  readsP99Ms: { quiet: Spread; beside: Spread; ratio: Spread }
  growthMb: number
  comparisons: Comparison[]
}

export async function measurePhotos(options: Options, folder: string): Promise<Photos> {
  const { rounds, seconds, uploads } = options
  const store = { databaseUrl: `sqlite:${join(folder, 'photos.db')}` }
  const key = await makeKey(store)
  const service = await startService(store)
  const door = { port: service.port, key }
  await addAnimals(door)
  const jpeg = await photograph()
  const alone = await startAlone(folder, jpeg)
  const upload = uploader(door, jpeg)
  await upload()
  await alone.make()
  const { nowMb: before = 0 } = memoryOf(service.pid)

  const took: { own: number; alone: number }[] = []
  for (let round = 0; round < rounds; round += 1)
    took.push({ own: await upload(), alone: await alone.make() })
  const throughput: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const own = await perSecond(seconds * 2, uploads, upload)
    throughput.push(own / (await perSecond(seconds * 2, 1, alone.make)))
  }
  const reads = await besideUploads(door, options, upload)
  const growthMb = (memoryOf(service.pid).peakMb ?? Number.NaN) - before
  const comparisons = await deliver(options, door, service, key)
  await Promise.all([service.stop(), alone.stop()])
  return {
    setup: setup(rounds, seconds),
    photoBytes: jpeg.length,
    uploads,
    uploadMs: spread(took.map(({ own }) => own)),
    aloneMs: spread(took.map(({ alone }) => alone)),
    ofAlone: spread(took.map(({ own, alone }) => own / alone)),
    throughput: spread(throughput),
    readsP99Ms: reads,
    growthMb,
    comparisons,
  }
}

/** Each call sends another photo, to an animal that has room. @returns milliseconds until the answer */
function uploader({ port, key }: Door, jpeg: Buffer): () => Promise<number> {
  let number = 0
  return async () => {
    number += 1
    const body = another(jpeg, number)
    const animal = 1 + Math.floor(number / PHOTOS_OF_ONE)
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'image/jpeg' }
    const since = performance.now()
    const path = `http://127.0.0.1:${port}/v1/pets/${animal}/photos`
    const answer = await fetch(path, { method: 'POST', headers, body: new Uint8Array(body) })
    const text = await answer.text()
    if (answer.status !== 201) throw new Error(`a photo: status ${answer.status}, ${text}`)
    return performance.now() - since
  }
}

async function startAlone(folder: string, jpeg: Buffer) {
  const source = join(folder, 'source.jpg')
  const made = join(folder, 'alone')
  writeFileSync(source, jpeg)
  mkdirSync(made)
  const child: ChildProcess = mind(fork(new URL('sharp-alone.ts', import.meta.url)))
  await heard(child, child, 'message')
  return {
    async make(): Promise<number> {
      child.send({ source, folder: made })
      return Number(await heard(child, child, 'message'))
    },
    stop: () => stop(child),
  }
}

/** How often something is done in so many seconds, by so many at once. */
async function perSecond(seconds: number, atOnce: number, once: () => Promise<unknown>): Promise<number> {
  const since = performance.now()
  let done = 0
  const again = async () => {
    while (performance.now() - since < seconds * 1_000) {
      await once()
      done += 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, again))
  return (done * 1_000) / (performance.now() - since)
}

async function besideUploads(
  door: Door,
  { rounds, seconds, uploads }: Options,
  upload: () => Promise<number>,
) {
  const reads: Exchange[] = await record(door, [{ method: 'GET', path: '/v1/pets?status=sold' }])
  const p99Ms = { quiet: [] as number[], beside: [] as number[] }
  for (let round = 0; round < rounds; round += 1) {
    p99Ms.quiet.push((await load(door.port, reads, { seconds })).p99Ms)
    const [beside] = await Promise.all([
      load(door.port, reads, { seconds }),
      perSecond(seconds, uploads, upload),
    ])
    p99Ms.beside.push(beside.p99Ms)
  }
  return {
    quiet: spread(p99Ms.quiet),
    beside: spread(p99Ms.beside),
    ratio: spread(p99Ms.beside.map((ms, round) => ms / (p99Ms.quiet[round] ?? Number.NaN))),
  }
}

/** The file whose size is nearest to what a gallery shows, beside a bare server that has the same bytes. */
async function deliver(options: Options, door: Door, service: Service, key: string): Promise<Comparison[]> {
  const answer = await fetch(`http://127.0.0.1:${door.port}/v1/pets/1/photos`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const [photo] = (await answer.json()) as { sizes: Record<string, string> }[]
  const files = await Promise.all(
    Object.values(photo?.sizes ?? {}).map(async (address) => {
      const path = new URL(address).pathname
      const bytes = await (await fetch(`http://127.0.0.1:${door.port}${path}`)).arrayBuffer()
      return { path, size: bytes.byteLength }
    }),
  )
  const far = ({ size }: { size: number }) => Math.abs(size - FILE_BYTES)
  const [file] = files.toSorted((one, other) => far(one) - far(other))
  if (!file) throw new Error('the photo has no files')
  const request = `GET ${file.path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`
  const exchanges = [
    { bytes: Buffer.from(request), status: 200, shortest: file.size, longest: file.size },
  ] satisfies Exchange[]
  const headers = { 'content-type': 'image/webp', 'content-length': file.size }
  const answers = { [ANY]: { status: 200, headers, body: 'x'.repeat(file.size) } }
  const own: Contestant = {
    ...adoptable('adoptable', service, key),
    prepare: async (measurement) => (measurement === FILE ? { exchanges, answers } : undefined),
  }
  const bare = await startBare()
  const measured = await compete({ ...options, bare, contestants: [own], measurements: [FILE] })
  await bare.stop()
  const reach = (_: string, name: string) => (name === BARE ? undefined : LEAST.file)
  return summarise(measured, BARE, 'speed', reach)
}

export function photosReport(photos: Photos): string {
  const { uploadMs, aloneMs, ofAlone, throughput, readsP99Ms, comparisons } = photos
  const from = ({ median, least, most }: Spread) => `${fine(median)} (${fine(least)}..${fine(most)})`
  const { quiet, beside, ratio } = readsP99Ms
  return [
    `A photo of 12 megapixels, ${whole(photos.photoBytes)} bytes: answered in ${whole(uploadMs.median)} ms, ` +
      `sharp alone ${whole(aloneMs.median)} ms: ${from(ofAlone)}, to reach ≤ ${MOST.alone}`,
    `${photos.uploads} at once, photos a second of sharp alone: ${from(throughput)}, to reach ≥ ${LEAST.throughput}`,
    `p99 of reads beside ${photos.uploads} uploads: ${beside.median.toFixed(2)} ms, alone ` +
      `${quiet.median.toFixed(2)} ms: ${from(ratio)}, to reach ≤ ${MOST.p99}`,
    `The service grew by ${whole(photos.growthMb)} MB at its peak, to reach ≤ ${MOST.growthMb}`,
    '',
    ...table(comparisons, 'speed'),
    '',
    ...closing(photos.setup),
  ].join('\n')
}
