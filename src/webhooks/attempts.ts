import { sql } from 'kysely'
import { dialectOf } from '../db/dialect.ts'
import type { Db } from '../db/tables.ts'
import { formatId } from '../events/log.ts'
import { type Payload, TEST_TYPE } from './schema.ts'

// Attempts to send deliveries. A process leases a delivery before sending it. If the process does not record
// a result, the lease expires, and the delivery is sent again.

/** How long a process may take to send a delivery before another process may send it again. */
export const LEASE_MS = 60_000

const SECOND_MS = 1_000
const [MINUTE_MS, HOUR_MS, DAY_MS] = [60 * SECOND_MS, 3_600 * SECOND_MS, 86_400 * SECOND_MS]

/** The waits after the first, second… failed attempt. The attempt after the last wait is the final one. */
const WAITS_MS = [
  ...[5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS],
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
]
/** Each wait is up to this fraction shorter or longer, so failed deliveries are not all sent at once. */
const JITTER = 0.2
/** The longest wait between two attempts. */
export const MAX_WAIT_MS = 24 * HOUR_MS * (1 + JITTER)
/** The longest wait that an endpoint may ask for with Retry-After. */
const MAX_RETRY_AFTER_MS = DAY_MS
/** The pause of an overloaded endpoint that sends no Retry-After. */
const OVERLOAD_PAUSE_MS = 30 * SECOND_MS
const OVERLOAD_STATUSES = [429, 502, 504]

/** A webhook is disabled if every attempt has failed for this long… */
const MAX_FAILING_MS = 5 * DAY_MS
/** …and if at least this many deliveries have failed within the last day. */
const MIN_FAILURES = 3

export interface Attempt {
  /** The delivery. */
  id: number
  /** The number of attempts so far, with this one. */
  attempts: number
}

/** A delivery leased by this process, with everything needed to send it. */
export interface LeasedDelivery extends Attempt {
  webhookId: number
  /** The webhook, its organization and its host, which share the slots of a process. */
  parties: Parties
  url: string
  secrets: string[]
  /** The same on each attempt. */
  messageId: string
  payload: Payload
}

export type Parties = [webhook: string, ...others: string[]]

interface LeaseLimits {
  now: number
  /** The maximum number of deliveries that a process sends at the same time. */
  max: number
  maxPerWebhook: number
  /** The parties of each delivery that this process is sending. */
  sending: Parties[]
}

/** A literal, because SQLite uses a partial index only if the query contains its condition literally. */
export const PENDING = sql.lit<'pending'>('pending')

/** Whether any delivery is due, including deliveries whose lease has expired. */
export async function hasDue(db: Db, now: number): Promise<boolean> {
  const due = db.selectFrom('delivery').select('id').where('status', '=', PENDING).where('due_at', '<=', now)
  return (await due.where('leased_until', '<=', now).limit(1).executeTakeFirst()) !== undefined
}

/** The number of due deliveries of a webhook that are examined for some that need not wait. */
const MAX_CANDIDATES = 100
/** The fraction of `max` that is reserved for webhooks that are not failing. */
const HEALTHY_SHARE = 0.5

/** Counts the deliveries that a process sends, by party. */
function countSlots({ max, maxPerWebhook, sending }: LeaseLimits) {
  const inUse = new Map<string, number>()
  let total = 0
  function occupy(parties: Parties, count: number): void {
    total += count
    for (const name of parties) inUse.set(name, (inUse.get(name) ?? 0) + count)
  }
  for (const parties of sending) occupy(parties, 1)
  const countOwn = (name: string): number => inUse.get(name) ?? 0
  /** A party gets at most a quarter of the slots that others do not use, but at least one. */
  const countLeft = (name: string): number => Math.ceil((max - total + countOwn(name)) / 4) - countOwn(name)
  return {
    occupy,
    isFull: () => total >= max,
    countFree: ([webhook, ...others]: Parties, isFailing: boolean): number =>
      Math.min(
        max * (isFailing ? 1 - HEALTHY_SHARE : 1) - total,
        maxPerWebhook - countOwn(webhook),
        ...others.map(countLeft),
      ),
  }
}

/** Webhooks without an organization belong to admins, who have no share of their own. */
function partiesOf({
  id,
  organization_id,
  url,
}: Pick<DueWebhook, 'id' | 'organization_id' | 'url'>): Parties {
  const organization = organization_id === null ? [] : [`organization ${organization_id}`]
  return [`webhook ${id}`, ...organization, `host ${new URL(url).hostname}`]
}

/**
 * Leases deliveries that are due. A delivery waits while an earlier delivery with its webhook and subject is
 * untried or being sent, so events of an animal arrive in order.
 */
export async function leaseDeliveries(db: Db, limits: LeaseLimits): Promise<LeasedDelivery[]> {
  const { now } = limits
  const slots = countSlots(limits)
  const ids: number[] = []
  for (const webhook of await listDue(db, now)) {
    if (slots.isFull()) break
    const parties = partiesOf(webhook)
    const limit = slots.countFree(parties, webhook.failing_since !== null)
    if (limit <= 0) continue
    const next = await lockNext(db, webhook.id, { now, limit })
    slots.occupy(parties, next.length)
    ids.push(...next)
  }
  if (ids.length === 0) return []
  await db
    .updateTable('delivery')
    .set(({ eb }) => ({
      leased_until: now + LEASE_MS,
      attempts: eb('attempts', '+', 1),
      attempted_at: now,
    }))
    .where('id', 'in', ids)
    .execute()
  const rows = await db
    .selectFrom('delivery')
    .innerJoin('webhook', 'webhook.id', 'delivery.webhook_id')
    .leftJoin('event', 'event.id', 'delivery.event_id')
    .select(['delivery.id', 'webhook_id', 'attempts', 'url', 'secret', 'old_secret', 'old_secret_expires_at'])
    .select(['webhook.organization_id as owner', 'event_id', 'event.type', 'event.at'])
    .select(['event.organization_id', 'event.data', 'delivery.created_at'])
    .where('delivery.id', 'in', ids)
    .orderBy('delivery.id')
    .execute()
  const isGone = ({ event_id, type }: (typeof rows)[number]) => event_id !== null && type === null
  await removeDeliveries(db, rows.filter(isGone))
  return rows
    .filter((row) => !isGone(row))
    .map((row) => ({
      id: row.id,
      webhookId: row.webhook_id,
      parties: partiesOf({ id: row.webhook_id, organization_id: row.owner, url: row.url }),
      attempts: row.attempts,
      url: row.url,
      secrets: [
        row.secret,
        ...(row.old_secret && Number(row.old_secret_expires_at) > now ? [row.old_secret] : []),
      ],
      messageId: row.event_id === null ? `test_${row.id}` : `evt_${formatId(row.event_id)}`,
      payload: payloadOf(row),
    }))
}

/** Removes deliveries whose events were removed because of their age. */
async function removeDeliveries(db: Db, rows: { id: number }[]): Promise<void> {
  const ids = rows.map(({ id }) => id)
  if (ids.length > 0) await db.deleteFrom('delivery').where('id', 'in', ids).execute()
}

/** Ends the leases of deliveries that a process has not sent before it stops. They are due immediately. */
export async function releaseDeliveries(db: Db, unsent: Attempt[]): Promise<void> {
  for (const { id, attempts } of unsent)
    await db
      .updateTable('delivery')
      .set({ leased_until: 0, attempts: attempts - 1, ...(attempts === 1 && { attempted_at: null }) })
      .where('id', '=', id)
      .where('attempts', '=', attempts)
      .execute()
}

interface DueWebhook {
  id: number
  organization_id: number | null
  url: string
  failing_since: number | null
}

/** Lists webhooks with a due delivery: webhooks that are not failing first, then by the oldest due time. */
async function listDue(db: Db, now: number): Promise<DueWebhook[]> {
  const rows = await db
    .selectFrom('webhook')
    .select(['id', 'organization_id', 'url', 'failing_since'])
    .select(({ selectFrom }) =>
      selectFrom('delivery')
        .select('due_at')
        .whereRef('webhook_id', '=', 'webhook.id')
        .where('status', '=', PENDING)
        .where('due_at', '<=', now)
        .where('leased_until', '<=', now)
        .orderBy('due_at')
        .limit(1)
        .as('due_at'),
    )
    .where('enabled', '=', 1)
    .where('paused_until', '<=', now)
    .execute()
  const isFailing = ({ failing_since }: DueWebhook): number => Number(failing_since !== null)
  return rows
    .filter(({ due_at }) => due_at !== null)
    .sort((one, other) => isFailing(one) - isFailing(other) || Number(one.due_at) - Number(other.due_at))
}

/** Locks the next deliveries of a webhook, except those that another process leases. @returns their ids */
async function lockNext(
  db: Db,
  webhookId: number,
  { now, limit }: { now: number; limit: number },
): Promise<number[]> {
  const candidates = db
    .selectFrom('delivery')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .where('status', '=', PENDING)
    .where('due_at', '<=', now)
    .where('leased_until', '<=', now)
    .orderBy('due_at')
    .orderBy('id')
    .limit(MAX_CANDIDATES)
  const earlier = db
    .selectFrom('delivery as earlier')
    .select('earlier.id')
    .where('earlier.webhook_id', '=', webhookId)
    .where('earlier.subject', '=', sql.ref<string>('delivery.subject'))
    .where('earlier.id', '<', sql.ref<number>('delivery.id'))
    .where('earlier.status', '=', PENDING)
  const untried = earlier.where('earlier.attempted_at', 'is', null)
  // The condition with 0 lets both engines use the index delivery_leased.
  const sending = earlier
    .where('earlier.leased_until', '>', sql.lit(0))
    .where('earlier.leased_until', '>', now)
  const next = db
    .selectFrom('delivery')
    .select('id')
    .where('id', 'in', candidates)
    // After PostgreSQL has waited for a locked row, it checks only the conditions on that row again.
    .where('status', '=', PENDING)
    .where('leased_until', '<=', now)
    .where(({ not, exists }) => not(exists(untried)))
    .where(({ not, exists }) => not(exists(sending)))
    .orderBy('due_at')
    .orderBy('id')
    .limit(limit)
  const rows = await dialectOf(db).lockRows(next, 'skip').execute()
  return rows.map(({ id }) => id)
}

interface EventRow {
  event_id: number | null
  type: string | null
  at: number | null
  organization_id: number | null
  data: string | null
  created_at: number
}

function payloadOf({ event_id, type, at, organization_id, data, created_at }: EventRow): Payload {
  const timestamp = new Date(at ?? created_at).toISOString()
  if (event_id === null || type === null || data === null)
    return { type: TEST_TYPE, timestamp, data: { message: 'This is a test.' } }
  const organization = organization_id === null ? {} : { organizationId: organization_id }
  const id = { eventId: formatId(event_id) }
  return { type: type as Payload['type'], timestamp, data: { ...id, ...organization, ...JSON.parse(data) } }
}

export interface AttemptResult {
  /** The HTTP status. Absent if there was no response. */
  status?: number | undefined
  /** The beginning of the response, or why there was none. */
  body: string
  /** The value of Retry-After in milliseconds. */
  retryAfterMs?: number | undefined
  /** Whether the endpoint has asked to receive no more deliveries. */
  isGone: boolean
  /** A random number from 0 to 1, for the jitter. */
  random: number
}

/** Whether an endpoint has received a delivery, by the status of its response. */
export const isReceived = (status: number | undefined): boolean =>
  status !== undefined && status >= 200 && status < 300

/** Records the result of an attempt, and when the next is due. @returns whether it disabled the webhook */
export async function endAttempt(
  db: Db,
  { id, webhookId, attempts }: Attempt & Pick<LeasedDelivery, 'webhookId'>,
  { status, body, retryAfterMs = 0, isGone, random }: AttemptResult,
  now: number,
): Promise<boolean> {
  const isDelivered = isReceived(status)
  const wait = WAITS_MS[attempts - 1]
  const pause = Math.min(retryAfterMs, MAX_RETRY_AFTER_MS)
  const jittered = wait === undefined ? 0 : wait * (1 - JITTER + 2 * JITTER * random)
  const hasFailed = !isDelivered && (wait === undefined || isGone)
  const { numUpdatedRows } = await db
    .updateTable('delivery')
    .set({
      status: isDelivered ? 'delivered' : hasFailed ? 'failed' : 'pending',
      leased_until: 0,
      due_at: now + Math.round(Math.max(jittered, pause)),
      response_status: status ?? null,
      response_body: body,
    })
    .where('id', '=', id)
    .where('attempts', '=', attempts)
    .executeTakeFirstOrThrow()
  // Another process has sent the delivery again, because this process took too long.
  if (numUpdatedRows === 0n) return false
  if (isDelivered && !isGone) {
    await updateWebhook(db, webhookId, { failing_since: null })
    return false
  }
  if (isGone) return disable(db, webhookId, 'gone')
  if (OVERLOAD_STATUSES.includes(status ?? 0))
    await updateWebhook(db, webhookId, { paused_until: now + Math.max(pause, OVERLOAD_PAUSE_MS) })
  await db
    .updateTable('webhook')
    .set({ failing_since: now })
    .where('id', '=', webhookId)
    .where('failing_since', 'is', null)
    .execute()
  return (await isFailing(db, webhookId, now)) && disable(db, webhookId, 'failing')
}

const updateWebhook = (db: Db, id: number, columns: { failing_since?: null; paused_until?: number }) =>
  db.updateTable('webhook').set(columns).where('id', '=', id).execute()

async function isFailing(db: Db, webhookId: number, now: number): Promise<boolean> {
  const webhook = await db
    .selectFrom('webhook')
    .select('failing_since')
    .where('id', '=', webhookId)
    .executeTakeFirst()
  const since = webhook?.failing_since ?? now
  if (now - since < MAX_FAILING_MS) return false
  const failures = db
    .selectFrom('delivery')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .where('status', '!=', 'delivered')
    .where('attempted_at', '>', now - DAY_MS)
    .limit(MIN_FAILURES)
  return (await failures.execute()).length === MIN_FAILURES
}

/** @returns whether the webhook was enabled before */
export async function disable(db: Db, id: number, reason: 'behind' | 'failing' | 'gone'): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('webhook')
    .set({ enabled: 0, disabled_reason: reason })
    .where('id', '=', id)
    .where('enabled', '=', 1)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}
