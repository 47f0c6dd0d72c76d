import type { Caller } from './limiter.ts'
import { SETTLE } from './redis-report-script.ts'
import { hear, type Known } from './redis-share.ts'
import { take } from './redis-take.ts'
import { channelOf, keysOf, opening, type Part, readHeard, reportOf, type Store } from './redis-wire.ts'
import type { Verdict } from './window.ts'

/** How long a request may ask again; what it waits for its last answer, up to 140 ms, comes on top. */
const PATIENCE_MS = 105
/** First wait for promises to come back; each further one is twice as long. */
const RECALL_MS = 3
/** Somebody who did not give back in time is not asked again for so long. */
const VAIN_MS = 250

/**
 * @param began when the request came, by performance.now()
 * @throws when the store is lost, or has no verdict in time; it may then have charged the request or not
 */
export async function askStore(store: Store, known: Known, caller: Caller, began: number): Promise<Verdict> {
  let gone: string[] = []
  let refused: Verdict | undefined
  for (let round = 0; ; round += 1) {
    const isOver = (): boolean => performance.now() - began > PATIENCE_MS
    while (!isOver()) {
      const before = due(store, known)
      if (!before) break
      await before
    }
    // Who is silent gives nothing back.
    const patience = store.pulse.view.silent.length > 0 ? PATIENCE_MS / 4 : PATIENCE_MS
    const isLate = (): boolean => performance.now() - began > patience
    if (refused && isLate()) return inVain(known, refused)
    if (isOver()) throw new Error('Redis: no verdict in time')
    const { outcome, verdict } = await take(store, known, caller, gone)
    const [, window] = outcome.split(' ') as [string, Part?]
    if (verdict && (!window || performance.now() < known.recalledInVainUntil)) return verdict
    if (verdict && isLate()) return inVain(known, verdict)
    if (isLate()) throw new Error(`Redis: no verdict in time (${outcome})`)
    if (window) {
      refused = verdict
      const given = recall(store, known, window, Math.min(RECALL_MS * 2 ** round, PATIENCE_MS))
      // Together: whichever fails first, nobody else hears of the other one.
      ;[gone] = await Promise.all([round > 0 ? store.pulse.gone() : gone, given])
    } else if (outcome === 'view' || (outcome === 'settle' && round < 2)) {
      // The store remembers less than we do. If all of its memory is gone, everybody has to tell it theirs.
      await store.look()
    } else known.unsettled = true
  }
}

/** What a question to the store has to wait for, each for up to 140 ms. */
function due(store: Store, known: Known): Promise<unknown> | undefined {
  // What is said to have been served has to hold all that was charged, and no other answer may be under way.
  if (known.settling) return known.settling
  if (known.unsettled) return known.taking.size > 0 ? Promise.allSettled(known.taking) : settle(store, known)
  // Another request has found that there is nothing left just now.
  return known.recalling
}

/** Somebody did not give back in time: what he holds is taken as used. */
function inVain(known: Known, refused: Verdict): Verdict {
  known.recalledInVainUntil = performance.now() + VAIN_MS
  return refused
}

/**
 * Says what was served, so that the store has charged exactly that. One report serves all who wait for it.
 */
export function settle(store: Store, known: Known): Promise<void> {
  known.settling ??= report(store, known, '').finally(() => {
    known.settling = undefined
  })
  return known.settling
}

/**
 * @param epoch names the loss of memory after which the store is told everything; '' when it has lost
 * nothing
 */
export async function report(store: Store, known: Known, epoch: string): Promise<void> {
  const { turn, minute, day } = known
  const askedAt = store.clock()
  known.unsettled = false
  try {
    const answer = await store.link.run(SETTLE, keysOf(store, known), [
      ...opening(store),
      epoch === '' ? 'settle' : 'rebuild',
      epoch,
      ...reportOf(minute),
      ...reportOf(day),
      known.bannedUntil,
      known.banSeconds,
      store.memorySeconds,
    ])
    Object.assign(known, { askedAt, heardAt: store.clock() })
    hear(known, readHeard(answer), { turn, before: { minute, day } })
  } catch (error) {
    known.unsettled = true
    throw error
  }
}

/** Gives back what is promised to this process of one window, as another one needs it. */
export async function giveBack(store: Store, known: Known, window: Part): Promise<void> {
  known.turn += 1
  known[window] = { ...known[window], cap: known[window].served }
  await store.link.run(SETTLE, keysOf(store, known), [
    ...opening(store),
    'give',
    window,
    ...reportOf(known.minute),
    ...reportOf(known.day),
    known.bannedUntil,
    known.banSeconds,
    store.memorySeconds,
  ])
}

/** Asks all others for what is promised to them, and gives them a moment. */
function recall(
  { link, prefix, pulse }: Store,
  known: Known,
  window: Part,
  patienceMs: number,
): Promise<unknown> {
  known.recalling ??= Promise.all([
    link.publish(channelOf(prefix), `${pulse.id} ${window} ${known.name}`),
    new Promise((resolve) => setTimeout(resolve, patienceMs)),
  ]).finally(() => {
    known.recalling = undefined
  })
  return known.recalling
}
