import * as categories from '../categories/store.ts'
import { changes } from '../db/change.ts'
import { dialectOf } from '../db/dialect.ts'
import type { Db } from '../db/tables.ts'
import { type Job, runInSteps } from '../jobs/job.ts'
import { AGES, type Age } from './fields.ts'
import { type AgedPet, PET_COLUMNS, type Row, toPet } from './row.ts'
import type { NewPet } from './schema.ts'
import { update } from './store.ts'

/** The ages, in months, at which an animal becomes young, adult and senior. */
type Steps = readonly [young: number, adult: number, senior: number]

/** The age limits by the folded name of the category. All other categories use DOG_AND_CAT. */
const AGE_STEPS = new Map(
  Object.entries<Steps>({
    rabbit: [6, 12, 72],
    'small & furry': [3, 6, 36],
    horse: [12, 48, 240],
    bird: [6, 24, 180],
  }),
)
const DOG_AND_CAT: Steps = [12, 36, 96]

/** The largest offset of a time zone from UTC. */
const EARLIEST_ZONE_MS = 14 * 3_600_000

/** @returns today's date in the time zone that is furthest ahead */
export function latestDate(now: number): string {
  return new Date(now + EARLIEST_ZONE_MS).toISOString().slice(0, 10)
}

/**
 * @param birthDate RFC 3339, full-date
 * @param category the name of the category
 * @returns the age group, and when the next one begins (UTC), in Unix milliseconds; null for never
 */
export function ageAt(
  birthDate: string,
  category: string | undefined,
  now: number,
): { age: Age; dueAt: number | null } {
  const steps = AGE_STEPS.get(categories.fold(category ?? '')) ?? DOG_AND_CAT
  const begins = steps.map((months) => monthsAfter(birthDate, months))
  const passed = begins.filter((begin) => begin <= now).length
  return { age: AGES[passed] as Age, dueAt: begins[passed] ?? null }
}

/**
 * @returns the same day of a later month. If that month is too short, returns the first day of the month
 * after it
 */
function monthsAfter(date: string, months: number): number {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number)
  const next = Date.UTC(year, month + months, 1)
  return Math.min(Date.UTC(year, month - 1 + months, day), next)
}

export type NameOf = (categoryId: number) => Promise<string | undefined>

/** @returns a function that reads the name of each category once */
export function categoryNames(db: Db): NameOf {
  const cached = new Map<number, Promise<string | undefined>>()
  return (id) => {
    const name = cached.get(id) ?? categories.find(db, id).then((category) => category?.name)
    cached.set(id, name)
    return name
  }
}

export async function withAge(nameOf: NameOf, pet: NewPet, now: number): Promise<AgedPet> {
  if (pet.birthDate === undefined) return { pet, ageDueAt: null }
  const { age, dueAt } = ageAt(pet.birthDate, await nameOf(pet.categoryId), now)
  return { pet: { ...pet, age }, ageDueAt: dueAt }
}

/** The number of animals updated in one transaction. */
const BATCH_SIZE = 200

/** Updates age groups that are derived from birth dates. */
export const ages: Job = {
  isDue: ({ db, clock }) => hasDue(db, clock()),
  run: ({ write, clock }, mayContinue) => runInSteps(() => write(changes.renewAges, clock()), mayContinue),
}

function due(db: Db, now: number) {
  return db.selectFrom('pet').where('age_due_at', '<=', now)
}

async function hasDue(db: Db, now: number): Promise<boolean> {
  return (await due(db, now).select('id').limit(1).executeTakeFirst()) !== undefined
}

/**
 * Updates the age groups of a batch of animals. The history gets no entries, because no person changed the
 * animals.
 *
 * @returns whether more animals may be due
 */
export async function renewAges(db: Db, now: number): Promise<boolean> {
  const next = due(db, now).select(PET_COLUMNS).orderBy('age_due_at').limit(BATCH_SIZE)
  // Skips animals that are being changed, because that change also sets the age.
  const rows = await dialectOf(db).lockRows(next, 'skip').execute()
  const nameOf = categoryNames(db)
  for (const row of rows) {
    const pet = toPet(row as unknown as Row)
    await update(db, pet, await withAge(nameOf, pet, now), now)
  }
  return rows.length === BATCH_SIZE
}

/** The dates that determine how long an animal has been in care. Times are Unix milliseconds or ISO times. */
interface CareDates {
  intakeDate?: string | undefined
  createdAt?: number | string | null | undefined
  publishedAt?: number | string | null | undefined
}

/**
 * @returns the date from which days in care count: the intake date, or the first day on which the service
 * knew the animal
 */
export function careStart({ intakeDate, createdAt, publishedAt }: CareDates): string | undefined {
  if (intakeDate !== undefined) return intakeDate
  const times = [createdAt, publishedAt].flatMap((time) => (time ? [new Date(time).toISOString()] : []))
  return times.sort()[0]?.slice(0, 10)
}
