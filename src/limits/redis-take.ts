import type { Caller } from './limiter.ts'
import { TAKE } from './redis-script.ts'
import { hear, type Judged, type Known, type Question, verdictOf } from './redis-share.ts'
import { keysOf, opening, readHeard, type Store } from './redis-wire.ts'
import { DAY_MS } from './window.ts'

/** Everybody waits for a script: one question is about so many requests at most. */
const MOST_TOGETHER = 100

/**
 * Asks the store about one request, together with all others that the caller sends in this turn of the event
 * loop.
 *
 * @param gone processes that hold their promises no more, each with the minutes of which it may have served
 */
export async function take(store: Store, known: Known, caller: Caller, gone: string[]): Promise<Judged> {
  const freed = gone.join(',')
  const question = joins(known.question, caller, freed) ?? begin(store, known, caller, freed)
  const place = question.count
  question.count += 1
  return (await question.judged)[place] as Judged
}

function joins(question: Question | undefined, { limits, ban }: Caller, freed: string) {
  if (!question || question.count === MOST_TOGETHER || question.freed !== freed) return undefined
  return question.caller.limits === limits && question.caller.ban === ban ? question : undefined
}

function begin(store: Store, known: Known, caller: Caller, freed: string): Question {
  const judged = store.link.endOfTurn().then((): Promise<Judged[]> => {
    if (known.question === question) known.question = undefined
    return ask(store, known, question)
  })
  const question: Question = { caller, freed, count: 0, judged }
  known.taking.add(judged)
  const over = () => known.taking.delete(judged)
  judged.then(over, over)
  known.question = question
  return question
}

async function ask(
  store: Store,
  known: Known,
  { caller: { limits, ban }, freed, count }: Question,
): Promise<Judged[]> {
  const { link, pulse, clock } = store
  const { turn, day } = known
  const askedAt = clock()
  const answer = await link.run(TAKE, keysOf(store, known), [
    ...opening(store),
    limits.perMinute,
    limits.perDay,
    pulse.view.processes.length,
    pulse.view.storeNow,
    pulse.reserve(limits.perMinute),
    day.label,
    day.startedAt + DAY_MS,
    day.charged,
    freed,
    ...(ban
      ? [ban.afterRefusals, ban.windowSeconds * 1_000, ban.seconds, ban.longestSeconds, ban.memorySeconds]
      : ['', '', '', '', '']),
    count,
  ])
  const places = Array.from({ length: count }, (_, place) => place)
  const outcome = String(answer[0])
  if (answer.length === 1) return places.map(() => ({ outcome }))
  const [allowed = 0, limited = 0] = answer.slice(-2).map(Number)
  Object.assign(known, { askedAt, heardAt: clock() })
  hear(known, readHeard(answer), { turn, allowed })
  // Before the next answer is heard.
  return places.map((place) => {
    const own = place < allowed ? 'allowed' : place < allowed + limited ? 'limited' : outcome
    return { outcome: own, verdict: verdictOf(known, own, limits, allowed - 1 - place) }
  })
}
