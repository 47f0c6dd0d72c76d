import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Db, Tables } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import {
  findLast,
  findLastBefore,
  findQueued,
  findRemoved,
  formatId,
  lockQueued,
  setQueued,
} from '../events/log.ts'
import { expiryJob } from '../jobs/expiry.ts'
import { disable } from './attempts.ts'
import { type Delivery, type DeliveryQuery, type Recovery, TEST_TYPE } from './schema.ts'

// Deliveries: one row for each event that is sent to a webhook, with all of its state. See attempts.ts.

/** The maximum number of deliveries that one transaction adds. */
const MAX_QUEUED = 5_000
/** A webhook with so many pending deliveries is behind: it gets no more until fewer than half are left. */
const MAX_PENDING = 1_000
/** The maximum number of webhooks to which one transaction adds deliveries after they have fallen behind. */
const MAX_REFILLED = MAX_QUEUED / MAX_PENDING

/** Whether the log has events whose deliveries were not added yet. */
export async function hasNewEvents(db: Db): Promise<boolean> {
  return (await findQueued(db)) < (await findLast(db))
}

/** Counts the webhooks that one event can have: those of all events, and those of its organization. */
async function countTargets(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(case when organization_id is null then webhooks end), 0)
      + coalesce(max(case when organization_id is not null then webhooks end), 0) as count
    from (
      select organization_id, count(*) as webhooks from webhook
      where enabled = 1 and behind = 0 group by organization_id
    ) as owner
  `.execute(db)
  return Number(rows[0]?.count)
}

export const hasWebhooks = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('webhook').select('id').where('enabled', '=', 1).limit(1).executeTakeFirst()) !==
  undefined

/**
 * Skips the events that happened while no webhook was enabled.
 * @returns the id of the last event; a new webhook gets the events after it
 */
export async function skipToNewest(db: Db): Promise<number> {
  await lockQueued(db, 'wait')
  const last = await findLast(db)
  if (!(await hasWebhooks(db))) await setQueued(db, last)
  return last
}

/** SQL conditions: the webhook gets events of this organization. Each lets the engines use its own index. */
const OWNERS = [sql`webhook.organization_id is null`, sql`webhook.organization_id = event.organization_id`]
/** An SQL condition: the webhook gets events of this type. */
const IS_WANTED = sql`(webhook.types = '[]' or webhook.types like '%"' || event.type || '"%')`

/** Adds the deliveries of the next events, one for each webhook. @returns whether more events may follow */
export async function queueDeliveries(db: Db, now: number): Promise<boolean> {
  const from = await lockQueued(db, 'skip')
  if (from === undefined) return false
  const newest = await findLast(db)
  const webhooks = await countTargets(db)
  const step = webhooks === 0 ? newest : Math.max(1, Math.min(MAX_PENDING, Math.floor(MAX_QUEUED / webhooks)))
  const to = Math.min(newest, from + step)
  if (to <= from) return false
  const isNext = sql<boolean>`
    event.id > ${from} and event.id <= ${to} and event.id > webhook.last_event_id
    and webhook.enabled = 1 and webhook.behind = 0
  `
  if (webhooks > 0) {
    const { last } = await db
      .selectFrom('delivery')
      .select(({ fn }) => fn.max('id').as('last'))
      .executeTakeFirstOrThrow()
    await insertDeliveries(db, isNext, now)
    await sql`
      update webhook set behind = 1, last_event_id = ${to}
      where id in (select webhook_id from delivery where id > ${last ?? 0}) and ${hasPending(MAX_PENDING)}
    `.execute(db)
  }
  await setQueued(db, to)
  return to < newest
}

/** An SQL condition: at least this many deliveries of the webhook are pending. */
const hasPending = (count: number) => sql<boolean>`exists (
  select 1 from delivery where webhook_id = webhook.id and status = 'pending' limit 1 offset ${sql.lit(count - 1)}
)`

const selectBehind = (db: Db) =>
  db.selectFrom('webhook').where('behind', '=', sql.lit(1)).where('enabled', '=', 1)

export const hasBehind = async (db: Db): Promise<boolean> =>
  (await selectBehind(db).select('id').limit(1).executeTakeFirst()) !== undefined

/**
 * Adds the next deliveries of webhooks that have fallen behind and have room again. Disables webhooks whose
 * next events were removed because of their age.
 * @returns whether more may follow, and the webhooks that it has disabled
 */
export async function refillDeliveries(
  db: Db,
  now: number,
): Promise<{ hasMore: boolean; disabledIds: number[] }> {
  const disabledIds: number[] = []
  const queuedTo = await lockQueued(db, 'skip')
  if (queuedTo === undefined) return { hasMore: false, disabledIds }
  const webhooks = await selectBehind(db)
    .select(['id', 'last_event_id'])
    .where(sql<boolean>`not ${hasPending(MAX_PENDING / 2)}`)
    .orderBy('last_event_id')
    .limit(MAX_REFILLED)
    .execute()
  const removedTo = await findRemoved(db)
  for (const { id, last_event_id: from } of webhooks) {
    if (from < removedTo) {
      if (await disable(db, id, 'behind')) disabledIds.push(id)
      continue
    }
    const to = Math.min(queuedTo, from + MAX_PENDING)
    const isNext = sql<boolean>`webhook.id = ${id} and event.id > ${from} and event.id <= ${to}`
    await insertDeliveries(db, isNext, now)
    const behind = Number(to < queuedTo)
    await db.updateTable('webhook').set({ last_event_id: to, behind }).where('id', '=', id).execute()
  }
  return { hasMore: webhooks.length > 0, disabledIds }
}

/** Adds the deliveries of the events and webhooks that meet a condition, in the order of the events. */
async function insertDeliveries(db: Db, condition: RawBuilder<boolean>, now: number): Promise<void> {
  for (const isOwn of OWNERS)
    await sql`
      insert into delivery (webhook_id, event_id, subject, status, due_at, created_at)
      select webhook.id, event.id, event.subject, 'pending', ${sql.lit(now)}, ${sql.lit(now)}
      from event, webhook
      where ${condition} and ${isOwn} and ${IS_WANTED}
      order by event.id
      on conflict (webhook_id, event_id) do nothing
    `.execute(db)
}

const OWN_COLUMNS = [
  ...(['id', 'event_id', 'status', 'attempts', 'due_at', 'attempted_at'] as const),
  ...(['response_status', 'response_body', 'created_at'] as const),
] as const
type OwnRow = Pick<Selectable<Tables['delivery']>, (typeof OWN_COLUMNS)[number]>

export async function insertTest(db: Db, webhookId: number, now: number): Promise<Delivery> {
  const row = await db
    .insertInto('delivery')
    .values({
      webhook_id: webhookId,
      event_id: null,
      subject: 'test',
      status: 'pending',
      due_at: now,
      created_at: now,
    })
    .returning(OWN_COLUMNS)
    .executeTakeFirstOrThrow()
  return toDelivery({ ...row, type: null })
}

const selectDeliveries = (db: Db, webhookId: number) =>
  db
    .selectFrom('delivery')
    .leftJoin('event', 'event.id', 'delivery.event_id')
    .select(OWN_COLUMNS.map((name) => `delivery.${name}` as const))
    .select('event.type')
    .where('webhook_id', '=', webhookId)

export async function listDeliveries(
  db: Db,
  webhookId: number,
  { status, before, limit }: DeliveryQuery,
): Promise<Delivery[]> {
  let rows = selectDeliveries(db, webhookId).orderBy('delivery.id', 'desc').limit(limit)
  if (status !== undefined) rows = rows.where('status', '=', status)
  if (before !== undefined) rows = rows.where('delivery.id', '<', before)
  return (await rows.execute()).map(toDelivery)
}

function toDelivery(row: OwnRow & { type: string | null }): Delivery {
  const time = (at: number) => new Date(at).toISOString()
  return {
    id: row.id,
    ...(row.event_id !== null && { eventId: formatId(row.event_id) }),
    type: row.type ?? TEST_TYPE,
    status: row.status,
    attempts: row.attempts,
    ...(row.attempted_at !== null && { attemptedAt: time(row.attempted_at) }),
    ...(row.status === 'pending' && { dueAt: time(row.due_at) }),
    ...(row.response_status !== null && { responseStatus: row.response_status }),
    ...(row.response_body !== null && { responseBody: row.response_body }),
    createdAt: time(row.created_at),
  }
}

/** Makes a delivery due now. @throws {ApiError} delivery_not_found, also while the delivery is being sent */
export async function retryDelivery(db: Db, webhookId: number, id: number, now: number): Promise<Delivery> {
  const { numUpdatedRows } = await db
    .updateTable('delivery')
    .set({ status: 'pending', attempts: 0, due_at: now })
    .where('webhook_id', '=', webhookId)
    .where('id', '=', id)
    .where('leased_until', '<=', now)
    .executeTakeFirstOrThrow()
  const row = await selectDeliveries(db, webhookId).where('delivery.id', '=', id).executeTakeFirst()
  if (!row || numUpdatedRows === 0n) throw new ApiError('delivery_not_found')
  return toDelivery(row)
}

/** The maximum number of events that one request examines for missed ones. */
const MAX_RECOVERED = 2_000
/** How much older an event may be than one before it, as transactions stay open and clocks differ. */
const MAX_DISORDER_MS = 600_000

interface RecoveryRange {
  /** Unix time in milliseconds. */
  since: number
  /** The id of the last event that an earlier request examined. */
  after?: number | undefined
}

/** Makes undelivered events since a time due now. `refillDeliveries` adds those without a delivery. */
export async function recoverDeliveries(
  db: Db,
  webhookId: number,
  { since, after }: RecoveryRange,
  now: number,
): Promise<Recovery> {
  const newest = await skipToNewest(db)
  const from = after ?? (await findLastBefore(db, since - MAX_DISORDER_MS))
  const to = Math.min(newest, from + MAX_RECOVERED)
  const isNext = sql<boolean>`event.id > ${from} and event.id <= ${to} and event.at >= ${since}`
  await db
    .updateTable('delivery')
    .set({ status: 'pending', attempts: 0, due_at: now })
    .where('webhook_id', '=', webhookId)
    .where('event_id', 'in', (eb) => eb.selectFrom('event').select('event.id').where(isNext))
    .where('status', '!=', 'delivered')
    .where('leased_until', '<=', now)
    .where(({ eb, or }) => or([eb('attempts', '>', 0), eb('due_at', '>', now)]))
    .execute()
  const { rows } = await sql<{ undelivered: number; missed: number }>`
    select count(*) as undelivered, sum(case when status is null then 1 else 0 end) as missed
    from (
      select (select status from delivery where webhook_id = webhook.id and event_id = event.id) as status
      from event, webhook
      where webhook.id = ${webhookId} and ${isNext} and (${sql.join(OWNERS, sql` or `)}) and ${IS_WANTED}
    ) as next
    where status is null or status <> 'delivered'
  `.execute(db)
  const { undelivered, missed } = rows[0] ?? { undelivered: 0, missed: 0 }
  if (Number(missed) > 0)
    await db
      .updateTable('webhook')
      .set({ behind: 1, last_event_id: from })
      .where('id', '=', webhookId)
      .where(({ eb, or }) => or([eb('behind', '=', 0), eb('last_event_id', '>', from)]))
      .execute()
  return { deliveries: Number(undelivered), ...(to < newest && { continueAfter: formatId(to) }) }
}

const DAY_MS = 86_400_000

/** Removes deliveries that are older than EVENT_DAYS. */
export const oldDeliveries = expiryJob(
  { table: 'delivery', key: 'id', time: 'created_at' },
  ({ clock, config }) => clock() - config.eventDays * DAY_MS,
)
