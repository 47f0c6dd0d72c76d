import type { Account } from '../limiter.ts'
import { DAY_MS } from '../window.ts'
import { applyAnswer, type Batch, type Judged, type LocalState, verdictOf } from './lease.ts'
import { keysOf, opening, readAnswer, type Store } from './messages.ts'
import { TAKE } from './take-script.ts'

/** Everybody waits for a script: one batch is about so many requests at most. */
const MOST_TOGETHER = 100

/**
 * Asks the store about one request, together with all others that the caller sends in this turn of the event
 * loop.
 *
 * @param gone processes that hold their leases no more, each with the minutes of which it may have served
 */
export async function take(
  store: Store,
  local: LocalState,
  caller: Account,
  gone: string[],
): Promise<Judged> {
  const freed = gone.join(',')
  const batch = joins(local.batch, caller, freed) ?? begin(store, local, caller, freed)
  const index = batch.count
  batch.count += 1
  return (await batch.judged)[index] as Judged
}

function joins(batch: Batch | undefined, { limits, ban }: Account, freed: string) {
  if (!batch || batch.count === MOST_TOGETHER || batch.freed !== freed) return undefined
  return batch.caller.limits === limits && batch.caller.ban === ban ? batch : undefined
}

function begin(store: Store, local: LocalState, caller: Account, freed: string): Batch {
  const judged = store.connection.endOfTurn().then((): Promise<Judged[]> => {
    if (local.batch === batch) local.batch = undefined
    return ask(store, local, batch)
  })
  const batch: Batch = { caller, freed, count: 0, judged }
  local.taking.add(judged)
  const over = () => local.taking.delete(judged)
  judged.then(over, over)
  local.batch = batch
  return batch
}

async function ask(
  store: Store,
  local: LocalState,
  { caller: { limits, ban }, freed, count }: Batch,
): Promise<Judged[]> {
  const { connection, heartbeat, clock } = store
  const { turn, day } = local
  const askedAt = clock()
  const answer = await connection.run(TAKE, keysOf(store, local), [
    ...opening(store),
    limits.perMinute,
    limits.perDay,
    heartbeat.view.processes.length,
    heartbeat.view.storeNow,
    heartbeat.reserve(limits.perMinute),
    day.windowId,
    day.startedAt + DAY_MS,
    day.charged,
    freed,
    ...(ban
      ? [ban.afterRefusals, ban.windowSeconds * 1_000, ban.seconds, ban.longestSeconds, ban.memorySeconds]
      : ['', '', '', '', '']),
    count,
  ])
  const places = Array.from({ length: count }, (_, index) => index)
  const outcome = String(answer[0])
  if (answer.length === 1) return places.map(() => ({ outcome }))
  const [allowed = 0, limited = 0] = answer.slice(-2).map(Number)
  Object.assign(local, { askedAt, answeredAt: clock() })
  applyAnswer(local, readAnswer(answer), { turn, allowed })
  // Before the next answer is heard.
  return places.map((index) => {
    const own = index < allowed ? 'allowed' : index < allowed + limited ? 'limited' : outcome
    return { outcome: own, verdict: verdictOf(local, own, limits, allowed - 1 - index) }
  })
}
