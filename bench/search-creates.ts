import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { fileOf } from '../src/db/store-url.ts'
import { type Exchange, load } from './load.ts'
import { ask, type Door, recordAlike } from './requests.ts'
import { fillStore } from './search-store.ts'
import { makeKey, startService } from './servers.ts'
import { skewedAnimals } from './skewed.ts'
import { type Spread, spread } from './statistics.ts'

// What the index costs those who create animals: beside a store whose triggers are gone.

const ANIMALS = 20_000
/** More than are created in a second. */
const A_SECOND = 6_000
const LONGEST_ANIMAL = 4_096
/** So often somebody searches, on either: a search brings the index up to date where much has changed. */
const SEARCH_EVERY_MS = 50
const TRIGGERS = ['insert', 'update', 'delete'].map((event) => `pet_${event}_is_searched`)

export interface CreateCost {
  withIndex: Spread
  without: Spread
  ratio: Spread
}

export async function measureCreates(
  urls: { indexed: string; bare: string },
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<CreateCost> {
  // Made before there is anybody who would wait for them.
  const bodies = Array.from({ length: rounds + 1 }, (_, round) =>
    newAnimals(Math.ceil(seconds * A_SECOND), round),
  )
  const indexed = await start(urls.indexed, true)
  const bare = await start(urls.bare, false)
  const figures: { indexed: number; bare: number }[] = []
  for (const [round, ofRound] of bodies.entries()) {
    const isFirst = round % 2 === 0
    const before = isFirst ? await indexed.create(seconds, ofRound) : 0
    const other = await bare.create(seconds, ofRound)
    figures.push({ indexed: isFirst ? before : await indexed.create(seconds, ofRound), bare: other })
  }
  await Promise.all([indexed.stop(), bare.stop()])
  // The first round warms up.
  const counted = figures.slice(1)
  return {
    withIndex: spread(counted.map((round) => round.indexed)),
    without: spread(counted.map((round) => round.bare)),
    ratio: spread(counted.map((round) => round.indexed / round.bare)),
  }
}

async function start(url: string, isIndexed: boolean) {
  const store = { databaseUrl: url }
  await fillStore(url, ANIMALS)
  const key = await makeKey(store)
  if (!isIndexed) dropTriggers(fileOf(url))
  const service = await startService(store)
  const door = { port: service.port, key }
  return {
    create: (seconds: number, bodies: string[]) => createFor(door, seconds, bodies),
    stop: service.stop,
  }
}

function dropTriggers(file: string): void {
  const database = new DatabaseSync(file)
  for (const trigger of TRIGGERS) database.exec(`drop trigger ${trigger}`)
  database.close()
}

function newAnimals(count: number, round: number): string[] {
  return [...skewedAnimals(count, 100 + round)].map((pet, index) =>
    JSON.stringify({ ...pet, externalId: `${round}-${index}` }),
  )
}

/** @returns creates a second */
async function createFor(door: Door, seconds: number, bodies: string[]): Promise<number> {
  const requests = bodies.map((body) => ({ method: 'POST', path: '/v1/pets', body }) as const)
  const exchanges = (await recordAlike(door, requests)).map(
    (exchange): Exchange => ({ ...exchange, shortest: 1, longest: LONGEST_ANIMAL }),
  )
  const over = new AbortController()
  const searching = searchUntil(door, over.signal)
  const { requestsPerSecond } = await load(door.port, exchanges, { seconds, once: true })
  over.abort()
  await searching
  return requestsPerSecond
}

async function searchUntil(door: Door, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await ask(door, {
      method: 'GET',
      path: `/v1/pets?sex=female&limit=${1 + Math.floor(Math.random() * 99)}`,
    })
    await pause(SEARCH_EVERY_MS)
  }
}
