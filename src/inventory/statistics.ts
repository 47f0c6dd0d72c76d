import { sql } from 'kysely'
import { dialectOf } from '../db/dialect.ts'
import type { Db } from '../db/tables.ts'
import { yieldToEventLoop } from '../http/turns.ts'
import type { Counts, Inventory, OutcomeCounts, Statistics } from './schema.ts'

// Counts intakes, outcomes, stays and applications. The database adds up one batch of rows after the other,
// so no other request waits for long, whatever the number of animals.

const DAY_MS = 86_400_000
/** Animals or applications per batch. */
const BATCH_SIZE = 1_000

interface Scope {
  /** Counts only the animals of this organization. */
  organizationId?: number | undefined
  /** The number of calendar months, the current one included. */
  months: number
  now: number
}

/** Animals that came and left on the same days in the same way. */
interface Group {
  categoryId: number
  isAdopted: number
  outcomeKind: string | null
  /** The dates of the staff; absent ones are null. */
  intakeDate: string | null
  outcomeDate: string | null
  /** Days since 1970, for animals without these dates. */
  knownDay: number | string | null
  changedDay: number | string | null
  animals: number | string
  lastId: number | string
}

/** Counts the animals and applications of an organization or of all. */
export async function compute(db: Db, { organizationId, months, now }: Scope): Promise<Statistics> {
  const date = new Date(now)
  const from = dayOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - months + 1))
  const to = dayOf(now)
  const count = createCounts(from, to)
  for await (const groups of readGroups(db, organizationId)) for (const group of groups) count.add(group)
  const applications = await countApplications(db, organizationId, Date.parse(from))
  return { from, to, ...count.result(), applications }
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

const MEMBER = {
  sqlite: (name: string) => sql.raw<string | null>(`json_extract(staff_part, '$.staff.${name}')`),
  postgres: (name: string) => sql.raw<string | null>(`(staff_part::json->'staff'->>'${name}')`),
}

/** As in pets/rules.ts: the time when the service first knew the animal. 0 and null mean an unknown time. */
const KNOWN_SINCE = sql.raw<number>(`(case when published_at > 0
  and (published_at < created_at or coalesce(created_at, 0) = 0) then published_at else created_at end)`)

async function* readGroups(db: Db, organizationId: number | undefined): AsyncGenerator<Group[]> {
  const member = MEMBER[dialectOf(db).engine]
  const own = organizationId === undefined ? sql`` : sql`and organization_id = ${organizationId}`
  for (let after = 0, isLast = false; !isLast; await yieldToEventLoop()) {
    const { rows } = await sql<Group>`
      select "categoryId", "isAdopted", "outcomeKind", "intakeDate", "outcomeDate", "knownDay", "changedDay",
        count(*) as animals, max(id) as "lastId"
      from (
        select id, category_id as "categoryId", case when status = 'sold' then 1 else 0 end as "isAdopted",
          ${member('outcomeKind')} as "outcomeKind", ${member('intakeDate')} as "intakeDate",
          ${member('outcomeDate')} as "outcomeDate", ${KNOWN_SINCE} / ${sql.lit(DAY_MS)} as "knownDay",
          status_changed_at / ${sql.lit(DAY_MS)} as "changedDay"
        from pet where id > ${after} ${own} order by id limit ${sql.lit(BATCH_SIZE)}
      ) as batch
      group by "categoryId", "isAdopted", "outcomeKind", "intakeDate", "outcomeDate", "knownDay", "changedDay"
    `.execute(db)
    yield rows
    isLast = rows.reduce((sum, { animals }) => sum + Number(animals), 0) < BATCH_SIZE
    after = rows.reduce((last, { lastId }) => Math.max(last, Number(lastId)), after)
  }
}

const OUTCOMES = {
  transferred: 'transferred',
  returned_to_owner: 'returnedToOwner',
  died: 'died',
} as const satisfies Record<string, keyof OutcomeCounts>

/** The first day of each range of days in care. */
export const WAITING_FROM = [0, 8, 31, 91, 181, 366]

function createCounts(from: string, to: string) {
  const months = new Map<string, Statistics['months'][number]>()
  /** By category, the number of animals for each length of stay in days. */
  const stays = new Map<number, Map<number, number>>()
  const waiting = WAITING_FROM.map(() => 0)
  const isInside = (day: string): boolean => day >= from && day <= to

  function monthOf(day: string, categoryId: number) {
    const month = day.slice(0, 7)
    const key = `${month} ${categoryId}`
    const none = { intakes: 0, adopted: 0, transferred: 0, returnedToOwner: 0, died: 0 }
    const found = months.get(key) ?? { month, categoryId, ...none }
    months.set(key, found)
    return found
  }

  function add(group: Group): void {
    const { categoryId, isAdopted, outcomeKind } = group
    const animals = Number(group.animals)
    const intake = group.intakeDate ?? dateOf(group.knownDay)
    const outcome = isAdopted ? 'adopted' : OUTCOMES[outcomeKind as keyof typeof OUTCOMES]
    const end = outcome && (group.outcomeDate ?? dateOf(group.changedDay))
    if (intake !== undefined && isInside(intake)) monthOf(intake, categoryId).intakes += animals
    if (outcome && end !== undefined && isInside(end)) {
      monthOf(end, categoryId)[outcome] += animals
      const days = intake === undefined ? -1 : daysBetween(intake, end)
      const own = stays.get(categoryId) ?? new Map<number, number>()
      if (days >= 0) own.set(days, (own.get(days) ?? 0) + animals)
      stays.set(categoryId, own)
    }
    // An intake in the future is planned.
    if (outcome || intake === undefined || intake > to) return
    const days = daysBetween(intake, to)
    const range = WAITING_FROM.findLastIndex((first) => first <= days)
    waiting[range] = (waiting[range] ?? 0) + animals
  }

  function result() {
    const sorted = [...months.values()].sort(
      (one, other) => one.month.localeCompare(other.month) || one.categoryId - other.categoryId,
    )
    const totals = outcomesIn(sorted)
    const all = totals.adopted + totals.transferred + totals.returnedToOwner + totals.died
    const categories = [...stays].sort(([one], [other]) => one - other)
    return {
      inCare: waiting.reduce((sum, count) => sum + count, 0),
      months: sorted,
      ...(all > 0 && { liveReleaseRate: Math.round(((all - totals.died) / all) * 1_000) / 1_000 }),
      lengthOfStay: {
        ...quartilesOf(categories.map(([, own]) => own)),
        categories: categories.map(([categoryId, own]) => ({ categoryId, ...quartilesOf([own]) })),
      },
      waiting: waiting.map((animals, index) => {
        const next = WAITING_FROM[index + 1]
        return { minDays: WAITING_FROM[index] ?? 0, ...(next && { maxDays: next - 1 }), animals }
      }),
    }
  }

  return { add, result }
}

const dateOf = (day: number | string | null): string | undefined =>
  Number(day) > 0 ? dayOf(Number(day) * DAY_MS) : undefined

const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS)

/** The outcomes of some months together. */
export function outcomesIn(months: readonly OutcomeCounts[]): OutcomeCounts {
  const totals = { adopted: 0, transferred: 0, returnedToOwner: 0, died: 0 }
  for (const month of months)
    for (const name of Object.keys(totals) as (keyof OutcomeCounts)[]) totals[name] += month[name]
  return totals
}

/** The median and the quartiles of stays, in days. */
function quartilesOf(counts: Map<number, number>[]) {
  const all = counts.flatMap((days) => [...days]).sort(([one], [other]) => one - other)
  const animals = all.reduce((sum, [, count]) => sum + count, 0)
  if (animals === 0) return { animals }
  const at = (part: number): number => {
    let seen = 0
    for (const [days, count] of all) {
      seen += count
      if (seen >= animals * part) return days
    }
    return 0
  }
  return { animals, lowerQuartile: at(0.25), median: at(0.5), upperQuartile: at(0.75) }
}

/** Counts the applications since a time, the newest first, and the animals that they are for. */
async function countApplications(
  db: Db,
  organizationId: number | undefined,
  from: number,
): Promise<Statistics['applications']> {
  const animals = new Set<number>()
  let received = 0
  for (let before = Number.MAX_SAFE_INTEGER; before > 0; await yieldToEventLoop()) {
    let page = db
      .selectFrom('application')
      .select(['id', 'pet_id as petId', 'received_at as receivedAt'])
      .where('id', '<', before)
      .orderBy('id', 'desc')
      .limit(BATCH_SIZE)
    if (organizationId !== undefined) page = page.where('organization_id', '=', organizationId)
    const rows = await page.execute()
    const recent = rows.filter(({ receivedAt }) => receivedAt >= from)
    for (const { petId } of recent) animals.add(petId)
    received += recent.length
    // Ids rise with time, so all other applications are older.
    before = rows.length < BATCH_SIZE || recent.length === 0 ? 0 : (rows.at(-1)?.id ?? 0)
  }
  const perAnimal = animals.size > 0 && { perAnimal: Math.round((received / animals.size) * 100) / 100 }
  return { received, animals: animals.size, ...perAnimal }
}

/** Counts animals by status and category. The store updates the counts with each change of an animal. */
export async function count(db: Db, organizationId?: number): Promise<Inventory> {
  const query = db
    .selectFrom('category')
    .leftJoin('inventory', (join) => {
      const joined = join.onRef('inventory.category_id', '=', 'category.id')
      return organizationId === undefined ? joined : joined.on('organization_id', '=', organizationId)
    })
    // Each organization has its own rows. Adding up thousands of them is faster in the database.
    .select(({ fn }) => [
      'category.id as categoryId',
      'inventory.status',
      fn.sum('inventory.pets').as('pets'),
    ])
    .groupBy(['category.id', 'inventory.status'])
    .orderBy('category.id')
  const rows = await query.execute()
  const overall = noAnimals()
  const categories = new Map<number, Counts>()
  for (const { categoryId, status, pets } of rows) {
    const counts = categories.get(categoryId) ?? noAnimals()
    categories.set(categoryId, counts)
    if (status === null) continue
    counts[status as keyof Counts] += Number(pets)
    overall[status as keyof Counts] += Number(pets)
  }
  return {
    overall,
    categories: [...categories].map(([categoryId, counts]) => ({ categoryId, ...counts })),
  }
}

function noAnimals(): Counts {
  return { available: 0, pending: 0, sold: 0, unlisted: 0 }
}
