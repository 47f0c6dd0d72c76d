import { SCHEMAS } from '../../../../pets/fields.ts'
import { type FormField, field, schemaIn, wide } from '../forms/fields.ts'

/** What people can say of an animal, in the groups of the form. The one table. */
export const GROUPS = {
  basics: [
    wide('name'),
    field('categoryId', 'idChoice'),
    field('sex', 'choice'),
    field('breed.primary'),
    field('breed.secondary'),
    field('breed.mixed', 'check'),
    field('breed.unknown', 'check'),
    field('birthDate', 'date'),
    field('birthDateExact', 'check'),
    field('age', 'choice'),
    field('externalId'),
  ],
  character: [
    wide('description', 'text'),
    field('goodWith.children', 'yesOrNo'),
    field('goodWith.dogs', 'yesOrNo'),
    field('goodWith.cats', 'yesOrNo'),
    field('traits.houseTrained', 'yesOrNo'),
    wide('tags', 'list'),
  ],
  looks: [
    field('size', 'choice'),
    field('coat', 'choice'),
    field('colors', 'list'),
    field('weightGrams', 'kilograms'),
    field('species'),
    wide('videos', 'lines'),
  ],
  health: [
    field('traits.vaccinated', 'yesOrNo'),
    field('traits.spayedNeutered', 'yesOrNo'),
    field('traits.specialNeeds', 'yesOrNo'),
    field('traits.declawed', 'yesOrNo'),
  ],
  adoption: [
    field('fee.amount', 'money'),
    field('fee.currency', 'currency'),
    wide('bondedWith', 'ids'),
    field('contact.name'),
    field('contact.email', 'email'),
    field('contact.phone'),
  ],
  place: [
    field('organizationId', 'idChoice'),
    field('place.city'),
    field('place.postcode'),
    field('place.region'),
    field('place.country', 'country'),
    field('place.latitude', 'number'),
    field('place.longitude', 'number'),
  ],
  staff: [
    field('staff.microchip'),
    field('staff.intakeDate', 'date'),
    field('staff.intakeKind'),
    field('staff.kennel'),
    wide('staff.intakeNote', 'text'),
    wide('staff.notes', 'text'),
  ],
} as const satisfies Record<string, FormField[]>

export type Group = keyof typeof GROUPS
export const GROUP_NAMES = Object.keys(GROUPS) as Group[]

export const FORM_FIELDS: readonly FormField[] = Object.values(GROUPS).flat()

/** What the contract asks of a field's value. */
export const schemaOf = (name: string) => schemaIn(SCHEMAS, name)
