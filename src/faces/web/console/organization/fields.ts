import { PATCHED } from '../../../../organizations/schema.ts'
import type { Texts } from '../../texts/texts.ts'
import { type FormField, field, schemaIn, wide } from '../forms/fields.ts'
import type { FormOf } from '../forms/problems.ts'

const partsOf = (member: 'hours' | 'social'): string[] =>
  Object.keys((PATCHED[member] as { properties?: object }).properties ?? {}).map(
    (part) => `${member}.${part}`,
  )

/** Of a new one alone: a code is for good. */
const CODE_FIELD = wide('code')

/** What people can say of an organization, in the groups of the form. */
export const GROUPS = {
  contact: [wide('name'), field('email', 'email'), field('phone'), field('website', 'web')],
  address: [
    wide('address.street'),
    ...['address.city', 'address.postcode', 'address.region'].map((name) => field(name)),
    field('address.country', 'country'),
    field('latitude', 'number'),
    field('longitude', 'number'),
  ],
  about: [wide('mission', 'text'), wide('adoptionPolicy', 'text'), wide('adoptionUrl', 'web')],
  hours: partsOf('hours').map((name) => field(name)),
  social: partsOf('social').map((name) => field(name, 'web')),
} satisfies Record<string, FormField[]>

export const FIELDS: readonly FormField[] = Object.values(GROUPS).flat()

const [nameField, ...otherContact] = GROUPS.contact
export const NEW_GROUPS = { ...GROUPS, contact: [nameField, CODE_FIELD, ...otherContact] as FormField[] }
export const NEW_FIELDS: readonly FormField[] = Object.values(NEW_GROUPS).flat()

export const formOf = (words: Texts['console']): FormOf => ({
  fields: NEW_FIELDS,
  labels: words.organization.labels,
  mostOf: (name) => schemaIn(PATCHED, name).maxLength,
  messageOf: (name) =>
    name === 'code' ? words.organization.codeWrong(words.organization.labels.code ?? '') : undefined,
})
