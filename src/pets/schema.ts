import { ONE_LINE } from '../http/text.ts'
import {
  BETA,
  limitOf,
  line,
  type MergePatch,
  type PatchableSchema,
  pathId,
  type Static,
  Type,
  toPatchSchema,
} from '../http/type.ts'
import { Photos } from '../photos/storage/stored-photo.ts'
import {
  AgeGroup,
  Coat,
  FIELDS,
  FIELDS_PATTERN,
  PERMANENT_MEMBERS,
  PetStatus,
  REMOVABLE_MEMBERS,
  type RemovableMember,
  SCHEMAS,
  Sex,
  Size,
} from './fields.ts'

export const NewPet = Type.Object(SCHEMAS, {
  title: 'NewPet',
  description: 'An animal to add. Unknown members are ignored.',
})
export type NewPet = Static<typeof NewPet>

const patched = [
  ...PERMANENT_MEMBERS.map((member) => [member, Type.Optional(FIELDS[member].schema)]),
  ...REMOVABLE_MEMBERS.map((member) => [member, toPatchSchema(FIELDS[member].schema as PatchableSchema)]),
]

export const PetPatch = Type.Unsafe<PetPatch>(
  Type.Object(Object.fromEntries(patched), {
    title: 'PetPatch',
    description: 'Changes to an animal (RFC 7396): an absent member stays as it is, null removes it.',
  }),
)
export type PetPatch = Partial<Omit<NewPet, RemovableMember>> & {
  [Name in RemovableMember]?: MergePatch<NonNullable<NewPet[Name]>>
}

const Id = Type.Integer({ format: 'int64', description: 'Unique identifier, assigned by the service.' })

export const Pet = Type.Object(
  {
    id: Id,
    ...SCHEMAS,
    photos: Type.Optional(Photos),
    source: Type.Optional(
      Type.String({
        format: 'uri',
        description: 'For a copy of an animal of another installation: its page there. A copy is read-only.',
        ...BETA,
      }),
    ),
    distanceMeters: Type.Optional(
      Type.Integer({
        description: 'In a list with `near`: the distance from that place, along the great circle.',
        minimum: 0,
        'x-stability': 'beta',
      }),
    ),
  },
  { title: 'Pet', description: 'An animal. Without a status it is not published.' },
)
export type Pet = Static<typeof Pet>

export const Pets = Type.Array(Pet, { title: 'Pets', description: 'A page of animals.' })

const Values = Type.Object({
  from: Type.Optional(Type.Unknown()),
  to: Type.Optional(Type.Unknown()),
})

export const PetHistory = Type.Array(
  Type.Object(
    {
      at: Type.String({ format: 'date-time' }),
      keyId: Type.Integer({ format: 'int64', description: 'The API key that made the change.' }),
      changes: Type.Record(Type.String(), Values, {
        description: 'The changed members, with their values before and after, if any.',
      }),
    },
    { title: 'PetChange' },
  ),
  { title: 'PetHistory', description: 'The changes of an animal, newest first, at most 100.' },
)
export type PetHistory = Static<typeof PetHistory>

// The parameters of `GET /pets` and `GET /pets/facets`. An animal must match a value of every filter.

/** The maximum number of values in all filters together, which search/find.ts checks. */
const MAX_VALUES = 64

const anyOf = <Schema extends Parameters<typeof Type.Array>[0]>(items: Schema, description: string) =>
  Type.Optional(
    Type.Array(items, {
      description: `${description}; repeatable.`,
      minItems: 1,
      maxItems: MAX_VALUES,
      ...BETA,
    }),
  )

const id = (description: string) => Type.Integer({ format: 'int64', description })

const yesOrNo = (description: string) =>
  Type.Optional(Type.Enum(['true', 'false'], { type: 'string', description, ...BETA }))

const date = (description: string) => Type.Optional(Type.String({ format: 'date', description, ...BETA }))
const time = (description: string) =>
  Type.Optional(Type.String({ format: 'date-time', description, ...BETA }))

/** Text filters ignore case and accents. */
export const FILTERS = {
  status: Type.Optional(
    Type.Array(PetStatus, { description: 'Only animals with this status; repeatable.', maxItems: 3 }),
  ),
  categoryId: anyOf(id('Identifier of a category.'), 'Only animals of this category'),
  organizationId: anyOf(id('Identifier of an organization.'), 'Only animals of this organization'),
  species: anyOf(line(60), 'Only animals of this species'),
  breed: anyOf(line(80), 'Only animals of this breed, as primary or secondary breed'),
  color: anyOf(line(60), 'Only animals with this color'),
  coat: anyOf(Coat, 'Only animals with this coat'),
  age: anyOf(AgeGroup, 'Only animals in this age group'),
  sex: anyOf(Sex, 'Only animals of this sex'),
  size: anyOf(Size, 'Only animals of this size'),
  tag: anyOf(line(40), 'Only animals with this tag'),
  externalId: anyOf(line(80), 'Only animals with this shelter ID'),
  goodWithChildren: yesOrNo('Only animals that can (`true`) or cannot (`false`) live with children.'),
  goodWithDogs: yesOrNo('Only animals that can (`true`) or cannot (`false`) live with dogs.'),
  goodWithCats: yesOrNo('Only animals that can (`true`) or cannot (`false`) live with cats.'),
  spayedNeutered: yesOrNo('Only animals that are (`true`) or are not (`false`) spayed or neutered.'),
  houseTrained: yesOrNo('Only animals that are (`true`) or are not (`false`) house-trained.'),
  declawed: yesOrNo('Only animals that are (`true`) or are not (`false`) declawed.'),
  specialNeeds: yesOrNo('Only animals that have special needs (`true`) or none (`false`).'),
  vaccinated: yesOrNo('Only animals that are (`true`) or are not (`false`) vaccinated.'),
  hasPhotos: yesOrNo('Only animals with photos (`true`) or without (`false`).'),
  bornAfter: date('Only animals born after this date.'),
  bornBefore: date('Only animals born before this date.'),
  publishedAfter: time('Only animals that first became `available` after this time.'),
  publishedBefore: time('Only animals that first became `available` before this time.'),
  updatedSince: time('Only animals that changed at this time or later.'),
  country: anyOf(line(2), 'Only animals in this country (ISO 3166-1 alpha-2)'),
  region: anyOf(line(100), 'Only animals in this region'),
  postcode: anyOf(line(20), 'Only animals with this postal code'),
  city: anyOf(line(100), 'Only animals in this city'),
  q: Type.Optional(
    Type.String({
      description:
        'Only animals with all of these words in their name, breed, description, tags or place; the last word also ' +
        'matches as a prefix. At most 8 words; punctuation alone finds nothing. Animals with the words in their name ' +
        'come first. For staff and keys with write access, `q` also finds a shelter ID, kennel or microchip in any ' +
        'spelling.',
      minLength: 1,
      maxLength: 100,
      pattern: ONE_LINE,
      ...BETA,
    }),
  ),
  near: Type.Optional(
    Type.String({
      description:
        'Only animals near this place: latitude and longitude (52.09,5.12), a US or Canadian postal code, a city ' +
        'with its state or country (Denver, CO), or a US state or Canadian province (CO). Adds `distanceMeters` to each animal.',
      minLength: 1,
      maxLength: 100,
      pattern: ONE_LINE,
      ...BETA,
    }),
  ),
}

export const WITHIN = Type.Integer({
  description: 'With `near`: the maximum distance in kilometers.',
  minimum: 1,
  maximum: 500,
  default: 160,
  ...BETA,
})

export const SORTS = ['-id', 'id', '-publishedAt', 'publishedAt', 'name', 'age', 'distance'] as const

const FIELDS_PARAMETER = {
  fields: Type.Optional(
    Type.String({
      description:
        'Comma-separated members to return; `*` stands for all. Other members are absent, even required ones. ' +
        'Available only here: `publishedAt` (when the animal first became `available`), `statusChangedAt`, ' +
        '`createdAt` and `updatedAt`.',
      pattern: FIELDS_PATTERN,
      maxLength: 1_000,
      ...BETA,
    }),
  ),
}

export const OnePetQuery = Type.Object(FIELDS_PARAMETER)

export const PetQuery = Type.Object({
  limit: limitOf('animals'),
  ...FILTERS,
  id: Type.Optional(
    Type.Array(Type.Integer({ format: 'int64' }), {
      description: 'Only the animals with these ids; repeatable.',
      maxItems: 100,
      ...BETA,
    }),
  ),
  within: WITHIN,
  sort: Type.Enum([...SORTS], {
    type: 'string',
    description:
      'Newest first (`-id`), oldest first (`id`, for a complete copy while animals are added), `-publishedAt`, ' +
      '`publishedAt`, `name`, `age` (youngest first) or, with `near`, `distance`.',
    default: '-id',
    ...BETA,
  }),
  cursor: Type.Optional(
    Type.String({ description: 'Start of the page, as found in a Link header.', ...BETA }),
  ),
  ...FIELDS_PARAMETER,
})
export type PetQuery = Static<typeof PetQuery>

export const PetPath = Type.Object({ petId: pathId('Identifier of the animal.') })

type FacetName = keyof typeof FILTERS

/**
 * Filters that facets cannot count, because nearly every animal has a different value, or because they have
 * no values. Each other filter is in COUNTED_FILTERS of `search/entry.ts`.
 */
const UNCOUNTED = {
  ...{ externalId: true, q: true, near: true, bornAfter: true, bornBefore: true },
  ...{ publishedAfter: true, publishedBefore: true, updatedSince: true },
} satisfies Partial<Record<FacetName, true>>

export type CountedFilter = Exclude<FacetName, keyof typeof UNCOUNTED>

const FACETS = (Object.keys(FILTERS) as FacetName[]).filter((name) => !(name in UNCOUNTED))

const MAX_FACETS = 10

export const FacetQuery = Type.Object({
  facet: Type.Array(Type.Enum([...FACETS], { type: 'string' }), {
    description: 'A filter whose values are to be counted; repeatable.',
    minItems: 1,
    maxItems: MAX_FACETS,
    ...BETA,
  }),
  ...FILTERS,
  within: WITHIN,
})
export type FacetQuery = Static<typeof FacetQuery>

const Value = Type.Object(
  {
    value: Type.String({ description: 'The value in the spelling of the newest animal that has it.' }),
    count: Type.Integer({ description: 'The number of matching animals with this value.', minimum: 1 }),
  },
  { title: 'FacetValue' },
)

export const PetFacets = Type.Object(
  {
    matches: Type.Integer({ description: 'The number of animals counted.', minimum: 0 }),
    approximate: Type.Boolean({
      description:
        'Whether more animals match than were counted. At most the newest 10,000 are counted, and fewer if ' +
        'the request would read too many.',
    }),
    facets: Type.Record(Type.String(), Type.Array(Value), {
      description: 'By filter: the 100 most frequent values, the most frequent first.',
    }),
  },
  { title: 'PetFacets', description: 'The number of animals with each value.' },
)
export type PetFacets = Static<typeof PetFacets>
