import { ApiError, type ErrorDetail } from '../errors.ts'
import { mergeMembers } from '../http/merge-patch.ts'
import { latestDate } from './age.ts'
import { FIELDS, MEMBERS, SCHEMAS } from './fields.ts'
import type { NewPet, PetPatch } from './schema.ts'

type Json = Record<string, unknown>

/** What a patch makes of an animal (RFC 7396), its members in the order in which they are shown. */
export function merge(before: Partial<NewPet>, patch: PetPatch): NewPet {
  const after = mergeMembers(SCHEMAS, before, patch)
  if (patch.birthDate !== null || before.birthDate === undefined) return after as never
  // Both said something of the birth date that is gone.
  if (patch.birthDateExact === undefined) delete after.birthDateExact
  if (patch.age === undefined) delete after.age
  return after as never
}

/**
 * What no schema can say: how the members of an animal have to fit together.
 *
 * @param sent what the client named of it
 * @throws {ApiError} validation_failed
 */
export function checkProfile(pet: NewPet, sent: PetPatch, now: number): void {
  const details = problemsOf(pet, sent, now)
  if (details.length > 0) throw new ApiError('validation_failed', { details })
}

export function problemsOf(pet: NewPet, sent: PetPatch, now: number): ErrorDetail[] {
  const { birthDate, birthDateExact, tags, bondedWith, place, staff } = pet
  const { latitude, longitude } = place ?? {}
  const today = latestDate(now)
  const problems: (ErrorDetail | false | undefined)[] = [
    ...missingIn(pet),
    birthDate !== undefined && notBetween('/birthDate', birthDate, today),
    staff?.intakeDate !== undefined && notBetween('/staff/intakeDate', staff.intakeDate, today),
    birthDate === undefined &&
      birthDateExact !== undefined &&
      invalid('/birthDateExact', 'This goes with a birthDate: send one, or leave this out.'),
    birthDate !== undefined &&
      typeof sent.age === 'string' &&
      invalid('/age', 'This does not follow from the birthDate: leave it out, or remove the birthDate.'),
    longitude === undefined && latitude !== undefined && missing('/place/longitude'),
    latitude === undefined && longitude !== undefined && missing('/place/latitude'),
    ...repeatedIn(tags ?? []),
    ...(bondedWith ?? []).flatMap((id, index) =>
      bondedWith?.indexOf(id) === index
        ? []
        : [invalid(`/bondedWith/${index}`, 'This animal is here already.')],
    ),
  ]
  return problems.filter((problem) => problem !== false && problem !== undefined)
}

/** What the members that are objects must hold. */
const REQUIRED = MEMBERS.flatMap((member) => {
  const { required = [] } = FIELDS[member].schema as { required?: string[] }
  return required.map((name) => [member, name] as const)
})

/** After a patch: what it left out, and what was not there before either. */
function missingIn(pet: NewPet): ErrorDetail[] {
  const missed = REQUIRED.filter(([member, name]) => pet[member] && (pet[member] as Json)[name] === undefined)
  return missed.map(([member, name]) => missing(`/${member}/${name}`))
}

const EARLIEST_DATE = '1950-01-01'

function notBetween(pointer: string, date: string, today: string): ErrorDetail | undefined {
  if (date >= EARLIEST_DATE && date <= today) return undefined
  return { pointer, code: 'out_of_range', message: `This must be a date from ${EARLIEST_DATE} to today.` }
}

function repeatedIn(tags: string[]): ErrorDetail[] {
  const folded = tags.map((tag) => tag.normalize('NFKC').toLowerCase().trim())
  return folded.flatMap((tag, index) =>
    folded.indexOf(tag) < index
      ? [invalid(`/tags/${index}`, 'This tag is here already, whatever the case of its letters.')]
      : [],
  )
}

const missing = (pointer: string): ErrorDetail => ({ pointer, code: 'missing', message: 'This is required.' })

const invalid = (pointer: string, message: string): ErrorDetail => ({
  pointer,
  code: 'invalid_value',
  message,
})
