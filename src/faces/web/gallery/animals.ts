import type { Category } from '../../../categories/schema.ts'
import * as categories from '../../../categories/store.ts'
import type { Context } from '../../../context.ts'
import { cutToPage } from '../../../http/link.ts'
import * as organizations from '../../../organizations/store.ts'
import { type Finder, finderOf } from '../../../pets/finder.ts'
import type { Position } from '../../../pets/order.ts'
import { pageOfPets } from '../../../pets/page-of-pets.ts'
import { pickedOf } from '../../../pets/picked.ts'
import type { Show } from '../../../pets/row.ts'
import type { PetQuery } from '../../../pets/schema.ts'
import * as pets from '../../../pets/store.ts'
import { PHOTOS_PATH } from '../../../photo-files/kept.ts'
import type { Animal } from './animal.ts'
import { placeWords } from './phrases.ts'

/** What a card says of a shelter. */
export interface ShelterName {
  id: number
  code: string
  name: string
  place: string
}

/** What the pages of the gallery are made from. */
export interface Gallery {
  context: Context
  finder: Finder
  show: Show
  /** Those of the public's animals, by id. */
  kinds(): Promise<Map<number, Category>>
  /** Of these animals, by id. */
  sheltersOf(animals: Animal[]): Promise<Map<number, ShelterName>>
}

/** Those whom the public sees: animals that look for a home, and those that somebody asked for. */
export const LISTED = ['available', 'pending'] as const

export function openGallery(context: Context): Gallery {
  const { config, db, version } = context
  const kept = keptUntilChanged(
    () => version('pages'),
    () => ({
      kinds: undefined as Promise<Map<number, Category>> | undefined,
      shelters: new Map<number, ShelterName>(),
    }),
  )
  return {
    context,
    finder: finderOf(context),
    // Addresses without a host: the page may have been reached under any.
    show: { view: 'public', photosAt: config.photosPublicUrl ?? PHOTOS_PATH },
    async kinds() {
      const current = kept()
      current.kinds ??= categories.list(db).then((all) => new Map(all.map((one) => [one.id, one])))
      return current.kinds.catch((error) => {
        current.kinds = undefined
        throw error
      })
    },
    async sheltersOf(animals) {
      const { shelters } = kept()
      const ids = new Set(animals.flatMap(({ organizationId = [] }) => organizationId))
      const unknown = [...ids].filter((id) => !shelters.has(id))
      for (const { id, code, name, address } of await organizations.findMany(db, unknown))
        shelters.set(id, { id, code, name, place: placeWords(address) })
      return shelters
    },
  }
}

/** Makes it anew once something may have changed. */
function keptUntilChanged<Value>(version: () => number, make: () => Value): () => Value {
  let since: number | undefined
  let value: Value
  return () => {
    const now = version()
    if (now !== since) value = make()
    since = now
    return value
  }
}

/** What a card shows. */
const CARD = pickedOf('id,name,status,categoryId,organizationId,species,breed,birthDate,age,sex,place,photos')

export interface Listing {
  animals: Animal[]
  /** Where the next page begins. */
  next: Position | undefined
  /** Whether it may change although nobody commits. */
  passing: boolean
}

/** @throws {ApiError} invalid_parameter; service_unavailable while the index of the search is being built */
export async function listAnimals(
  { finder, show }: Gallery,
  query: PetQuery,
  after: Position | undefined,
  picked = CARD,
): Promise<Listing> {
  const { found, next, cut } = await pageOfPets(finder, { query, picked, after }, show)
  const { page, position } = cutToPage(found, {
    limit: query.limit,
    positionOf: (one) => one.position,
    next,
  })
  return { animals: page.map(({ json }) => JSON.parse(json)), next: position, passing: cut }
}

const WHOLE = pickedOf('*,publishedAt,statusChangedAt,updatedAt')

/** @returns undefined for one that nobody may see: that has no status, or is not there */
export async function findAnimal({ context, show }: Gallery, id: bigint): Promise<Animal | undefined> {
  const shown = await pets.findShown(context.db, id, show, WHOLE)
  const animal: Animal | undefined = shown && JSON.parse(shown.json)
  return animal?.status === undefined ? undefined : animal
}
