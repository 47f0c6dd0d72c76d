import type { Category } from '../../../categories/schema.ts'
import * as categories from '../../../categories/store.ts'
import type { Context } from '../../../context.ts'
import type { Db } from '../../../db/tables.ts'
import { makeCursor, readCursor } from '../../../http/cursor.ts'
import { int64 } from '../../../http/int64.ts'
import { cutToPage } from '../../../http/link.ts'
import * as inventory from '../../../inventory/store.ts'
import * as organizations from '../../../organizations/store.ts'
import { pageOfPets, scopeOf } from '../../../pets/query.ts'
import { type Picked, pickedOf, type Show } from '../../../pets/row.ts'
import type { PetQuery } from '../../../pets/schema.ts'
import type { Position } from '../../../pets/search/candidates.ts'
import { type Finder, finderOf } from '../../../pets/search/find.ts'
import * as pets from '../../../pets/store.ts'
import { summaries } from '../../../pets/summaries.ts'
import { photosBeside } from '../../../photos/storage/kept.ts'
import { fold } from '../../../search/words.ts'
import { type Animal, placeWords } from './phrases.ts'

/** So much of a name stands in an address. */
const MAX_SLUG_CHARACTERS = 60

/** The address of an animal's page: its id decides, its name is there for people. */
export function animalPath({ id, name }: { id: number; name: string }): string {
  const words = fold(name)
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG_CHARACTERS)
  const slug = words.replace(/^-|-$/g, '')
  return `/animals/${id}${slug && `-${slug}`}`
}

/** The id that such an address begins with; undefined where it can be that of no animal. */
export function idOfSlug(slug: string): number | undefined {
  const [, id = ''] = /^([1-9]\d*)(?:-|$)/.exec(slug) ?? []
  return int64(id)
}

export const shelterPath = (code: string): string => `/organizations/${code}`

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
  /** What cards show of animals, by id; an ETag says which state of each is meant. */
  summariesOf(animals: { id: number; etag: string }[]): Promise<Map<number, Animal>>
  /** How many look for a home. */
  waiting(): Promise<number>
  /** Of these animals, by id. */
  sheltersOf(animals: Animal[]): Promise<Map<number, ShelterName>>
}

/** Those whom the public sees: animals that look for a home, and those that somebody asked for. */
export const LISTED = ['available', 'pending'] as const

export function openGallery(context: Context): Gallery {
  const { config, db, version } = context
  const photosAt = photosBeside(config)
  const kept = keptUntilChanged(
    () => version('pages'),
    () => ({
      kinds: undefined as Promise<Map<number, Category>> | undefined,
      shelters: new Map<number, ShelterName>(),
      waiting: undefined as Promise<number> | undefined,
    }),
  )
  return {
    context,
    finder: finderOf(context),
    show: { view: 'public', photosAt },
    summariesOf: keptSummaries(db, photosAt),
    kinds() {
      const current = kept()
      current.kinds ??= categories.list(db).then((all) => new Map(all.map((one) => [one.id, one])))
      return orForget(current, 'kinds', current.kinds)
    },
    waiting() {
      const current = kept()
      current.waiting ??= inventory.count(db).then(({ overall }) => overall.available + overall.pending)
      return orForget(current, 'waiting', current.waiting)
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

/** What could not be read is read again by the next who asks. */
function orForget<Name extends string, Value>(
  kept: Partial<Record<Name, unknown>>,
  name: Name,
  value: Promise<Value>,
): Promise<Value> {
  return value.catch((error) => {
    kept[name] = undefined
    throw error
  })
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

export interface Listing {
  animals: Animal[]
  /** The cursor of the next page. */
  next: string | undefined
  /** Whether it may change although nobody commits. */
  passing: boolean
}

/** What leads to an animal: all that cards show of it is read once it is found. */
const FOUND = pickedOf('id')

/**
 * A page of animals as cards show them.
 *
 * @param cursor of the page; undefined for the first one
 * @throws {ApiError} invalid_parameter
 */
export async function listAnimals(
  gallery: Gallery,
  query: PetQuery,
  cursor: string | undefined,
): Promise<Listing> {
  const { cursorSecret } = gallery.context
  const scope = scopeOf(query, 'public')
  const after = cursor === undefined ? undefined : readCursor<Position>(cursorSecret, scope, cursor)
  const { found, next, passing } = await findPage(gallery, query, FOUND, after)
  const known = await gallery.summariesOf(found.map(({ id, etag }) => ({ id, etag: ownTag(etag) })))
  const animals = found.flatMap(({ id, toObject }): Animal[] => {
    const animal = known.get(id)
    // Somebody may have changed it meanwhile.
    if (!animal || !LISTED.some((status) => status === animal.status)) return []
    const { distanceMeters } = toObject() as Pick<Animal, 'distanceMeters'>
    return [distanceMeters === undefined ? animal : { ...animal, distanceMeters }]
  })
  return { animals, passing, next: next && makeCursor(cursorSecret, scope, next) }
}

/** That of the animal alone: in a list with `near` its distance is behind it. */
const ownTag = (etag: string): string => etag.split(' ', 1)[0] as string

/** The first page of animals, of each what was picked. */
export async function listPicked(gallery: Gallery, query: PetQuery, picked: Picked) {
  const { found, passing } = await findPage(gallery, query, picked)
  return { animals: found.map(({ toObject }) => toObject() as unknown as Animal), passing }
}

async function findPage({ finder, show }: Gallery, query: PetQuery, picked: Picked, after?: Position) {
  const { found, next, cut } = await pageOfPets(finder, { query, picked, after }, show)
  const { page, position } = cutToPage(found, {
    limit: query.limit,
    positionOf: (one) => one.position,
    next,
  })
  return { found: page, next: position, passing: cut }
}

const WHOLE = pickedOf('*,publishedAt,statusChangedAt,updatedAt')

/** @returns undefined for one that nobody may see: that has no status, or is not there */
export async function findAnimal({ context, show }: Gallery, id: number): Promise<Animal | undefined> {
  const shown = await pets.findShown(context.db, id, show, WHOLE)
  const animal: Animal | undefined = shown && (shown.toObject() as unknown as Animal)
  return animal?.status === undefined ? undefined : animal
}

/** So many animals are remembered, of a kilobyte each. */
const MAX_REMEMBERED = 4_000

/** The newest are on many pages: what they show is read once, and again when they change. */
function keptSummaries(db: Db, photosAt: string): Gallery['summariesOf'] {
  const kept = new Map<string, Animal>()
  return async (animals) => {
    const found = new Map<number, Animal>()
    for (const { id, etag } of animals) {
      const animal = kept.get(etag)
      if (animal) found.set(id, animal)
    }
    const unknown = animals.flatMap(({ id }) => (found.has(id) ? [] : [id]))
    // As it is now, where it has changed since it was found.
    for (const [etag, animal] of await summaries(db, unknown, photosAt)) {
      if (kept.size >= MAX_REMEMBERED) kept.clear()
      kept.set(etag, animal)
      found.set(animal.id, animal)
    }
    return found
  }
}
