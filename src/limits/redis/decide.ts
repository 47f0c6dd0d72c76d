import type { Account } from '../limiter.ts'
import type { Verdict } from '../window.ts'
import { take } from './batch.ts'
import { applyAnswer, type LocalState } from './lease.ts'
import { channelOf, keysOf, opening, type Part, readAnswer, reportOf, type Store } from './messages.ts'
import { RECONCILE } from './reconcile-script.ts'

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
