import type { Tables } from '../db/tables.ts'
import { COUNTRY, CURRENCY, describePattern, HTTPS, MULTILINE, ONE_LINE } from '../http/text.ts'
import { BETA, type Static, type TProperties, type TSchema, Type } from '../http/type.ts'

export const PetStatus = Type.Enum(['available', 'pending', 'sold'], {
  type: 'string',
  title: 'PetStatus',
  description: 'Adoption status of an animal.',
})

export type PetStatus = Static<typeof PetStatus>

export const MAX_NAME_LENGTH = 200

const Name = Type.String({
  description: "The animal's name, returned exactly as sent.",
  minLength: 1,
  maxLength: MAX_NAME_LENGTH,
  pattern: ONE_LINE,
})

const CategoryId = Type.Integer({
  format: 'int64',
  description: 'Identifier of the category of the animal.',
})

const OrganizationId = Type.Integer({
  format: 'int64',
  description:
    'Identifier of the organization that has the animal. Default: the organization of the key that adds it.',
  'x-stability': 'beta',
})

// All members are optional, except the four that the contract requires.

const line = (maxLength: number, description?: string) =>
  Type.String({ ...(description && { description, ...BETA }), minLength: 1, maxLength, pattern: ONE_LINE })

const oneOf = <const Values extends string[]>(values: Values, description: string) =>
  Type.Enum(values, { type: 'string', description, ...BETA })

const object = <Properties extends TProperties>(title: string, description: string, properties: Properties) =>
  Type.Object(properties, { title, description, ...BETA })

const yesOrNo = Type.Optional(Type.Boolean())

/** An RFC 3339 full-date. */
const date = (description: string) => Type.String({ format: 'date', description, ...BETA })

const ExternalId = line(80, "The shelter's own id of the animal, unique in its organization.")

const Species = line(60, 'The species, more specific than the category, such as Guinea Pig.')

const Breed = object('Breed', 'The breed in the words of the shelter.', {
  primary: line(80),
  secondary: Type.Optional(line(80)),
  mixed: yesOrNo,
  unknown: yesOrNo,
})

const Colors = Type.Array(line(60), {
  description: 'Colors, the main one first.',
  minItems: 1,
  maxItems: 3,
  ...BETA,
})

export const Coat = oneOf(['hairless', 'short', 'medium', 'long', 'wire', 'curly'], 'Coat type.')

const BirthDate = date('From 1950-01-01 to today. The service derives the age from it.')

const BirthDateExact = Type.Boolean({
  description: 'Whether the `birthDate` is exact, not estimated. Requires a `birthDate`.',
  ...BETA,
})

export const AGES = ['baby', 'young', 'adult', 'senior'] as const
export type Age = (typeof AGES)[number]
export const AgeGroup = oneOf(
  [...AGES],
  'If there is a `birthDate`, the service derives the age from it and refuses any other value.',
)

export const Sex = oneOf(['female', 'male', 'unknown'], 'Sex of the animal.')

export const Size = oneOf(
  ['small', 'medium', 'large', 'extra_large'],
  'Size compared with animals of the same type.',
)

const WeightGrams = Type.Integer({
  description: 'Weight in grams.',
  minimum: 1,
  maximum: 2_000_000,
  ...BETA,
})

const Description = Type.String({
  description: 'Plain text with line breaks, returned as sent.',
  minLength: 1,
  maxLength: 20_000,
  pattern: MULTILINE,
  ...BETA,
})

const Traits = object('Traits', 'Facts about the animal. A fact that is unknown is absent.', {
  spayedNeutered: yesOrNo,
  houseTrained: yesOrNo,
  declawed: yesOrNo,
  specialNeeds: yesOrNo,
  vaccinated: yesOrNo,
})

const GoodWith = object(
  'GoodWith',
  'Whether the animal can live with children, dogs or cats. Absent if unknown.',
  {
    children: yesOrNo,
    dogs: yesOrNo,
    cats: yesOrNo,
  },
)

const Tags = Type.Array(line(40), {
  description: 'Keywords for searches. Tags that differ only in upper and lower case are duplicates.',
  minItems: 1,
  maxItems: 20,
  ...BETA,
})

const Fee = object('Fee', 'Adoption fee.', {
  amount: Type.Integer({
    description: 'In the smallest unit of the currency, such as cents.',
    minimum: 0,
    maximum: 1_000_000_000,
  }),
  currency: Type.String({
    description: 'Currency code (ISO 4217), such as EUR.',
    ...CURRENCY,
  }),
})

export const MAX_BONDED_PETS = 5

const BondedWith = Type.Array(
  Type.Integer({ format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  {
    description:
      'Identifiers of the animals that must be adopted together with this one. The service keeps the lists of all ' +
      'these animals in sync.',
    minItems: 1,
    maxItems: MAX_BONDED_PETS,
    ...BETA,
  },
)

const Videos = Type.Array(Type.String({ format: 'uri', maxLength: 2_000, pattern: HTTPS }), {
  description: 'URLs of videos, with https.',
  minItems: 1,
  maxItems: 5,
  ...BETA,
})

const Contact = object('Contact', 'The person to ask about the animal. Public.', {
  name: Type.Optional(line(200)),
  email: Type.Optional(Type.String({ format: 'email', maxLength: 254 })),
  phone: Type.Optional(line(40)),
})

const Place = object(
  'Place',
  'Location of the animal. Keys with `read` access see the coordinates rounded to 0.01°.',
  {
    city: Type.Optional(line(100)),
    region: Type.Optional(line(100, 'State or province.')),
    postcode: Type.Optional(line(20)),
    country: Type.Optional(
      Type.String({ description: 'Country code (ISO 3166-1 alpha-2), such as NL.', ...COUNTRY }),
    ),
    latitude: Type.Optional(
      Type.Number({ description: 'In degrees. Requires longitude.', minimum: -90, maximum: 90 }),
    ),
    longitude: Type.Optional(
      Type.Number({ description: 'In degrees. Requires latitude.', minimum: -180, maximum: 180 }),
    ),
  },
)

export const OutcomeKind = Type.Enum(['transferred', 'returned_to_owner', 'died'], {
  type: 'string',
  description:
    'How the animal left, other than by adoption. Requires an `outcomeDate`. An outcome removes the status and the ' +
    'bond, and declines open applications. Setting a status removes the outcome.',
})

export type OutcomeKind = Static<typeof OutcomeKind>

export const NoteKind = Type.Enum(['medical', 'behavior', 'general'], { type: 'string' })

/** The history stores all notes with each change of them, so this also limits the history. */
export const MAX_DATED_NOTES = 100

const DatedNote = Type.Object(
  {
    date: Type.String({ format: 'date' }),
    kind: NoteKind,
    text: Type.String({ minLength: 1, maxLength: 1_000, pattern: MULTILINE }),
  },
  { title: 'DatedNote' },
)
export type DatedNote = Static<typeof DatedNote>

const DatedNotes = Type.Array(DatedNote, {
  description: 'Notes with their dates, in any order.',
  minItems: 1,
  maxItems: MAX_DATED_NOTES,
})

const Staff = object('Staff', 'Internal data of the shelter, visible only to keys with `write` access.', {
  microchip: Type.Optional(line(40)),
  intakeDate: Type.Optional(
    Type.String({
      format: 'date',
      description: 'Date of arrival, at most a year ahead for a planned intake.',
    }),
  ),
  intakeKind: Type.Optional(line(60, 'Type of intake, such as stray, surrender or transfer.')),
  intakeNote: Type.Optional(Type.String({ minLength: 1, maxLength: 5_000, pattern: MULTILINE })),
  kennel: Type.Optional(line(60)),
  notes: Type.Optional(Type.String({ minLength: 1, maxLength: 20_000, pattern: MULTILINE })),
  holdReason: Type.Optional(
    line(
      200,
      'Why the animal is on hold. A hold removes the status of an animal that is not adopted, so the animal is ' +
        'not public. Setting a status ends the hold.',
    ),
  ),
  fosterName: Type.Optional(line(200, 'The foster home. Absent if the animal is not in foster care.')),
  fosterEmail: Type.Optional(Type.String({ format: 'email', maxLength: 254 })),
  fosterPhone: Type.Optional(line(40)),
  outcomeKind: Type.Optional(OutcomeKind),
  outcomeDate: Type.Optional(
    Type.String({
      format: 'date',
      description: 'Date of the outcome. Requires an `outcomeKind` or the status `sold`.',
    }),
  ),
  outcomeNote: Type.Optional(
    Type.String({
      description: 'Notes about the outcome. Requires an `outcomeKind` or the status `sold`.',
      minLength: 1,
      maxLength: 5_000,
      pattern: MULTILINE,
    }),
  ),
  datedNotes: Type.Optional(DatedNotes),
})

interface Field {
  /** The column of the member. Members without a column are in the JSON columns of row.ts. */
  column?: keyof Tables['pet']
  /** The schema that validates the member in requests and describes the member in responses. */
  schema: TSchema
  /** Returns the public part of the value; undefined if all of it is private. Without this, it is public. */
  toPublic?(value: never): unknown
  /** Set if the value may have personal data or places. Only the organization then sees its history. */
  isPrivateInHistory?: true
}

const optional = <Schema extends TSchema>(schema: Schema) => ({ schema: Type.Optional(schema) })

/**
 * All members of an animal except its id. Schemas, statements, history, import, export, the API description
 * and the client are derived from this table.
 */
export const FIELDS = {
  name: { column: 'name', schema: Name },
  categoryId: { column: 'category_id', schema: CategoryId },
  status: { column: 'status', ...optional(PetStatus) },
  externalId: { column: 'external_id', ...optional(ExternalId) },
  organizationId: { column: 'organization_id', ...optional(OrganizationId) },
  species: optional(Species),
  breed: optional(Breed),
  colors: optional(Colors),
  coat: optional(Coat),
  birthDate: optional(BirthDate),
  birthDateExact: optional(BirthDateExact),
  age: optional(AgeGroup),
  sex: optional(Sex),
  size: optional(Size),
  weightGrams: optional(WeightGrams),
  description: { ...optional(Description), isPrivateInHistory: true },
  traits: optional(Traits),
  goodWith: optional(GoodWith),
  tags: optional(Tags),
  fee: optional(Fee),
  bondedWith: optional(BondedWith),
  videos: { ...optional(Videos), isPrivateInHistory: true },
  contact: { ...optional(Contact), isPrivateInHistory: true },
  // Members with private parts are last, because row.ts stores them in separate columns.
  place: { ...optional(Place), toPublic: roundedPlace, isPrivateInHistory: true },
  staff: { ...optional(Staff), toPublic: () => undefined, isPrivateInHistory: true },
} as const satisfies Record<string, Field>

type Fields = typeof FIELDS
export type Member = keyof Fields

/** All members, in the order of responses. */
export const MEMBERS = Object.keys(FIELDS) as Member[]

const columnIn = (member: Member): string | undefined => (FIELDS[member] as Field).column

/** Times that a response contains only if `fields` names them. They follow all members. */
export const TIMES = {
  publishedAt: 'published_at',
  statusChangedAt: 'status_changed_at',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
} as const

/** A name in `fields` that means all members. */
export const ALL_FIELDS = '*'

/** Responses contain photos like a member, but only the photo endpoints can change them. */
export const PHOTOS = 'photos'

/** Responses contain the source of a copy like a member, but only following another installation sets it. */
export const SOURCE = 'source'

const PICKABLE = ['id', ...MEMBERS, PHOTOS, SOURCE, ...Object.keys(TIMES)]
const NAME = `(?:[${ALL_FIELDS}]|${PICKABLE.join('|')})`

/** The pattern of `fields`: comma-separated names. */
export const FIELDS_PATTERN = `^${NAME}(?:,${NAME})*$`
describePattern(
  FIELDS_PATTERN,
  `Use comma-separated names from this list: ${[ALL_FIELDS, ...PICKABLE].join(', ')}.`,
)

/** The members of the original contract, which a patch cannot remove. A patch can remove all others. */
export const PERMANENT_MEMBERS = ['name', 'categoryId', 'status'] as const satisfies Member[]
export type RemovableMember = Exclude<Member, (typeof PERMANENT_MEMBERS)[number]>
export const REMOVABLE_MEMBERS = MEMBERS.filter(
  (member): member is RemovableMember => !PERMANENT_MEMBERS.includes(member as never),
)

export const COLUMN_MEMBERS = MEMBERS.filter(columnIn) as ColumnMember[]
export const PROFILE_MEMBERS = MEMBERS.filter((member) => !columnIn(member)) as ProfileMember[]

export type ColumnMember = {
  [Name in Member]: Fields[Name] extends { column: string } ? Name : never
}[Member]
export type ProfileMember = Exclude<Member, ColumnMember>

export const columnOf = (member: ColumnMember): Fields[ColumnMember]['column'] => FIELDS[member].column

/** @returns true if some callers see only a part of the member, or nothing. */
export function isGuarded(member: Member): boolean {
  return 'toPublic' in FIELDS[member]
}

/** @returns the public part of a member's value, or undefined if all of it is private */
export function publicOf(member: Member, value: unknown): unknown {
  const { toPublic }: Field = FIELDS[member]
  return toPublic && value !== undefined ? toPublic(value as never) : value
}

/** @returns true if all callers see changes of the member in the history, where photos are private */
export function isOpenInHistory(member: string): boolean {
  return member !== PHOTOS && !(FIELDS[member as Member] as Field).isPrivateInHistory
}

/** Rounds coordinates to 0.01°, about a kilometer: enough for a search nearby, but not to find a house. */
function roundedPlace(place: Static<typeof Place>): Static<typeof Place> {
  const rounded = (degrees: number): number => Number(degrees.toFixed(2)) + 0
  const { latitude, longitude, ...rest } = place
  if (latitude === undefined || longitude === undefined) return rest
  return { ...rest, latitude: rounded(latitude), longitude: rounded(longitude) }
}

export const SCHEMAS = Object.fromEntries(MEMBERS.map((member) => [member, FIELDS[member].schema])) as {
  [Name in Member]: Fields[Name]['schema']
}
