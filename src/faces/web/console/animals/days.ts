import { careStart, latestDate } from '../../../../pets/rules.ts'
import type { StaffPet } from '../../../../pets/staff-list.ts'
import { daysSince, formatDate } from '../../formats.ts'
import type { Visit } from '../visit.ts'

interface DaysInCare {
  days: number
  since: string
  /** Whether the days count from an intake date. */
  isFromIntake: boolean
  /** Whether the intake is in the future. */
  isPlanned: boolean
}

/** @returns undefined if the animal is no longer in care */
export function daysInCare(
  { status, staff, createdAt, publishedAt }: Omit<StaffPet, 'id' | 'name'>,
  now: number,
): DaysInCare | undefined {
  const { intakeDate, outcomeKind } = staff ?? {}
  const since = careStart({ intakeDate, createdAt, publishedAt })
  if (status === 'sold' || outcomeKind || since === undefined) return undefined
  const isPlanned = since > latestDate(now)
  return { days: daysSince(since, now), since, isFromIntake: intakeDate !== undefined, isPlanned }
}

/** A sentence about the days in care; empty for an animal that is no longer in care. */
export function careSentence(visit: Visit, pet: Omit<StaffPet, 'id' | 'name'>, now: number): string {
  const { language, words } = visit
  const care = daysInCare(pet, now)
  if (!care) return ''
  const date = formatDate(language, Date.parse(care.since))
  if (care.isPlanned) return words.list.plannedFor(date)
  return care.isFromIntake ? words.list.inCare(care.days, date) : words.list.inCareSinceAdded(care.days)
}
