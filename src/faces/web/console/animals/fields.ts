import type { Member } from '../../../../pets/fields.ts'
import { FIELDS } from '../../../../pets/fields.ts'

/** How a value of an animal becomes text in a field of a form, and text a value. */
export type Kind =
  | 'line'
  | 'text'
  | 'choice'
  | 'yesOrNo'
  | 'check'
  | 'date'
  | 'list'
  | 'lines'
  | 'ids'
  | 'number'
  | 'kilograms'
  | 'money'
  | 'code'
  | 'email'
  | 'web'

export interface FormField {
  /** Where its value is in an animal, with a dot before a member of a member. */
  name: string
  kind: Kind
  /** Over the whole width. */
  wide?: boolean
}

const field = (name: string, kind: Kind = 'line'): FormField => ({ name, kind })
const wide = (name: string, kind: Kind = 'line'): FormField => ({ name, kind, wide: true })

/** What people can say of an animal, in the groups of the form. The one table. */
export const GROUPS = {
  basics: [
    wide('name'),
    field('categoryId', 'choice'),
    field('sex', 'choice'),
    field('breed.primary'),
    field('breed.secondary'),
    field('breed.mixed', 'check'),
    field('breed.unknown', 'check'),
    field('birthDate', 'date'),
    field('birthDateExact', 'check'),
    field('age', 'choice'),
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
    field('fee.currency', 'code'),
    wide('bondedWith', 'ids'),
    field('contact.name'),
    field('contact.email', 'email'),
    field('contact.phone'),
  ],
  place: [
    field('organizationId', 'choice'),
    field('place.city'),
    field('place.postcode'),
    field('place.region'),
    field('place.country', 'code'),
    field('place.latitude', 'number'),
    field('place.longitude', 'number'),
  ],
  staff: [
    field('externalId'),
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

interface Schema {
  maxLength?: number
  enum?: unknown[]
  properties?: Record<string, Schema>
}

/** What the contract asks of a field's value. */
export function schemaOf(name: string): Schema {
  const [member = '', part] = name.split('.')
  const schema = FIELDS[member as Member].sent as Schema
  return (part === undefined ? schema : schema.properties?.[part]) ?? {}
}
