import { idsWith } from '../search/orders.ts'
import type { Clause, Question } from '../search/question.ts'
import { takeTurns } from '../search/turns.ts'
import type { Near } from './near.ts'
import {
  byId,
  type Candidate,
  type Candidates,
  CHUNK,
  type Position,
  recentIn,
  type Search,
  sieve,
  WALKED,
} from './order.ts'
import { AT } from './tokens.ts'

/** Whoever is in one of the places is near: to ask the index too would be to read all its places. */
export function withoutPlaces(question: Question, near: Near): Question {
  const isOfPlaces = ({ tokens, prefixes }: Clause): boolean =>
    !prefixes && tokens.length === near.size && tokens.every((token) => near.has(token))
  return { ...question, clauses: question.clauses.filter((clause) => !isOfPlaces(clause)) }
}

/** The nearest first, and of those that are equally far the one with the lowest id. */
export async function* byDistance(
  search: Search,
  question: Question,
  near: Near,
  after: Position | undefined,
): Candidates {
  const { recent, work } = search
  const others = withoutPlaces(question, near)
  const among = sieve(search, others)
  const changed = recentIn(recent, question, AT)
  const [behind, behindId] = (after ?? [-1, 0]) as [number, number]
  // Of a ring that was read to its end nothing more is to be read: a page has to come further than that.
  const isDone = (meters: number): boolean =>
    meters < behind || (meters === behind && behindId === Number.MAX_SAFE_INTEGER)
  const rings = new Map<number, string[]>()
  for (const [place, meters] of near)
    if (!isDone(meters)) rings.set(meters, [...(rings.get(meters) ?? []), place])
  for (const [meters, places] of [...rings].sort(([one], [other]) => one - other)) {
    let from = meters === behind ? behindId : 0
    for (;;) {
      const { ids, to } = await ring(search, places, changed, from)
      const isFound = await among(ids)
      yield ids
        .filter((id) => recent.animals.has(id) || isFound(id))
        .map((id) => ({ id, position: [meters, id] as const }))
      if (work.left < 0) return [meters, Math.min(to, Number.MAX_SAFE_INTEGER)]
      await takeTurns()
      if (to === Number.POSITIVE_INFINITY) break
      if (others.clauses.length > 0) {
        const rest = yield* crowd(search, others, meters, places, to)
        if (rest) return rest
        break
      }
      from = to
    }
  }
  return undefined
}

/** The rest of a ring, behind an id, by the index: of a crowded place most may not fit, and are not read. */
async function* crowd(
  search: Search,
  question: Question,
  meters: number,
  places: string[],
  from: number,
): Candidates {
  const here = { ...question, clauses: [{ tokens: places }, ...question.clauses] }
  const candidates = byId(search, [here], 'asc', [0, from])
  for (;;) {
    const { done, value } = await candidates.next()
    if (done) return value && [meters, value[1]]
    yield value.map(({ id }) => ({ id, position: [meters, id] as const }))
  }
}

/** Animals of some places behind an id, in order, and up to which id these are all. */
async function ring({ db, recent, work }: Search, places: string[], changed: Candidate[], from: number) {
  const lists = await Promise.all(places.map((key) => idsWith(db, { sort: AT, key, id: from, limit: CHUNK })))
  work.left -= lists.reduce((sum, list) => sum + list.length * WALKED, places.length)
  const ends = lists.map((list) => (list.length < CHUNK ? Number.POSITIVE_INFINITY : (list.at(-1) ?? 0)))
  const to = Math.min(...ends)
  const known = lists.flat().filter((id) => !recent.animals.has(id))
  const fresh = changed.filter(({ position: [key] }) => places.includes(String(key))).map(({ id }) => id)
  const ids = [...known, ...fresh].filter((id) => id > from && id <= to).sort((one, other) => one - other)
  return { ids, to }
}
