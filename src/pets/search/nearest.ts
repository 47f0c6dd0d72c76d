import { sql } from 'kysely'
import type { Db } from '../../db/tables.ts'
import { yieldToEventLoop } from '../../http/turns.ts'
import type { Near } from './filters.ts'
import {
  type Candidate,
  type Candidates,
  countUpTo,
  type Position,
  readCandidates,
  readKeys,
  toCandidate,
} from './matching.ts'
import type { Direction, Reading, TokenQuery } from './tokens.ts'

// Sorts animals by distance, then by id, with the nearest first or last.

/** Up to this many matches are sorted in memory. If there are more, animals are read one place at a time. */
const MAX_SORTED = 10_000
/** The number of matches whose places are read at once. */
const PLACE_BATCH_SIZE = 5_000
const BATCH_SIZE = 256
/** The maximum number of places in one query. The first query has one. */
const MAX_PLACES = 64
/** If a place has more animals than this, its rings are read one at a time. */
const MAX_ANIMALS = 1_000
/** The maximum number of queries for one page. */
const MAX_QUERIES = 60

/** The nearest animals first (`asc`) or last. The animals after a position are read. */
interface Order {
  direction: Direction
  after: Position | undefined
}

/** @param tokenQuery a query without places */
export async function* byDistance(db: Db, tokenQuery: TokenQuery, near: Near, order: Order): Candidates {
  const isFew =
    tokenQuery.clauses.length > 0 && (await countUpTo(db, tokenQuery, MAX_SORTED + 1)) <= MAX_SORTED
  return yield* (isFew ? sorted : byPlaces)(db, tokenQuery, near, order)
}

type Distance = readonly [meters: number, id: number]

const signOf = (direction: Direction): number => (direction === 'asc' ? 1 : -1)

const comparator =
  (direction: Direction) =>
  (one: Distance, other: Distance): number =>
    signOf(direction) * (one[0] - other[0] || one[1] - other[1])

const isAfter = ({ direction, after }: Order, distance: Distance): boolean =>
  after === undefined || comparator(direction)(distance, [Number(after[0]), after[1]]) > 0

/** Reads the places of all matches, sorts the matches by distance, and then reads the animals. */
async function* sorted(db: Db, tokenQuery: TokenQuery, near: Near, order: Order): Candidates {
  const distances: Distance[] = []
  const reading = { tokenQuery, direction: 'asc' as const, isRare: true }
  let last: Position | undefined
  for (let limit = PLACE_BATCH_SIZE; limit === PLACE_BATCH_SIZE; ) {
    const rows = await readKeys<{ place: string | null; id: number }>(
      db,
      { ...reading, after: last, limit },
      sql`s.place, s.pet_id as id`,
    )
    for (const { place, id } of rows) {
      const meters = near.metersOf.get(place ?? '')
      if (meters !== undefined && isAfter(order, [meters, id])) distances.push([meters, id])
      last = [0, id]
    }
    limit = rows.length
    await yieldToEventLoop()
  }
  distances.sort(comparator(order.direction))
  for (let from = 0; from < distances.length; from += BATCH_SIZE) {
    const ids = distances.slice(from, from + BATCH_SIZE).map(([, id]) => id)
    yield await readByDistance(db, { ...reading, direction: order.direction, ids, limit: BATCH_SIZE }, near)
  }
  return undefined
}

/** Reads the animals of near places, sorted by distance. */
async function readByDistance(db: Db, reading: Reading, { metersOf }: Near): Promise<Candidate[]> {
  const candidates = (await readCandidates(db, reading)).flatMap((row) => {
    const meters = metersOf.get(row.placeToken ?? '')
    return meters === undefined ? [] : [toCandidate(meters, row)]
  })
  return candidates.sort(({ position: one }, { position: other }) =>
    comparator(reading.direction)(one as Distance, other as Distance),
  )
}

/** A ring: all places at the same distance. */
interface Ring {
  meters: number
  places: string[]
}

/** @returns the rings from the position on, in order */
function ringsOf({ metersOf }: Near, { direction, after }: Order): Ring[] {
  const sign = signOf(direction)
  const rings = new Map<number, string[]>()
  for (const [place, meters] of metersOf) {
    if (after && sign * (meters - Number(after[0])) < 0) continue
    const ring = rings.get(meters)
    if (ring) ring.push(place)
    else rings.set(meters, [place])
  }
  return [...rings]
    .map(([meters, places]) => ({ meters, places }))
    .sort((one, other) => sign * (one.meters - other.meters))
}

async function* byPlaces(db: Db, tokenQuery: TokenQuery, near: Near, order: Order): Candidates {
  const { direction, after } = order
  const rings = ringsOf(near, order)
  let maxPlaces = 1
  for (let count = 0; rings.length > 0; count += 1) {
    const here = rings.splice(0, ringsWithin(rings, maxPlaces))
    const [first, last] = [here[0] as Ring, here.at(-1) as Ring]
    const places = here.flatMap((ring) => ring.places)
    const reading = {
      tokenQuery: { ...tokenQuery, clauses: [{ tokens: places, places }, ...tokenQuery.clauses] },
      direction,
    }
    if (here.length === 1) yield* inRing(db, reading, first.meters, near, after)
    else {
      const found = await readByDistance(db, { ...reading, limit: MAX_ANIMALS }, near)
      // There are too many animals to sort in memory, so reads these rings one at a time.
      if (found.length === MAX_ANIMALS) {
        rings.unshift(...here)
        maxPlaces = 1
        continue
      }
      yield found.filter(({ position }) => isAfter(order, position as Distance))
    }
    maxPlaces = Math.min(maxPlaces * 4, MAX_PLACES)
    if (count >= MAX_QUERIES) return [last.meters, direction === 'asc' ? Number.MAX_SAFE_INTEGER : 0]
    await yieldToEventLoop()
  }
  return undefined
}

/** @returns the number of rings, at least 1, that together have up to `maxPlaces` places */
function ringsWithin(rings: Ring[], maxPlaces: number): number {
  let places = 0
  const first = rings.findIndex((ring) => {
    places += ring.places.length
    return places > maxPlaces
  })
  return first < 0 ? rings.length : Math.max(first, 1)
}

/** Reads the animals of one ring, sorted by id. */
async function* inRing(
  db: Db,
  reading: Omit<Reading, 'limit'>,
  meters: number,
  near: Near,
  after: Position | undefined,
): AsyncGenerator<Candidate[]> {
  let last: Position | undefined = meters === after?.[0] ? [0, after[1]] : undefined
  for (;;) {
    const batch = await readByDistance(db, { ...reading, after: last, limit: BATCH_SIZE }, near)
    yield batch
    if (batch.length < BATCH_SIZE) return
    last = [0, batch.at(-1)?.position[1] as number]
  }
}
