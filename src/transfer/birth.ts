import type { Animal } from './animal.ts'
import { birthDateOf } from './phrases.ts'
import { isObject, textOf } from './source-row.ts'

const DATE = /^\d{4}-\d\d-\d\d/

/** The approximate date of birth of an animal whose age is known instead. */
export function birthOf({ birthDate, ageSpan, staff }: Animal, now: number): Partial<Animal> {
  if (birthDate !== undefined || !ageSpan) return {}
  const today = new Date(now).toISOString()
  const intakeDate = isObject(staff) ? textOf(staff.intakeDate) : ''
  const date = DATE.test(intakeDate) && intakeDate <= today ? intakeDate : today
  return { birthDate: birthDateOf(ageSpan, date.slice(0, 10)), birthDateExact: false }
}
