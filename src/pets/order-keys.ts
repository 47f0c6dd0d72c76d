import { fold } from '../search/words.ts'
import { toPublicParts } from './row.ts'
import { AT, AT_ORGANIZATION, type Parts, placeTokens, type SearchedRow } from './tokens.ts'

// Where animals stand in the orders that are not that of the ids.

/** Where an animal is, as near places are looked for. */
export function placeTokenOf(publicPart: string | null, organizationId: unknown): string | undefined {
  const { place } = toPublicParts(null, publicPart) as Parts
  return placeTokens(place, organizationId).find((one) => AT_TOKENS.test(one))
}

const AT_TOKENS = new RegExp(`^(?:${AT}|${AT_ORGANIZATION}):`)

/** So much of a name decides its order; of names that are alike so far, the id does. */
const SORTED_CHARACTERS = 60

export const nameKey = (name: string): string => [...fold(name)].slice(0, SORTED_CHARACTERS).join('')

const AGES = ['senior', 'adult', 'young', 'baby']

/** The younger, the higher: by age group, and in a group by birth date. Those of no known age are lowest. */
export function ageKey([, , , , , profile, publicPart]: SearchedRow): string {
  const { age, birthDate } = toPublicParts(profile, publicPart) as Parts
  return `${AGES.indexOf(age ?? '') + 1}${birthDate ?? ''}`
}
