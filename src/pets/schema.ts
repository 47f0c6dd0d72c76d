import { type Removable, type Rules, removable } from '../http/merge-patch.ts'
import { type Static, Type } from '../http/type.ts'
import { Photos } from '../photos/storage/kept.ts'
import {
  FIELDS,
  FIELDS_PATTERN,
  LASTING_MEMBERS,
  REMOVABLE_MEMBERS,
  type RemovableMember,
  SCHEMAS,
} from './fields.ts'
import { FILTERS, SORTS, WITHIN } from './filter-schemas.ts'

/** Added to the contract; it may still change, with notice. */
const BETA = { 'x-stability': 'beta' }

export const NewPet = Type.Object(SCHEMAS, {
  title: 'NewPet',
  description: 'An animal to add. Members other than these are ignored.',
})
export type NewPet = Static<typeof NewPet>

const patched = [
  ...LASTING_MEMBERS.map((member) => [member, Type.Optional(FIELDS[member].schema)]),
  ...REMOVABLE_MEMBERS.map((member) => [member, removable(FIELDS[member].schema as Rules)]),
]

export const PetPatch = Type.Unsafe<PetPatch>(
  Type.Object(Object.fromEntries(patched), {
    title: 'PetPatch',
    description:
      'What to change of an animal (RFC 7396); members that are absent stay as they are, and null removes one.',
  }),
)
export type PetPatch = Partial<Omit<NewPet, RemovableMember>> & {
  [Name in RemovableMember]?: Removable<NonNullable<NewPet[Name]>>
}

const Id = Type.Integer({ format: 'int64', description: 'Unique identifier, assigned by the service.' })

export const Pet = Type.Object(
  {
    id: Id,
    ...SCHEMAS,
    photos: Type.Optional(Photos),
    distanceMeters: Type.Optional(
      Type.Integer({
        description: 'In a list with `near`: how far it is from there, along the great circle.',
        minimum: 0,
        'x-stability': 'beta',
      }),
    ),
  },
  { title: 'Pet', description: 'An animal. Without a status it is not listed yet.' },
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
        description: 'Each changed member, with its value before and after, where it had one.',
      }),
    },
    { title: 'PetChange' },
  ),
  { title: 'PetHistory', description: 'The changes of an animal, newest first, at most 100.' },
)
export type PetHistory = Static<typeof PetHistory>

const FIELDS_PARAMETER = {
  fields: Type.Optional(
    Type.String({
      description:
        'Only these members, with commas between them; `*` stands for all. Others are absent, required ones too. ' +
        'Beside the members of an animal there ' +
        'are `publishedAt` (when it was `available` first), `statusChangedAt`, `createdAt` and `updatedAt`.',
      pattern: FIELDS_PATTERN,
      maxLength: 1_000,
      ...BETA,
    }),
  ),
}

export const OnePetQuery = Type.Object(FIELDS_PARAMETER)

export const PetQuery = Type.Object({
  limit: Type.Integer({
    description: 'Maximum number of animals returned.',
    minimum: 1,
    maximum: 100,
    default: 20,
  }),
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
      'Newest first (`-id`), or oldest first (`id`): the order for a full copy while others add animals. Others are ' +
      '`-publishedAt`, `publishedAt`, `name`, `age` (the youngest first) and, with `near`, `distance`.',
    default: '-id',
    ...BETA,
  }),
  cursor: Type.Optional(
    Type.String({ description: 'Where the page begins: only as found in a Link header.', ...BETA }),
  ),
  ...FIELDS_PARAMETER,
})
export type PetQuery = Static<typeof PetQuery>

export const PetPath = Type.Object({
  // Described as an integer and read as text: what is no int64 names no animal, and is a 404.
  petId: Type.Unsafe<string>({ type: 'integer', format: 'int64', description: 'Identifier of the animal.' }),
})
