import type { Db } from '../db/tables.ts'
import { coordinatesAfter, coordinatesOf } from '../places/derive.ts'
import type { NewPet, PetPatch } from './schema.ts'
import * as pets from './store.ts'

/** The animal with the coordinates of its postcode or city, where nobody gave better ones. */
export async function located(pet: NewPet): Promise<NewPet> {
  const point = await coordinatesOf(pet.place)
  return point ? { ...pet, place: { ...pet.place, ...point } } : pet
}

/** The patch with the coordinates that it brings along. Before the change, which waits for no list. */
export async function relocated(db: Db, id: number, patch: PetPatch): Promise<PetPatch> {
  const { place } = patch
  if (!place) return patch
  const point = await coordinatesAfter((await pets.find(db, id))?.pet.place ?? {}, place)
  if (point === undefined) return patch
  return { ...patch, place: { ...place, ...(point ?? { latitude: null, longitude: null }) } }
}
