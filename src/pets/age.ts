import * as categories from '../categories/store.ts'
import type { Db } from '../db/tables.ts'
import { AGES, type Age } from './profile-schemas.ts'
import type { NewPet } from './schema.ts'

/** In months: from when on an animal is young, adult and senior. */
type Steps = readonly [young: number, adult: number, senior: number]

/** By the category's name as it is compared; what is not here ages as dogs and cats do. */
const STEPS = new Map(
  Object.entries<Steps>({
    rabbit: [6, 12, 72],
    'small & furry': [3, 6, 36],
    horse: [12, 48, 240],
    bird: [6, 24, 180],
  }),
)
const DOG_AND_CAT: Steps = [12, 36, 96]

/** It is a new day somewhere on Earth so long before it is one in UTC. */
const EARLIEST_ZONE_MS = 14 * 3_600_000

/** The last date on which anything can have happened by now, anywhere on Earth. */
export function latestDate(now: number): string {
  return new Date(now + EARLIEST_ZONE_MS).toISOString().slice(0, 10)
}

/**
 * @param birthDate RFC 3339, full-date
 * @param category its name
 * @returns the age group in UTC, and when it is no longer right, in Unix milliseconds; null for never
 */
export function ageAt(
  birthDate: string,
  category: string | undefined,
  now: number,
): { age: Age; dueAt: number | null } {
  const steps = STEPS.get(categories.fold(category ?? '')) ?? DOG_AND_CAT
  const begins = steps.map((months) => monthsAfter(birthDate, months))
  const passed = begins.filter((begin) => begin <= now).length
  return { age: AGES[passed] as Age, dueAt: begins[passed] ?? null }
}

/** The day with the same number; of a month that has none, the first of the next. */
function monthsAfter(date: string, months: number): number {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number)
  const next = Date.UTC(year, month + months, 1)
  return Math.min(Date.UTC(year, month - 1 + months, day), next)
}

/** The name of a category. */
export type NameOf = (categoryId: number) => Promise<string | undefined>

/** Asks the store once for each category. */
export function categoryNames(db: Db): NameOf {
  const known = new Map<number, Promise<string | undefined>>()
  return (id) => {
    const name = known.get(id) ?? categories.find(db, id).then((category) => category?.name)
    known.set(id, name)
    return name
  }
}

/** An animal with the age that its birth date gives it. */
export interface Aged {
  pet: NewPet
  /** When that is no longer right, in Unix milliseconds; null where it stays. */
  ageDueAt: number | null
}

export async function withAge(nameOf: NameOf, pet: NewPet, now: number): Promise<Aged> {
  if (pet.birthDate === undefined) return { pet, ageDueAt: null }
  const { age, dueAt } = ageAt(pet.birthDate, await nameOf(pet.categoryId), now)
  return { pet: { ...pet, age }, ageDueAt: dueAt }
}
