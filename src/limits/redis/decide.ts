import type { Account } from '../limiter.ts'
import { DAY_MS, type Verdict } from '../window.ts'
import { applyAnswer, type Batch, type Judged, type LocalState, verdictOf } from './lease.ts'
import { channelOf, keysOf, opening, type Part, readAnswer, reportOf, type Store } from './messages.ts'
import { RECONCILE, TAKE } from './scripts.ts'

/** How long a request may ask again; what it waits for its last answer, up to 140 ms, comes on top. */
const PATIENCE_MS = 105
/** First wait for leases to come back; each further one is twice as long. */
const RECALL_MS = 3
/** After a recall that failed no other begins for so long. */
const NO_RECALL_MS = 250

/**
 * @param began when the request came, by performance.now()
 * @throws when the store is lost, or has no verdict in time; it may then have charged the request or not
 */
export async function decide(
  store: Store,
  local: LocalState,
  caller: Account,
  began: number,
): Promise<Verdict> {
  let gone: string[] = []
  let refused: Verdict | undefined
  for (let round = 0; ; round += 1) {
    const isOver = (): boolean => performance.now() - began > PATIENCE_MS
    while (!isOver()) {
      const before = due(store, local)
      if (!before) break
      await before
    }
    // A process that is silent releases nothing.
    const patience = store.heartbeat.view.silent.length > 0 ? PATIENCE_MS / 4 : PATIENCE_MS
    const isLate = (): boolean => performance.now() - began > patience
    if (refused && isLate()) return recallFailed(local, refused)
    if (isOver()) throw new Error('Redis: no verdict in time')
    const { outcome, verdict } = await take(store, local, caller, gone)
    const [, window] = outcome.split(' ') as [string, Part?]
    if (verdict && (!window || performance.now() < local.noRecallUntil)) return verdict
    if (verdict && isLate()) return recallFailed(local, verdict)
    if (isLate()) throw new Error(`Redis: no verdict in time (${outcome})`)
    if (window) {
      refused = verdict
      const given = recall(store, local, window, Math.min(RECALL_MS * 2 ** round, PATIENCE_MS))
      // Together: whichever fails first, nobody else hears of the other one.
      ;[gone] = await Promise.all([round > 0 ? store.heartbeat.gone() : gone, given])
    } else if (outcome === 'view' || (outcome === 'reconcile' && round < 2)) {
      // The store remembers less than we do. If all of its memory is gone, everybody has to tell it theirs.
      await store.look()
    } else local.inDoubt = true
  }
}

/** What a question to the store has to wait for, each for up to 140 ms. */
function due(store: Store, local: LocalState): Promise<unknown> | undefined {
  // What is said to have been served has to hold all that was charged, and no other answer may be under way.
  if (local.reconciling) return local.reconciling
  if (local.inDoubt) return local.taking.size > 0 ? Promise.allSettled(local.taking) : reconcile(store, local)
  // Another request has found that there is nothing left just now.
  return local.recalling
}

/** A process did not release its lease in time: what it holds counts as used. */
function recallFailed(local: LocalState, refused: Verdict): Verdict {
  local.noRecallUntil = performance.now() + NO_RECALL_MS
  return refused
}

/**
 * Says what was served, so that Redis has charged exactly that. All requests that wait share one report.
 */
export function reconcile(store: Store, local: LocalState): Promise<void> {
  local.reconciling ??= report(store, local, '').finally(() => {
    local.reconciling = undefined
  })
  return local.reconciling
}

/**
 * @param epoch names the loss of memory after which the store is told everything; '' when it has lost
 * nothing
 */
export async function report(store: Store, local: LocalState, epoch: string): Promise<void> {
  const { turn, minute, day } = local
  const askedAt = store.clock()
  local.inDoubt = false
  try {
    const answer = await store.connection.run(RECONCILE, keysOf(store, local), [
      ...opening(store),
      epoch === '' ? 'reconcile' : 'rebuild',
      epoch,
      ...reportOf(minute),
      ...reportOf(day),
      local.bannedUntil,
      local.banSeconds,
      store.memorySeconds,
    ])
    Object.assign(local, { askedAt, answeredAt: store.clock() })
    applyAnswer(local, readAnswer(answer), { turn, before: { minute, day } })
  } catch (error) {
    local.inDoubt = true
    throw error
  }
}

/** Releases what is leased to this process of one window, as another one needs it. */
export async function release(store: Store, local: LocalState, window: Part): Promise<void> {
  local.turn += 1
  local[window] = { ...local[window], cap: local[window].served }
  await store.connection.run(RECONCILE, keysOf(store, local), [
    ...opening(store),
    'release',
    window,
    ...reportOf(local.minute),
    ...reportOf(local.day),
    local.bannedUntil,
    local.banSeconds,
    store.memorySeconds,
  ])
}

/** Asks all other processes to release their leases, and gives them a moment. */
function recall(
  { connection, prefix, heartbeat }: Store,
  local: LocalState,
  window: Part,
  patienceMs: number,
): Promise<unknown> {
  local.recalling ??= Promise.all([
    connection.publish(channelOf(prefix), `${heartbeat.id} ${window} ${local.name}`),
    new Promise((resolve) => setTimeout(resolve, patienceMs)),
  ]).finally(() => {
    local.recalling = undefined
  })
  return local.recalling
}

/** Everybody waits for a script: one batch is about so many requests at most. */
const MAX_BATCH_SIZE = 100

/**
 * Asks the store about one request, together with all others that the caller sends in this turn of the event
 * loop.
 *
 * @param gone processes that hold their leases no more, each with the minutes of which it may have served
 */
async function take(store: Store, local: LocalState, caller: Account, gone: string[]): Promise<Judged> {
  const freed = gone.join(',')
  const batch = joins(local.batch, caller, freed) ?? begin(store, local, caller, freed)
  const index = batch.count
  batch.count += 1
  return (await batch.judged)[index] as Judged
}

function joins(batch: Batch | undefined, { limits, ban }: Account, freed: string) {
  if (!batch || batch.count === MAX_BATCH_SIZE || batch.freed !== freed) return undefined
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
