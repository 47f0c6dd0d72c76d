import { birthDateOf, parseAge } from '../../../../transfer/phrases.ts'

/** The name of the field for an age such as "about 3 years". It is stored as an estimated date of birth. */
export const TYPED_AGE = 'typedAge'

type Json = Record<string, unknown>

/**
 * Replaces a typed age by the date of birth. An age that cannot be read, or that is next to a date of birth,
 * becomes an invalid date of birth, which the schema refuses.
 */
export function withTypedAge({ [TYPED_AGE]: typed, ...pet }: Json, now: number): Json {
  if (typeof typed !== 'string') return pet
  // The age group follows from the date of birth.
  const { age, ...others } = pet
  const span = others.birthDate === undefined ? parseAge(typed) : undefined
  const today = new Date(now).toISOString().slice(0, 10)
  return { ...others, birthDate: span ? birthDateOf(span, today) : typed, birthDateExact: false }
}
