import type { Context } from '../../context.ts'
import * as organizations from '../../organizations/store.ts'
import { pickedOf } from '../../pets/row.ts'
import type { Seen } from '../../pets/store.ts'
import { type ShownPet, STATUSES, toAnimal } from './animal.ts'
import type { Categories } from './types.ts'

/** What an animal is made from: all of it that everybody sees, with its times. */
export const PICKED = pickedOf('*,publishedAt,statusChangedAt,createdAt')

/** Those that these clients see, as they know them, each with what is shown of its organization. */
export async function toAnimals(
  { db, config }: Pick<Context, 'db' | 'config'>,
  found: Seen[],
  { typeOf }: Categories,
) {
  const pets = found.map(({ toObject }) => toObject() as unknown as ShownPet)
  const ids = new Set(pets.flatMap(({ organizationId }) => organizationId ?? []))
  const owners = new Map((await organizations.findMany(db, [...ids])).map((owner) => [owner.id, owner]))
  return pets.flatMap((pet) => {
    const type = typeOf.get(pet.categoryId)
    const owner = owners.get(pet.organizationId ?? 0)
    const isShown = pet.status !== undefined && Object.hasOwn(STATUSES, pet.status)
    return type && isShown ? [toAnimal(pet, { type, owner, origin: config.origin })] : []
  })
}
