import type { Selectable } from 'kysely'
import { changes } from '../db/change.ts'
import { dialectOf } from '../db/dialect.ts'
import {
  MAX_STATEMENT_ROWS,
  prepareQuery,
  type RowValues,
  rowsOf,
  shapeOf,
  valuesOf,
} from '../db/prepared.ts'
import type { Db, Tables } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { type Job, runInSteps } from '../jobs/job.ts'
import { type Event, type EventData, type EventType, LATEST } from './schema.ts'

// The log of events. Each change adds its events in its own transaction. Ids ascend in the order in which
// events become visible: after a reader has seen an event, no event with a lower id appears.

/**
 * The callers who may see an event. `public`: every key. `internal`: staff of its organization.
 * `confidential`: only callers who may see the orders and applications of its organization.
 */
type Audience = 'public' | 'internal' | 'confidential'

export interface NewEvent {
  type: EventType
  audience: Audience
  organizationId: number | null | undefined
  data: EventData
}

const insertRows = prepareQuery<RowValues, never>(
  (db, fill, values) =>
    db.insertInto('event').values(
      rowsOf(values, fill, (own) => ({
        type: own('type'),
        at: fill('at'),
        subject: own('subject'),
        audience: own('audience'),
        organization_id: own('organizationId'),
        data: own('data'),
      })),
    ),
  shapeOf,
)

/** Adds events to the log, in the transaction of the change. @param now Unix time in milliseconds */
export async function recordEvents(db: Db, events: readonly NewEvent[], now: number): Promise<void> {
  for (let from = 0; from < events.length; from += MAX_STATEMENT_ROWS) {
    const rows = events.slice(from, from + MAX_STATEMENT_ROWS).map((event) => ({
      ...event,
      organizationId: event.organizationId ?? null,
      subject: subjectOf(event.data),
      data: JSON.stringify(event.data),
    }))
    await insertRows(db, valuesOf(rows, { at: now }))
  }
}

/** The animal, organization or category whose events are sent in order. Orders belong to their animal. */
function subjectOf({ petId, organizationId, categoryId }: EventData): string {
  if (petId !== undefined) return `pet:${petId}`
  return organizationId !== undefined ? `organization:${organizationId}` : `category:${categoryId}`
}

/** The events that a reader may see. */
export interface Reader {
  audiences: readonly Audience[]
  /** The reader's own organization, and the audiences of its events that the reader belongs to. */
  own?: { organizationId: number; audiences: readonly Audience[] }
}

export function readerOf({ kind, access, view, organizationId }: Caller): Reader {
  if (view === 'public') return { audiences: ['public'] }
  const mayWrite = access === 'write' && (kind === 'staff' || organizationId !== undefined)
  const seesPeople = access === 'admin' || mayWrite
  const audiences: Audience[] = ['public', 'internal', ...(seesPeople ? (['confidential'] as const) : [])]
  return organizationId === undefined
    ? { audiences }
    : { audiences: ['public'], own: { organizationId, audiences } }
}

export interface EventRange {
  /** The id of the last event that the reader has seen. */
  after: number
  types?: readonly EventType[] | undefined
  limit: number
}

export interface EventPage {
  /** A list of Event, as JSON. */
  json: string
  /** The `after` of the next page. */
  next: number
}

/** The maximum number of ids that one read examines. A page can be short, or empty, before more events. */
const MAX_IDS = 20_000

/** Reads the events after an id that a reader may see, oldest first. */
export async function listEvents(db: Db, reader: Reader, range: EventRange): Promise<EventPage> {
  const { rows, next } = await readPage(db, visibleTo(db, reader), range)
  return { json: `[${rows.map(jsonOf).join(',')}]`, next }
}

/** Reads all rows after an id, oldest first. Check with `canSee` whether a reader may see a row. */
export function readLog(db: Db, range: EventRange): Promise<{ rows: LogRow[]; next: number }> {
  return readPage(db, rowsIn(db), range)
}

async function readPage(db: Db, visible: ReturnType<typeof rowsIn>, { after, types, limit }: EventRange) {
  const newest = await findLast(db)
  const last = Math.min(after + MAX_IDS, newest)
  if (last <= after) return { rows: [], next: after }
  const rows = await visible
    .where('id', '>', after)
    .where('id', '<=', last)
    .$if(types !== undefined, (query) => query.where('type', 'in', [...(types ?? [])]))
    .orderBy('id')
    .limit(limit)
    .execute()
  return { rows, next: rows.length === limit ? (rows.at(-1)?.id ?? last) : last }
}

/** Reads the latest events, newest first. Looks only at the latest MAX_IDS events of the log. */
export async function listLatestEvents(
  db: Db,
  reader: Reader,
  { type, limit }: { type?: EventType | undefined; limit: number },
): Promise<Event[]> {
  const rows = await visibleTo(db, reader)
    .where('id', '>', (await findLast(db)) - MAX_IDS)
    .$if(type !== undefined, (query) => query.where('type', '=', type ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(toEvent)
}

const rowsIn = (db: Db) =>
  db.selectFrom('event').select(['id', 'type', 'at', 'audience', 'organization_id', 'data'])

/** A reader sees the events that match one of these grants. */
const grantsOf = ({
  audiences,
  own,
}: Reader): { audiences: readonly Audience[]; organizationId?: number }[] =>
  own ? [{ audiences }, own] : [{ audiences }]

const visibleTo = (db: Db, reader: Reader) =>
  rowsIn(db).where(({ and, eb, or }) =>
    or(
      grantsOf(reader).map(({ audiences, organizationId }) =>
        and([
          eb('audience', 'in', [...audiences]),
          ...(organizationId === undefined ? [] : [eb('organization_id', '=', organizationId)]),
        ]),
      ),
    ),
  )

/** Applies the rules of `visibleTo` to a row of `readLog`. */
export function canSee(reader: Reader, row: LogRow): boolean {
  return grantsOf(reader).some(
    ({ audiences, organizationId }) =>
      audiences.includes(row.audience) &&
      (organizationId === undefined || organizationId === row.organization_id),
  )
}

export type LogRow = Pick<
  Selectable<Tables['event']>,
  'id' | 'type' | 'at' | 'audience' | 'organization_id' | 'data'
>

export function toEvent({ id, type, at, organization_id, data }: LogRow): Event {
  return {
    id: formatId(id),
    type: type as EventType,
    at: new Date(at).toISOString(),
    ...(organization_id !== null && { organizationId: organization_id }),
    data: JSON.parse(data) as EventData,
  }
}

/** Converts a row to an Event as JSON. Its data is stored as JSON, and is not parsed. */
export function jsonOf({ id, type, at, organization_id, data }: LogRow): string {
  const organization = organization_id === null ? '' : `"organizationId":${organization_id},`
  const time = new Date(at).toISOString()
  return `{"id":"${formatId(id)}","type":"${type}","at":"${time}",${organization}"data":${data}}`
}

/** Finds the last event of the log. No event with a lower id can appear later. */
export async function findLast(db: Db): Promise<number> {
  const { rows } = await dialectOf(db).lastEvent.execute(db)
  return rows[0]?.id ?? 0
}

/** 16 digits hold every safe integer, so ids sort as text. */
export const formatId = (id: number): string => String(id).padStart(16, '0')

/** Finds the id of the last event that was removed because of its age. */
export const findRemoved = async (db: Db): Promise<number> =>
  (await db.selectFrom('event_log').select('removed_to').executeTakeFirstOrThrow()).removed_to

/**
 * Finds the id after which a reader begins.
 * @param after as in EventQuery
 * @throws {ApiError} events_expired if events after this id were removed, or if the log has not reached it
 */
export async function findStart(db: Db, after: string | undefined): Promise<number> {
  if (after === LATEST) return findLast(db)
  const removedTo = await findRemoved(db)
  if (after === undefined) return removedTo
  const id = Number(after)
  // After a restore from a backup, a reader may have seen events that the store does not have.
  if (id < removedTo || id > (await findLast(db))) throw new ApiError('events_expired')
  return id
}

/** Finds the id of the last event before a time. Assumes that the times of events ascend. */
export async function findLastBefore(db: Db, time: number): Promise<number> {
  let [before, after] = [await findRemoved(db), await findLast(db)]
  while (before < after) {
    const middle = Math.floor((before + after) / 2)
    const event = await findNext(db, middle)
    if (event && event.id <= after && event.at < time) before = event.id
    else after = middle
  }
  return before
}

/** Finds the first event after an id. */
const findNext = (db: Db, after: number): Promise<{ id: number; at: number } | undefined> =>
  db
    .selectFrom('event')
    .select(['id', 'at'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()

/** Finds the id of the last event whose deliveries to webhooks were added. */
export async function findQueued(db: Db): Promise<number> {
  return (await db.selectFrom('event_log').select('queued_to').executeTakeFirstOrThrow()).queued_to
}

/** Like `findQueued`, but locks the value. @returns undefined if it skips a locked value */
export async function lockQueued(db: Db, others: 'skip' | 'wait'): Promise<number | undefined> {
  const rows = dialectOf(db).lockRows(db.selectFrom('event_log').select('queued_to'), others)
  return (await rows.executeTakeFirst())?.queued_to
}

export async function setQueued(db: Db, id: number): Promise<void> {
  await db.updateTable('event_log').set({ queued_to: id }).execute()
}

/** The maximum number of events that one transaction removes. */
const BATCH_SIZE = 2_000

/** @param before Unix time in milliseconds */
export async function hasOldEvents(db: Db, before: number): Promise<boolean> {
  const oldest = await db.selectFrom('event').select('at').orderBy('id').limit(1).executeTakeFirst()
  return oldest !== undefined && oldest.at < before
}

/** Removes up to BATCH_SIZE events that happened before a time. @returns whether more of them may remain */
export async function removeOldEvents(db: Db, before: number): Promise<boolean> {
  const rows = await db.selectFrom('event').select(['id', 'at']).orderBy('id').limit(BATCH_SIZE).execute()
  const firstKept = rows.findIndex(({ at }) => at >= before)
  const old = firstKept < 0 ? rows : rows.slice(0, firstKept)
  const last = old.at(-1)?.id
  if (last === undefined) return false
  await db.deleteFrom('event').where('id', '<=', last).execute()
  await db.updateTable('event_log').set({ removed_to: last }).where('removed_to', '<', last).execute()
  return old.length === BATCH_SIZE
}

const DAY_MS = 86_400_000

/** Removes events that are older than EVENT_DAYS. */
export const oldEvents: Job = {
  isDue: ({ db, clock, config }) => hasOldEvents(db, clock() - config.eventDays * DAY_MS),
  run: ({ write, clock, config }, mayContinue) =>
    runInSteps(() => write(changes.removeOldEvents, clock() - config.eventDays * DAY_MS), mayContinue),
}
