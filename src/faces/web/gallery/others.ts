import * as organizations from '../../../organizations/store.ts'
import { LISTED_STATUSES } from '../../../pets/rules.ts'
import type { PetQuery } from '../../../pets/schema.ts'
import { type Gallery, type Listing, listAnimals } from './animals.ts'
import type { Animal } from './phrases.ts'

const MAX_OTHERS = 4

/**
 * Lists a few other animals that look for a home. Animals of the same type at the same shelter come first,
 * then the nearest animals of the same type, then any animals of the same shelter.
 */
export async function listOthers(gallery: Gallery, animal: Animal): Promise<Listing> {
  const found = new Map<number, Animal>()
  let isVolatile = false
  for (const query of await queriesLike(gallery, animal)) {
    if (found.size >= MAX_OTHERS) break
    const listing = await listAnimals(gallery, query, undefined)
    for (const one of listing.animals) found.set(one.id, one)
    isVolatile ||= listing.isVolatile
  }
  return { animals: [...found.values()].slice(0, MAX_OTHERS), isVolatile, next: undefined }
}

async function queriesLike({ context }: Gallery, animal: Animal): Promise<PetQuery[]> {
  const { organizationId, categoryId, place } = animal
  const shelter =
    organizationId === undefined ? undefined : await organizations.find(context.db, organizationId)
  const { latitude, longitude } = place?.latitude === undefined ? (shelter ?? {}) : place
  const common = { status: [...LISTED_STATUSES], limit: MAX_OTHERS, within: 100 }
  const sameKind = { ...common, categoryId: [categoryId] }
  const sameShelter = organizationId !== undefined && {
    organizationId: [organizationId],
    sort: '-id' as const,
  }
  return [
    ...(sameShelter ? [{ ...sameKind, ...sameShelter }] : []),
    latitude === undefined
      ? { ...sameKind, sort: '-id' }
      : { ...sameKind, near: `${latitude},${longitude}`, sort: 'distance' },
    ...(sameShelter ? [{ ...common, ...sameShelter }] : []),
  ]
}
