import type { Account } from '../limiter.ts'
import { DAY_MS, type Verdict } from '../window.ts'
import type { Connection } from './connection.ts'
import {
  applyAnswer,
  type Batch,
  type LocalState,
  readAnswer,
  reportOf,
  type StoreVerdict,
  verdictOf,
} from './lease.ts'
import type { Heartbeat } from './membership.ts'
import { RECONCILE, TAKE } from './scripts.ts'

type WindowName = 'minute' | 'day'

/** The connection to Redis, and what this process knows about the other processes. */
export interface Store {
  connection: Connection
  /** Prefix of all keys of this installation. */
  prefix: string
  heartbeat: Heartbeat
  clock: () => number
  storeClock: (() => number) | undefined
  memorySeconds: number
  /** Refreshes the list of processes that share the counters. */
  refreshView(): Promise<void>
}

/** How long a request may retry. The answer to its last attempt may take up to 140 ms more. */
const PATIENCE_MS = 105
/** First wait for recalled leases. Each further wait is twice as long. */
const RECALL_MS = 3
/** After a recall fails, this process tries no further recall of the caller's leases for this long. */
const NO_RECALL_MS = 250

/**
 * Decides about one request while online.
 * @param began when it arrived, by performance.now()
 * @throws when the store is lost or gives no verdict in time; it may or may not have charged the request
 */
export async function decide(
  store: Store,
  local: LocalState,
  caller: Account,
  began: number,
): Promise<Verdict> {
  let freedProcesses: string[] = []
  let refused: Verdict | undefined
  let waitingSince = began
  for (let round = 0; ; round += 1) {
    const isTimeUp = (): boolean => performance.now() - waitingSince > PATIENCE_MS
    while (!isTimeUp()) {
      const prerequisite = nextPrerequisite(store, local)
      if (!prerequisite) break
      await prerequisite
    }
    // A silent process does not release its leases, so the wait for its leases is shorter.
    const patience = store.heartbeat.view.silent.length > 0 ? PATIENCE_MS / 4 : PATIENCE_MS
    const isLate = (): boolean => performance.now() - waitingSince > patience
    if (refused && isLate()) return recallFailed(local, refused)
    if (isTimeUp()) throw new Error('Redis: no verdict in time')
    const { outcome, verdict } = await take(store, local, caller, freedProcesses)
    const [, window] = outcome.split(' ') as [string, WindowName?]
    if (verdict && (!window || performance.now() < local.noRecallUntil)) return verdict
    if (verdict && isLate()) return recallFailed(local, verdict)
    // This process was too busy to send heartbeats, so it did not spend the time waiting for Redis.
    if (outcome === 'view' && round === 0) waitingSince = performance.now()
    if (isLate()) throw new Error(`Redis: no verdict in time (${outcome})`)
    if (window) {
      refused = verdict
      const recalled = recall(store, local, window, Math.min(RECALL_MS * 2 ** round, PATIENCE_MS))
      // Awaits both promises together, so a rejection of either one is handled.
      ;[freedProcesses] = await Promise.all([round > 0 ? store.heartbeat.gone() : freedProcesses, recalled])
    } else if (outcome === 'view' || (outcome === 'reconcile' && round < 2)) {
      // The store has charged less than is recorded here. If it lost all data, every process must report.
      await store.refreshView()
    } else local.inDoubt = true
  }
}

/** Returns work that must finish before this process asks the store again. Each takes up to 140 ms. */
function nextPrerequisite(store: Store, local: LocalState): Promise<unknown> | undefined {
  // A report must include everything that was charged, so the process first waits for all pending answers.
  if (local.reconciling) return local.reconciling
  if (local.inDoubt)
    return local.batches.size > 0 ? Promise.allSettled(local.batches) : reconcile(store, local)
  // Another request is already recalling leases.
  return local.recalling
}

/** Gives up a recall, because a lease was not released in time. Its requests then count as used. */
function recallFailed(local: LocalState, refused: Verdict): Verdict {
  local.noRecallUntil = performance.now() + NO_RECALL_MS
  return refused
}

/** Reports what was served, so Redis charges exactly that number. Concurrent requests share one report. */
export function reconcile(store: Store, local: LocalState): Promise<void> {
  local.reconciling ??= report(store, local, '').finally(() => {
    local.reconciling = undefined
  })
  return local.reconciling
}

/**
 * Reports a caller's state.
 * @param epoch names the loss of data that makes every process report everything; '' when no data was lost
 */
export async function report(store: Store, local: LocalState, epoch: string): Promise<void> {
  const { releases, minute, day } = local
  const sentAt = store.clock()
  local.inDoubt = false
  try {
    const answer = await runReconcile(store, local, epoch === '' ? 'reconcile' : 'rebuild', epoch)
    Object.assign(local, { sentAt, answeredAt: store.clock() })
    applyAnswer(local, readAnswer(answer), { releases, reported: { minute, day } })
  } catch (error) {
    local.inDoubt = true
    throw error
  }
}

/** Gives back this process's lease for one window, because another process needs it. */
async function release(store: Store, local: LocalState, window: WindowName): Promise<void> {
  local.releases += 1
  local[window] = { ...local[window], cap: local[window].served }
  await runReconcile(store, local, 'release', window)
}

/** Sends a report. @param detail the window to release, or the epoch to rebuild */
function runReconcile(
  store: Store,
  local: LocalState,
  kind: 'reconcile' | 'rebuild' | 'release',
  detail: string,
): Promise<unknown[]> {
  return store.connection.run(RECONCILE, keysOf(store, local), [
    ...commonArguments(store),
    kind,
    detail,
    ...reportOf(local.minute),
    ...reportOf(local.day),
    local.bannedUntil,
    local.banSeconds,
    store.memorySeconds,
  ])
}

/** The channel on which leases are recalled. */
export function channelOf(prefix: string): string {
  return `${prefix}:recall`
}

/** Handles a recall, "process, window, caller": releases this process's lease if another process needs it. */
export function answerRecall(
  store: Store,
  find: (name: string) => LocalState | undefined,
  message: string,
): void {
  const [requester, window, ...name] = message.split(' ')
  const local = requester === store.heartbeat.id ? undefined : find(name.join(' '))
  if (local) release(store, local, window === 'day' ? 'day' : 'minute').catch(() => {})
}

/** Asks the other processes to release their leases, then waits a moment for them. */
function recall(
  { connection, prefix, heartbeat }: Store,
  local: LocalState,
  window: WindowName,
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

/** The maximum number of requests in one script, so a script does not block Redis for long. */
const MAX_BATCH_SIZE = 100

/**
 * Asks the store about one request. All requests of this caller in the same turn of the event loop share one
 * batch.
 * @param gone processes whose leases no longer count, each with the number of minutes in which it may have
 *   served
 */
async function take(
  store: Store,
  local: LocalState,
  caller: Account,
  freedProcesses: string[],
): Promise<StoreVerdict> {
  const freed = freedProcesses.join(',')
  const batch = joinable(local.batch, caller, freed) ?? openBatch(store, local, caller, freed)
  const index = batch.count
  batch.count += 1
  return (await batch.verdicts)[index] as StoreVerdict
}

function joinable(batch: Batch | undefined, { limits, ban }: Account, freed: string) {
  if (!batch || batch.count === MAX_BATCH_SIZE || batch.freedProcesses !== freed) return undefined
  return batch.caller.limits === limits && batch.caller.ban === ban ? batch : undefined
}

function openBatch(store: Store, local: LocalState, caller: Account, freedProcesses: string): Batch {
  const verdicts = store.connection.endOfTurn().then((): Promise<StoreVerdict[]> => {
    if (local.batch === batch) local.batch = undefined
    return sendBatch(store, local, batch)
  })
  const batch: Batch = { caller, freedProcesses, count: 0, verdicts }
  local.batches.add(verdicts)
  const finish = () => local.batches.delete(verdicts)
  verdicts.then(finish, finish)
  local.batch = batch
  return batch
}

async function sendBatch(
  store: Store,
  local: LocalState,
  { caller: { limits, ban }, freedProcesses, count }: Batch,
): Promise<StoreVerdict[]> {
  const { connection, heartbeat, clock } = store
  const { releases, day } = local
  const sentAt = clock()
  const answer = await connection.run(TAKE, keysOf(store, local), [
    ...commonArguments(store),
    limits.perMinute,
    limits.perDay,
    heartbeat.view.processes.length,
    heartbeat.view.storeNow,
    heartbeat.reserve(limits.perMinute),
    day.windowId,
    day.startedAt + DAY_MS,
    day.charged,
    freedProcesses,
    ...(ban
      ? [ban.afterRefusals, ban.windowSeconds * 1_000, ban.seconds, ban.longestSeconds, ban.memorySeconds]
      : ['', '', '', '', '']),
    count,
  ])
  const indexes = Array.from({ length: count }, (_, index) => index)
  const outcome = String(answer[0])
  if (answer.length === 1) return indexes.map(() => ({ outcome }))
  const [allowed = 0, limited = 0] = answer.slice(-2).map(Number)
  Object.assign(local, { sentAt, answeredAt: clock() })
  applyAnswer(local, readAnswer(answer), { releases, allowed })
  // No `await` may come before this line, because another answer could change the state.
  return indexes.map((index) => {
    const outcomeHere = index < allowed ? 'allowed' : index < allowed + limited ? 'limited' : outcome
    return { outcome: outcomeHere, verdict: verdictOf(local, outcomeHere, limits, allowed - 1 - index) }
  })
}

/** The first arguments of every script: process, session, and in tests a time for the store's clock. */
function commonArguments({ connection, heartbeat, storeClock }: Store): (string | number)[] {
  return [heartbeat.id, connection.session, storeClock ? storeClock() : '']
}

/** Both keys are in one cluster slot. */
function keysOf({ prefix }: Store, { name }: LocalState): string[] {
  return [`${prefix}:{${name}}`, `${prefix}:{${name}}:refusals`]
}
