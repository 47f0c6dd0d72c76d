import { sql } from 'kysely'
import type { Db } from '../../db/tables.ts'
import { takeTurns } from '../../search/turns.ts'
import {
  type Candidate,
  type CandidateRow,
  type Candidates,
  columnsWith,
  type Position,
  toCandidate,
} from './candidates.ts'
import { countUpTo, readKeys, readMatching } from './matching.ts'
import type { Near } from './near.ts'
import type { Question } from './question.ts'

// Animals by how far they are, and of those that are equally far the one with the lowest id first.

/** Up to so many matches are sorted; with more, one place after the other is asked for. */
const MAX_SORTED = 10_000
/** Of so many the places are read at once. */
const PLACE_BATCH_SIZE = 1_000
const CHUNK = 256
/** So many places are asked for at once at most, one at first. */
const MAX_PLACES = 64
/** More animals at some places than these are read place by place. */
const MAX_ANIMALS = 1_000
/** Of so many questions, one page asks no more. */
const MAX_QUESTIONS = 60

/** @param question without where animals are */
export async function* nearest(
  db: Db,
  question: Question,
  near: Near,
  after: Position | undefined,
): Candidates {
  const isFew = question.clauses.length > 0 && (await countUpTo(db, question, MAX_SORTED + 1)) <= MAX_SORTED
  if (isFew) yield* sorted(db, question, near, after)
  else return yield* byPlaces(db, question, near, after)
  return undefined
}

const isBehind = (after: Position | undefined, [meters, id]: readonly [number, number]): boolean =>
  after === undefined || meters > Number(after[0]) || (meters === after[0] && id > after[1])

/** All that fit, whose places are read first. */
async function* sorted(
  db: Db,
  question: Question,
  near: Near,
  after: Position | undefined,
): AsyncGenerator<Candidate[]> {
  const there: [meters: number, id: number][] = []
  const reading = { question, direction: 'asc', isRare: true } as const
  let behind: readonly [number, number] | undefined
  for (let limit = PLACE_BATCH_SIZE; limit === PLACE_BATCH_SIZE; ) {
    const rows = await readKeys<{ place: string | null; id: number }>(
      db,
      { ...reading, behind, limit },
      sql`s.place, s.pet_id as id`,
    )
    for (const { place, id } of rows) {
      const meters = near.metersOf.get(place ?? '')
      if (meters !== undefined && isBehind(after, [meters, id])) there.push([meters, id])
      behind = [0, id]
    }
    limit = rows.length
    await takeTurns()
  }
  there.sort((one, other) => one[0] - other[0] || one[1] - other[1])
  for (let from = 0; from < there.length; from += CHUNK) {
    const ids = there.slice(from, from + CHUNK).map(([, id]) => id)
    yield await readAt(db, { ...reading, ids, limit: CHUNK }, near)
  }
}

type Reading = Parameters<typeof readMatching>[1]

/** Animals at near places, in order. */
async function readAt(db: Db, reading: Reading, { metersOf }: Near): Promise<Candidate[]> {
  const rows = await readMatching<CandidateRow>(db, reading, columnsWith(undefined))
  const found = rows.flatMap((row) => {
    const meters = metersOf.get(row.itsPlace ?? '')
    return meters === undefined ? [] : [toCandidate(meters, row)]
  })
  return found.sort(
    ({ position: one }, { position: other }) => Number(one[0]) - Number(other[0]) || one[1] - other[1],
  )
}

/** Places that are equally far. */
interface Ring {
  meters: number
  places: string[]
}

function ringsOf({ metersOf }: Near, from: number): Ring[] {
  const rings = new Map<number, string[]>()
  for (const [place, meters] of metersOf) {
    if (meters < from) continue
    const ring = rings.get(meters)
    if (ring) ring.push(place)
    else rings.set(meters, [place])
  }
  return [...rings]
    .map(([meters, places]) => ({ meters, places }))
    .sort((one, other) => one.meters - other.meters)
}

async function* byPlaces(db: Db, question: Question, near: Near, after: Position | undefined): Candidates {
  const rings = ringsOf(near, Number(after?.[0] ?? 0))
  let most = 1
  for (let count = 0; rings.length > 0; count += 1) {
    const some = rings.splice(0, ringsIn(rings, most))
    const here = {
      ...question,
      clauses: [{ tokens: some.flatMap(({ places }) => places) }, ...question.clauses],
    }
    const reading = { question: here, direction: 'asc', limit: MAX_ANIMALS, isRare: true } as const
    const [ring] = some
    const isOne = some.length === 1 && ring !== undefined
    if (isOne) yield* inRing(db, here, ring, near, after)
    else {
      const found = await readAt(db, reading, near)
      // Too many to sort here: one ring after the other.
      if (found.length === MAX_ANIMALS) {
        rings.unshift(...some)
        most = 1
        continue
      }
      yield found.filter(({ position: [meters, id] }) => isBehind(after, [Number(meters), id]))
    }
    most = Math.min(most * 4, MAX_PLACES)
    const last = some.at(-1)
    if (count >= MAX_QUESTIONS && last) return [last.meters, Number.MAX_SAFE_INTEGER]
    await takeTurns()
  }
  return undefined
}

/** So many of the first rings have so many places, and one at least. */
function ringsIn(rings: Ring[], most: number): number {
  let places = 0
  const first = rings.findIndex((ring) => {
    places += ring.places.length
    return places > most
  })
  return first < 0 ? rings.length : Math.max(first, 1)
}

async function* inRing(
  db: Db,
  question: Question,
  { meters }: Ring,
  near: Near,
  after: Position | undefined,
): AsyncGenerator<Candidate[]> {
  let behind = meters === after?.[0] ? ([0, after[1]] as const) : undefined
  for (;;) {
    const some = await readAt(db, { question, direction: 'asc', behind, limit: CHUNK, isRare: true }, near)
    yield some
    const last = some.at(-1)
    if (some.length < CHUNK || !last) return
    behind = [0, last.position[1]]
  }
}
