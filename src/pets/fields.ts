import type { Tables } from '../db/tables.ts'
import { ONE_LINE, setRule } from '../http/text.ts'
import { type Static, type TSchema, Type } from '../http/type.ts'
import * as profile from './profile-schemas.ts'

/** A member of an animal. */
interface Field {
  /** Where the store keeps it, if it has a column of its own; else in one of the texts of row.ts. */
  column?: keyof Tables['pet']
  /** What a client may send, and gets. */
  schema: TSchema
  /** What callers see of it who may not see all; undefined for nothing. Everybody sees it when absent. */
  toPublic?(value: never): unknown
}

export const PetStatus = Type.Enum(['available', 'pending', 'sold'], {
  type: 'string',
  title: 'PetStatus',
  description: 'Availability of an animal.',
})

export type PetStatus = Static<typeof PetStatus>

const Name = Type.String({
  description: "The animal's name: stored and returned exactly as sent.",
  minLength: 1,
  maxLength: 200,
  pattern: ONE_LINE,
})

const CategoryId = Type.Integer({
  format: 'int64',
  description: 'Identifier of the category the animal belongs to.',
})

const OrganizationId = Type.Integer({
  format: 'int64',
  description: 'Identifier of the organization it belongs to: that of the key that adds it, or the one sent.',
  'x-stability': 'beta',
})

/** A member that may be absent. */
const optional = <Schema extends TSchema>(schema: Schema) => ({ schema: Type.Optional(schema) })

/**
 * Every member of an animal but its id. The one table: schemas, statements, history, import and export are
 * made of it, and the description, the reference and the client of those.
 */
export const FIELDS = {
  name: { column: 'name', schema: Name },
  categoryId: { column: 'category_id', schema: CategoryId },
  status: { column: 'status', ...optional(PetStatus) },
  externalId: { column: 'external_id', ...optional(profile.ExternalId) },
  organizationId: { column: 'organization_id', ...optional(OrganizationId) },
  species: optional(profile.Species),
  breed: optional(profile.Breed),
  colors: optional(profile.Colors),
  coat: optional(profile.Coat),
  birthDate: optional(profile.BirthDate),
  birthDateExact: optional(profile.BirthDateExact),
  age: optional(profile.AgeGroup),
  sex: optional(profile.Sex),
  size: optional(profile.Size),
  weightGrams: optional(profile.WeightGrams),
  description: optional(profile.Description),
  traits: optional(profile.Traits),
  goodWith: optional(profile.GoodWith),
  tags: optional(profile.Tags),
  fee: optional(profile.Fee),
  bondedWith: optional(profile.BondedWith),
  videos: optional(profile.Videos),
  contact: optional(profile.Contact),
  // What not everybody sees all of comes last: row.ts keeps it in texts of its own.
  place: { ...optional(profile.Place), toPublic: roundedPlace },
  staff: { ...optional(profile.Staff), toPublic: () => undefined },
} as const satisfies Record<string, Field>

type Fields = typeof FIELDS
export type Member = keyof Fields

/** In the order in which they are shown. */
export const MEMBERS = Object.keys(FIELDS) as Member[]

const columnIn = (member: Member): string | undefined => (FIELDS[member] as Field).column

/** What is shown of an animal only where `fields` names it, behind all members: when what became of it. */
export const TIMES = {
  publishedAt: 'published_at',
  statusChangedAt: 'status_changed_at',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
} as const

/** In `fields`, for all members. */
export const ALL = '*'

/** Shown like a member, and changed in a way of its own. */
export const PHOTOS = 'photos'

const PICKABLE = ['id', ...MEMBERS, PHOTOS, ...Object.keys(TIMES)]
const NAME = `(?:[${ALL}]|${PICKABLE.join('|')})`

/** Of `fields`: names with commas between them. */
export const FIELDS_PATTERN = `^${NAME}(?:,${NAME})*$`
setRule(FIELDS_PATTERN, `Give names with commas between them, of these: ${[ALL, ...PICKABLE].join(', ')}.`)

/** The contract's own: nothing removes them. All others may be removed. */
export const LASTING_MEMBERS = ['name', 'categoryId', 'status'] as const satisfies Member[]
export type RemovableMember = Exclude<Member, (typeof LASTING_MEMBERS)[number]>
export const REMOVABLE_MEMBERS = MEMBERS.filter(
  (member): member is RemovableMember => !LASTING_MEMBERS.includes(member as never),
)

/** Those with a column of their own, and all others: the profile. */
export const COLUMN_MEMBERS = MEMBERS.filter(columnIn) as ColumnMember[]
export const PROFILE_MEMBERS = MEMBERS.filter((member) => !columnIn(member)) as ProfileMember[]

export type ColumnMember = {
  [Name in Member]: Fields[Name] extends { column: string } ? Name : never
}[Member]
export type ProfileMember = Exclude<Member, ColumnMember>

export const columnOf = (member: ColumnMember): Fields[ColumnMember]['column'] => FIELDS[member].column

/** Whether some callers see less of it than others. */
export function isGuarded(member: Member): boolean {
  return 'toPublic' in FIELDS[member]
}

/** What everybody sees of a member's value; undefined for nothing. */
export function publicOf(member: Member, value: unknown): unknown {
  const { toPublic }: Field = FIELDS[member]
  return toPublic && value !== undefined ? toPublic(value as never) : value
}

/** 0.01° is about a kilometre: enough to find an animal nearby, too little to find a door. */
function roundedPlace(place: Static<typeof profile.Place>): Static<typeof profile.Place> {
  const rounded = (degrees: number): number => Number(degrees.toFixed(2)) + 0
  const { latitude, longitude, ...rest } = place
  if (latitude === undefined || longitude === undefined) return rest
  return { ...rest, latitude: rounded(latitude), longitude: rounded(longitude) }
}

/** The schemas of all members. */
export const SCHEMAS = Object.fromEntries(MEMBERS.map((member) => [member, FIELDS[member].schema])) as {
  [Name in Member]: Fields[Name]['schema']
}
