import { type Static, Type } from '../http/type.ts'
import { FILTERS, WITHIN } from './filter-schemas.ts'

const BETA = { 'x-stability': 'beta' }

export type FacetName = keyof typeof FILTERS

/** Of these nearly every animal has a value of its own, or none that is one. */
const UNCOUNTED: FacetName[] = [
  ...(['externalId', 'q', 'near', 'bornAfter', 'bornBefore'] as const),
  ...(['publishedAfter', 'publishedBefore', 'updatedSince'] as const),
]

/** What can be counted. */
const FACETS = (Object.keys(FILTERS) as FacetName[]).filter((name) => !UNCOUNTED.includes(name))

const MOST_FACETS = 10

export const FacetQuery = Type.Object({
  facet: Type.Array(Type.Enum([...FACETS], { type: 'string' }), {
    description: 'The filter whose values are counted; repeatable.',
    minItems: 1,
    maxItems: MOST_FACETS,
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
