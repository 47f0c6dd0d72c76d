import { type SqlBool, sql } from 'kysely'
import { dialectOf } from '../db/dialect.ts'
import type { Db } from '../db/tables.ts'
import { mapInTurns } from '../http/turns.ts'
import { type Viewer, whereVisibleTo } from '../orders/store.ts'
import type { ApplicationQuery } from './schema.ts'
import { APPLICATION_COLUMNS, type StoredApplication, toStored } from './store.ts'

// Lists applications: either the newest first, or the oldest open application first.

/** The filters of a list, and the id after which the page begins. */
export type PageStart = Omit<ApplicationQuery, 'cursor'> & { after?: number | undefined }

/** The number of applications read at once. Other requests wait while 1 MB is read. */
const BATCH_SIZE = 25

/** Lists applications, newest first. Returns one more than `limit` if a next page exists. */
export async function list(db: Db, start: PageStart, viewer: Viewer): Promise<StoredApplication[]> {
  const found: StoredApplication[] = []
  for (let { after } = start; ; after = found.at(-1)?.id) {
    const count = Math.min(BATCH_SIZE, start.limit + 1 - found.length)
    const rows = await page(db, { ...start, after, limit: count - 1 }, viewer).execute()
    found.push(...(await mapInTurns(rows, toStored)))
    if (rows.length < count || found.length > start.limit) return found
  }
}

/** The maximum number of open applications that are listed for one animal. */
const MAX_OPEN = 50

/** Lists the open applications for an animal: the approved one first, then the oldest. */
export async function listOpen(db: Db, petId: number, viewer: Viewer): Promise<StoredApplication[]> {
  const rows = await db
    .selectFrom('application')
    .select(APPLICATION_COLUMNS)
    .where('pet_id', '=', petId)
    .where(isVisibleTo(viewer))
    .where('closed_at', 'is', null)
    .orderBy(sql`case when status = 'approved' then 0 else 1 end`)
    .orderBy('id')
    .limit(MAX_OPEN)
    .execute()
  return rows.map(toStored)
}

/** The maximum number of waiting applications, per status, that are searched for the same person. */
const MAX_SEARCHED = 500
/** The maximum number of other applications that are listed for one application. */
const MAX_OTHERS = 10

/** The e-mail address of the applicant, which is in a JSON column. */
const EMAIL = {
  sqlite: sql.raw<string | null>(`applicant ->> '$.applicant.email'`),
  postgres: sql.raw<string | null>(`applicant::json #>> '{applicant,email}'`),
}

export type OtherApplication = Pick<StoredApplication, 'id' | 'petId'>

/**
 * Finds the other waiting applications of the same people, by the ids of the given applications. The e-mail
 * address identifies a person.
 */
export async function findOthersOfSamePeople(
  db: Db,
  given: readonly StoredApplication[],
  viewer: Viewer,
): Promise<Map<number, OtherApplication[]>> {
  const email = EMAIL[dialectOf(db).engine]
  const waiting: (OtherApplication & { email: string | null })[] = []
  for (const status of UNDECIDED) {
    const rows = selectStatus(db, status, { limit: MAX_SEARCHED }).select([
      'id',
      'pet_id as petId',
      email.as('email'),
    ])
    waiting.push(...(await whereVisibleTo(rows, viewer).execute()))
  }
  const byPerson = Map.groupBy(waiting, (one) => one.email?.toLowerCase())
  return new Map(
    given.flatMap(({ id, personal }) => {
      const own = personal && byPerson.get(personal.applicant.email.toLowerCase())
      const others = own?.filter((one) => one.id !== id).sort((one, other) => one.id - other.id) ?? []
      return others.length > 0 ? [[id, others.slice(0, MAX_OTHERS)] as const] : []
    }),
  )
}

/** Builds the query of `list`. */
export function page(db: Db, { limit, status, petId, after }: PageStart, viewer: Viewer) {
  let rows = db
    .selectFrom('application')
    .select(APPLICATION_COLUMNS)
    .orderBy('id', 'desc')
    .limit(limit + 1)
  rows =
    petId === undefined
      ? whereVisibleTo(rows, viewer)
      : rows.where('pet_id', '=', petId).where(isVisibleTo(viewer))
  if (status) rows = rows.where('status', '=', status)
  if (after !== undefined) rows = rows.where('id', '<', after)
  return rows
}

/**
 * Like `whereVisibleTo`, but as an expression that no index supports. The database then searches by the
 * animal, because an animal has few applications. A key or an organization has many.
 */
function isVisibleTo({ sees, keyId, organizationId }: Viewer) {
  if (sees === 'all') return sql<SqlBool>`1 = 1`
  if (sees === 'placed') return sql<SqlBool>`placed_by + 0 = ${keyId}`
  return sql<SqlBool>`organization_id + 0 = ${organizationId}`
}

/** The statuses of applications that need a decision. */
const UNDECIDED = ['received', 'in_review'] as const

/** Counting stops at this number. */
export const MAX_COUNTED = 1_000

export interface QueuePage {
  limit: number
  /** The page begins after this id. */
  after?: number | undefined
}

/**
 * Lists applications that need a decision, oldest first. Returns one more than `limit` if a next page exists.
 */
export async function listWaiting(db: Db, page: QueuePage, viewer: Viewer): Promise<StoredApplication[]> {
  const applications: StoredApplication[] = []
  // The index sorts applications within each status, but not across both statuses.
  for (const status of UNDECIDED) {
    const rows = whereVisibleTo(selectStatus(db, status, page).select(APPLICATION_COLUMNS), viewer)
    applications.push(...(await rows.execute()).map(toStored))
  }
  return applications.sort((one, other) => one.id - other.id).slice(0, page.limit + 1)
}

function selectStatus(db: Db, status: string, { limit, after = 0 }: QueuePage) {
  return db
    .selectFrom('application')
    .where('status', '=', status)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit + 1)
}

/** Counts the applications that need a decision, up to MAX_COUNTED + 1. */
export async function countWaiting(db: Db, viewer: Viewer): Promise<number> {
  let total = 0
  for (const status of UNDECIDED) {
    const rows = whereVisibleTo(selectStatus(db, status, { limit: MAX_COUNTED }).select('id'), viewer)
    const counted = db.selectFrom(rows.as('waiting')).select(sql<number>`count(*)`.as('count'))
    total += Number((await counted.executeTakeFirstOrThrow()).count)
  }
  return Math.min(total, MAX_COUNTED + 1)
}
