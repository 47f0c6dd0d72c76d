import { createHmac } from 'node:crypto'
import { dialectOf } from '../db/dialect.ts'
import type { Db } from '../db/tables.ts'

const MINUTE_MS = 60_000
/** So many tries to sign in are free in such a time, for an account and for an address. */
const FREE_TRIES = 10
const WINDOW_MS = 15 * MINUTE_MS
/** Then there is a wait before each, twice as long as the one before it, up to the longest. */
const FIRST_WAIT_MS = MINUTE_MS
const LONGEST_WAIT_MS = 15 * MINUTE_MS
/** So long after the last wait tries are free again. */
const MEMORY_MS = 24 * 60 * MINUTE_MS

/** What is known of one account or address. */
export interface Tries {
  startedAt: number
  tries: number
  blockedUntil: number
  waitMs: number
}

const NONE: Tries = { startedAt: 0, tries: 0, blockedUntil: 0, waitMs: 0 }

/** Counts a try, unless there is still a wait. A clock that was set back makes no wait longer than it is. */
export function judgeTry(known: Tries, now: number): { tries: Tries; retryAfterMs: number } {
  const blockedUntil = Math.min(known.blockedUntil, now + known.waitMs)
  if (now < blockedUntil) return { tries: { ...known, blockedUntil }, retryAfterMs: blockedUntil - now }
  const forgets = now >= blockedUntil + MEMORY_MS
  const isOver = now >= known.startedAt + WINDOW_MS
  // Whoever had to wait has one try after each wait, until that is long ago.
  const goesOn = known.waitMs > 0 ? !forgets : !isOver
  const counted = goesOn ? known : NONE
  const tries = counted.tries + 1
  const startedAt = counted.tries === 0 ? now : Math.min(counted.startedAt, now)
  if (tries < FREE_TRIES) return { tries: { startedAt, tries, blockedUntil: 0, waitMs: 0 }, retryAfterMs: 0 }
  const waitMs = Math.min(counted.waitMs === 0 ? FIRST_WAIT_MS : counted.waitMs * 2, LONGEST_WAIT_MS)
  return { tries: { startedAt, tries, blockedUntil: now + waitMs, waitMs }, retryAfterMs: 0 }
}

/** So many counters there are, of accounts and of addresses each, however many of those are tried. */
const SLOTS = 65_536

/** The counters of a try, by their numbers. */
export interface Slots {
  account: number
  address: number
}

/**
 * The counters of a try. Accounts and addresses share them by chance, which the secret makes: nobody can
 * choose whom to be counted with, and the store holds no address.
 *
 * @param email as it is compared, of whomever, also of nobody
 * @param address name under which the client's address is counted
 */
export function slotsOf(secret: string, email: string, address: string): Slots {
  const slot = (kind: string, text: string): number =>
    createHmac('sha256', secret).update(`sign-in ${kind} ${text}`).digest().readUInt16BE(0)
  return { account: slot('account', email), address: SLOTS + slot('address', address) }
}

/**
 * As `countTry`, of one that has to wait in any case: whoever goes on trying costs a look, and no change.
 */
export async function waitOf(db: Db, slots: number[], now: number): Promise<number> {
  const waits = await Promise.all(slots.map(async (slot) => judgeTry(await find(db, slot), now).retryAfterMs))
  return Math.max(...waits)
}

/**
 * Counts a try to sign in before anybody knows how it ends: of many at once no more are made than one after
 * the other.
 *
 * @returns milliseconds to wait before another try; 0 when this one may be made
 */
export async function countTry(db: Db, slots: number[], now: number): Promise<number> {
  await waitFor(db, slots)
  const judged: { slot: number; tries: Tries; retryAfterMs: number }[] = []
  for (const slot of slots) judged.push({ slot, ...judgeTry(await find(db, slot), now) })
  const retryAfterMs = Math.max(...judged.map((one) => one.retryAfterMs))
  if (retryAfterMs > 0) return retryAfterMs
  for (const { slot, tries } of judged) await save(db, slot, tries)
  return 0
}

/**
 * After the right password: forgets the tries of the account, and takes back this one of the address. Whoever
 * knows one password gets no more tries at others by it, and whoever shares the address does not wait for it.
 */
export async function forgiveTry(db: Db, { account, address }: Slots, now: number): Promise<void> {
  await waitFor(db, [account, address])
  await db.deleteFrom('sign_in_try').where('slot', '=', account).execute()
  const known = await find(db, address)
  if (known.tries > 0) await save(db, address, takeBack(known, now))
}

/** As it was before the latest try. */
export function takeBack({ startedAt, tries, waitMs }: Tries, now: number): Tries {
  if (tries <= FREE_TRIES) return { startedAt, tries: tries - 1, blockedUntil: 0, waitMs: 0 }
  return { startedAt, tries: tries - 1, blockedUntil: now, waitMs: waitMs / 2 }
}

/** In the same order for everybody, so that two never wait for each other. */
async function waitFor(db: Db, slots: number[]): Promise<void> {
  for (const slot of slots.toSorted((one, other) => one - other))
    await dialectOf(db).waitInHand(db, `sign-in ${slot}`)
}

async function find(db: Db, slot: number): Promise<Tries> {
  const row = await db
    .selectFrom('sign_in_try')
    .select(['started_at as startedAt', 'tries', 'blocked_until as blockedUntil', 'wait_ms as waitMs'])
    .where('slot', '=', slot)
    .executeTakeFirst()
  return row ?? NONE
}

async function save(db: Db, slot: number, { startedAt, tries, blockedUntil, waitMs }: Tries): Promise<void> {
  const columns = { started_at: startedAt, tries, blocked_until: blockedUntil, wait_ms: waitMs }
  await db
    .insertInto('sign_in_try')
    .values({ slot, ...columns })
    .onConflict((conflict) => conflict.column('slot').doUpdateSet(columns))
    .execute()
}
