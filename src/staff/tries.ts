import { createHmac } from 'node:crypto'
import { dialectOf } from '../db/dialect.ts'
import type { Db } from '../db/tables.ts'

const MINUTE_MS = 60_000
/** Free tries within WINDOW_MS, for each account, each account's trusted browsers, and each address. */
const FREE_TRIES = 10
const WINDOW_MS = 15 * MINUTE_MS
/** The wait after the last free try. Each further try doubles the wait, up to MAX_WAIT_MS. */
const FIRST_WAIT_MS = MINUTE_MS
const MAX_WAIT_MS = 15 * MINUTE_MS
/** Tries are free again when this time has passed since the last wait. */
const MEMORY_MS = 24 * 60 * MINUTE_MS

/** The counter of an account, an address, or an account's trusted browsers. Times are Unix milliseconds. */
export interface TryCounter {
  startedAt: number
  tries: number
  blockedUntil: number
  waitMs: number
}

const NO_TRIES: TryCounter = { startedAt: 0, tries: 0, blockedUntil: 0, waitMs: 0 }

/** Counts a try, unless the client must wait. If the clock was set back, the wait does not become longer. */
export function applyTry(counter: TryCounter, now: number): { tries: TryCounter; retryAfterMs: number } {
  const blockedUntil = Math.min(counter.blockedUntil, now + counter.waitMs)
  if (now < blockedUntil) return { tries: { ...counter, blockedUntil }, retryAfterMs: blockedUntil - now }
  const isForgotten = now >= blockedUntil + MEMORY_MS
  const isOver = now >= counter.startedAt + WINDOW_MS
  // After the first wait, the client gets one try after each wait, until MEMORY_MS has passed.
  const continues = counter.waitMs > 0 ? !isForgotten : !isOver
  const previous = continues ? counter : NO_TRIES
  const tries = previous.tries + 1
  const startedAt = previous.tries === 0 ? now : Math.min(previous.startedAt, now)
  if (tries < FREE_TRIES) return { tries: { startedAt, tries, blockedUntil: 0, waitMs: 0 }, retryAfterMs: 0 }
  const waitMs = Math.min(previous.waitMs === 0 ? FIRST_WAIT_MS : previous.waitMs * 2, MAX_WAIT_MS)
  return { tries: { startedAt, tries, blockedUntil: now + waitMs, waitMs }, retryAfterMs: 0 }
}

/** The number of counters of each kind: accounts, addresses, and trusted browsers of accounts. */
const SLOTS = 65_536

/** The slot numbers of the counters that count a try. */
export interface CounterSlots {
  account: number
  /** Absent for a trusted browser, which does not wait because of other clients at its address. */
  address?: number
}

/**
 * Chooses the counters of a try by a keyed hash. Accounts and addresses may share a counter, but clients
 * cannot choose with whom, and the store contains no address. All strangers share one counter of an account.
 * Browsers that have signed in to the account before share another, so strangers cannot lock the owner out.
 * @param email folded; the account need not exist
 * @param address name under which the client's address is counted
 * @param trusted why the client does not wait for strangers; each reason has its own counter for the account
 */
export function chooseSlots(
  secret: string,
  email: string,
  address: string,
  trusted?: 'trusted browser' | 'signed in',
): CounterSlots {
  const slot = (kind: string, text: string): number =>
    createHmac('sha256', secret).update(`sign-in ${kind} ${text}`).digest().readUInt16BE(0)
  if (trusted !== undefined) return { account: 2 * SLOTS + slot('browser', `${trusted} ${email}`) }
  return { account: slot('account', email), address: SLOTS + slot('address', address) }
}

export const slotNumbers = ({ account, address }: CounterSlots): number[] =>
  address === undefined ? [account] : [account, address]

/** Reads the wait without counting a try. A client that ignores the wait then costs a read and no write. */
export async function getRetryAfterMs(db: Db, slots: number[], now: number): Promise<number> {
  const waits = await Promise.all(slots.map(async (slot) => applyTry(await find(db, slot), now).retryAfterMs))
  return Math.max(...waits)
}

/**
 * Counts a try to sign in before its password is verified, so parallel tries get as few tries as sequential
 * ones.
 * @returns milliseconds to wait before another try; 0 when this try is allowed
 */
export async function countSignInTry(db: Db, slots: number[], now: number): Promise<number> {
  await lockSlots(db, slots)
  const results: { slot: number; tries: TryCounter; retryAfterMs: number }[] = []
  for (const slot of slots) results.push({ slot, ...applyTry(await find(db, slot), now) })
  const retryAfterMs = Math.max(...results.map((one) => one.retryAfterMs))
  if (retryAfterMs > 0) return retryAfterMs
  for (const { slot, tries } of results) await save(db, slot, tries)
  return 0
}

/**
 * After the right password, clears the counter of the account and removes only this try from the counter of
 * the address. A person who knows one password then gets no further tries at other passwords, and people at
 * the same address do not wait.
 */
export async function forgetSignInTries(db: Db, slots: CounterSlots, now: number): Promise<void> {
  const { account, address } = slots
  await lockSlots(db, slotNumbers(slots))
  await db.deleteFrom('sign_in_try').where('slot', '=', account).execute()
  if (address === undefined) return
  const counter = await find(db, address)
  if (counter.tries > 0) await save(db, address, undoTry(counter, now))
}

/** The counter before the latest try. */
export function undoTry({ startedAt, tries, waitMs }: TryCounter, now: number): TryCounter {
  if (tries <= FREE_TRIES) return { startedAt, tries: tries - 1, blockedUntil: 0, waitMs: 0 }
  return { startedAt, tries: tries - 1, blockedUntil: now, waitMs: waitMs / 2 }
}

/** Locks counters in ascending order, so two tries never deadlock. */
async function lockSlots(db: Db, slots: number[]): Promise<void> {
  for (const slot of slots.toSorted((one, other) => one - other))
    await dialectOf(db).lock(db, `sign-in ${slot}`)
}

async function find(db: Db, slot: number): Promise<TryCounter> {
  const row = await db
    .selectFrom('sign_in_try')
    .select(['started_at as startedAt', 'tries', 'blocked_until as blockedUntil', 'wait_ms as waitMs'])
    .where('slot', '=', slot)
    .executeTakeFirst()
  return row ?? NO_TRIES
}

async function save(
  db: Db,
  slot: number,
  { startedAt, tries, blockedUntil, waitMs }: TryCounter,
): Promise<void> {
  const columns = { started_at: startedAt, tries, blocked_until: blockedUntil, wait_ms: waitMs }
  await db
    .insertInto('sign_in_try')
    .values({ slot, ...columns })
    .onConflict((conflict) => conflict.column('slot').doUpdateSet(columns))
    .execute()
}
