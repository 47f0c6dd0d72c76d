import { ONE_LINE } from '../http/text.ts'
import { type Static, Type } from '../http/type.ts'
import { PetStatus } from './fields.ts'
import { AgeGroup, Coat, Sex, Size } from './profile-schemas.ts'

// What `GET /pets` and `GET /pets/facets` can be asked for: different filters have to fit all, and of one that is repeated any.

/** Added to the contract; it may still change, with notice. */
const BETA = { 'x-stability': 'beta' }

/** Of all filters together; query.ts counts. */
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

const text = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: ONE_LINE })
const id = (description: string) => Type.Integer({ format: 'int64', description })

const yesOrNo = (description: string) =>
  Type.Optional(Type.Enum(['true', 'false'], { type: 'string', description, ...BETA }))

const date = (description: string) => Type.Optional(Type.String({ format: 'date', description, ...BETA }))
const time = (description: string) =>
  Type.Optional(Type.String({ format: 'date-time', description, ...BETA }))

/** Text is compared without case and accents. */
export const FILTERS = {
  status: Type.Optional(
    Type.Array(PetStatus, { description: 'Only in this status; repeatable.', maxItems: 3 }),
  ),
  categoryId: anyOf(id('Identifier of a category.'), 'Only animals of this category'),
  organizationId: anyOf(id('Identifier of an organization.'), 'Only animals of this organization'),
  species: anyOf(text(60), 'Only of this species'),
  breed: anyOf(text(80), 'Only of this breed, as the first or the second'),
  color: anyOf(text(60), 'Only with this color'),
  coat: anyOf(Coat, 'Only with this coat'),
  age: anyOf(AgeGroup, 'Only in this age group'),
  sex: anyOf(Sex, 'Only of this sex'),
  size: anyOf(Size, 'Only of this size'),
  tag: anyOf(text(40), 'Only with this tag'),
  externalId: anyOf(text(80), 'Only with this number of its shelter'),
  goodWithChildren: yesOrNo('Only those that can, or cannot, live with children.'),
  goodWithDogs: yesOrNo('Only those that can, or cannot, live with dogs.'),
  goodWithCats: yesOrNo('Only those that can, or cannot, live with cats.'),
  spayedNeutered: yesOrNo('Only those that are spayed or neutered, or are not.'),
  houseTrained: yesOrNo('Only those that are house trained, or are not.'),
  declawed: yesOrNo('Only those that are declawed, or are not.'),
  specialNeeds: yesOrNo('Only those that have special needs, or have none.'),
  vaccinated: yesOrNo('Only those that are vaccinated, or are not.'),
  hasPhotos: yesOrNo('Only those with photos, or without any.'),
  bornAfter: date('Only those born after this day.'),
  bornBefore: date('Only those born before this day.'),
  publishedAfter: time('Only those that were `available` first after this moment.'),
  publishedBefore: time('Only those that were `available` first before this moment.'),
  updatedSince: time('Only those that were changed at this moment or later.'),
  country: anyOf(text(2), 'Only those in this country (ISO 3166)'),
  region: anyOf(text(100), 'Only those in this region'),
  postcode: anyOf(text(20), 'Only those with this postcode'),
  city: anyOf(text(100), 'Only those in this city'),
  q: Type.Optional(
    Type.String({
      description:
        'Only those in whose name, breed, description, tags or place each of these words is; the last may be the ' +
        'beginning of one. At most 8 words; without any, nobody is found. Those with the words in their name ' +
        'come first.',
      minLength: 1,
      maxLength: 100,
      pattern: ONE_LINE,
      ...BETA,
    }),
  ),
  near: Type.Optional(
    Type.String({
      description:
        'Only those near this latitude and longitude (52.09,5.12), postcode of the United States or Canada, or ' +
        'city with its state or country (Denver, CO). Each answer then has its `distanceMeters`.',
      minLength: 1,
      maxLength: 100,
      pattern: ONE_LINE,
      ...BETA,
    }),
  ),
}

export const WITHIN = Type.Integer({
  description: 'With `near`: at most so many kilometres away.',
  minimum: 1,
  maximum: 500,
  default: 160,
  ...BETA,
})

export const SORTS = ['-id', 'id', '-publishedAt', 'publishedAt', 'name', 'age', 'distance'] as const

type FacetName = keyof typeof FILTERS

/** Of these nearly every animal has a value of its own, or none that is one. */
const UNCOUNTED: FacetName[] = [
  ...(['externalId', 'q', 'near', 'bornAfter', 'bornBefore'] as const),
  ...(['publishedAfter', 'publishedBefore', 'updatedSince'] as const),
]

/** What can be counted. */
const FACETS = (Object.keys(FILTERS) as FacetName[]).filter((name) => !UNCOUNTED.includes(name))

const MAX_FACETS = 10

export const FacetQuery = Type.Object({
  facet: Type.Array(Type.Enum([...FACETS], { type: 'string' }), {
    description: 'The filter whose values are counted; repeatable.',
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
    value: Type.String({ description: 'As the newest of these animals has it.' }),
    count: Type.Integer({ description: 'How many of the matching animals have it.', minimum: 1 }),
  },
  { title: 'FacetValue' },
)

export const PetFacets = Type.Object(
  {
    matches: Type.Integer({ description: 'How many animals were counted.', minimum: 0 }),
    approximate: Type.Boolean({
      description:
        'Whether there are more: then the newest 10,000 were counted, or as many as one request may read.',
    }),
    facets: Type.Record(Type.String(), Type.Array(Value), {
      description: 'By filter: the 100 values that most have, those that most have first.',
    }),
  },
  { title: 'PetFacets', description: 'How many animals have each value.' },
)
export type PetFacets = Static<typeof PetFacets>
