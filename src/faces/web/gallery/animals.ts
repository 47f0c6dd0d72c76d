import type { Category } from '../../../categories/schema.ts'
import * as categories from '../../../categories/store.ts'
import type { Context } from '../../../context.ts'
import type { Db } from '../../../db/tables.ts'
import { makeCursor, readCursor } from '../../../http/cursor.ts'
import { parseInt64 } from '../../../http/int64.ts'
import { cutToPage } from '../../../http/link.ts'
import * as inventory from '../../../inventory/store.ts'
import * as organizations from '../../../organizations/store.ts'
import { findSummaries } from '../../../pets/list.ts'
import { type FieldSelection, parseFields, type RenderOptions } from '../../../pets/row.ts'
import { isListed } from '../../../pets/rules.ts'
import { type Finder, finderOf } from '../../../pets/search/filters.ts'
import { type SearchQuery, scopeOf, searchPets } from '../../../pets/search/find.ts'
import type { Position } from '../../../pets/search/matching.ts'
import * as pets from '../../../pets/store.ts'
import { photosBaseForPages } from '../../../photos/storage/stored-photo.ts'
import { fold } from '../../../search/words.ts'
import type { Address, Animal } from './phrases.ts'

/** Maximum number of characters of the animal's name in a URL. */
const MAX_SLUG_CHARACTERS = 60

/** The path of an animal's page. Only the id identifies the animal; the name is for readers. */
export function animalPath({ id, name }: { id: number; name: string }): string {
  const words = fold(name)
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG_CHARACTERS)
  const slug = words.replace(/^-|-$/g, '')
  return `/animals/${id}${slug && `-${slug}`}`
}

/** The id at the start of a slug; undefined if it is not a valid id. */
export function idOfSlug(slug: string): number | undefined {
  const [, id = ''] = /^([1-9]\d*)(?:-|$)/.exec(slug) ?? []
  return parseInt64(id)
}

export const shelterPath = (code: string): string => `/organizations/${code}`

/** The data of a shelter that a card shows. */
export interface ShelterName {
  id: number
  code: string
  name: string
  address?: Address | undefined
}

/** The data from which gallery pages are rendered. */
export interface Gallery {
  context: Context
  finder: Finder
  show: RenderOptions
  /** All categories by id. */
  kinds(): Promise<Map<number, Category>>
  /** The card data of animals, by id. The ETag identifies the version of the animal. */
  summariesOf(animals: { id: number; etag: string }[]): Promise<Map<number, Animal>>
  /** The number of animals looking for a home. */
  waiting(): Promise<number>
  /** The shelters of these animals, by id. The result may contain more shelters. */
  sheltersOf(animals: Animal[]): Promise<Map<number, ShelterName>>
}

export function openGallery(context: Context): Gallery {
  const { config, db, version } = context
  const photosBase = photosBaseForPages(config)
  const readCache = cachedByVersion(
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
    show: { view: 'public', photosBase },
    summariesOf: cachedSummaries(db, photosBase),
    kinds() {
      const cache = readCache()
      cache.kinds ??= categories.list(db).then((all) => new Map(all.map((kind) => [kind.id, kind])))
      return evictOnError(cache, 'kinds', cache.kinds)
    },
    waiting() {
      const cache = readCache()
      cache.waiting ??= inventory.count(db).then(({ overall }) => overall.available + overall.pending)
      return evictOnError(cache, 'waiting', cache.waiting)
    },
    async sheltersOf(animals) {
      const { shelters } = readCache()
      const ids = new Set(animals.flatMap(({ organizationId = [] }) => organizationId))
      const missing = [...ids].filter((id) => !shelters.has(id))
      for (const { id, code, name, address } of await organizations.findMany(db, missing))
        shelters.set(id, { id, code, name, address })
      return shelters
    },
  }
}

/** Finds a category by name, ignoring case. */
export async function kindNamed(
  { kinds }: Pick<Gallery, 'kinds'>,
  kind: unknown,
): Promise<Category | undefined> {
  if (typeof kind !== 'string') return undefined
  const key = categories.fold(kind)
  return [...(await kinds()).values()].find(({ name }) => categories.fold(name) === key)
}

/** Removes a failed promise from the cache, so the next caller reads again. */
function evictOnError<Name extends string, Value>(
  cache: Partial<Record<Name, unknown>>,
  name: Name,
  value: Promise<Value>,
): Promise<Value> {
  return value.catch((error) => {
    cache[name] = undefined
    throw error
  })
}

/** Caches a value until the version changes. */
function cachedByVersion<Value>(version: () => number, make: () => Value): () => Value {
  let cachedVersion: number | undefined
  let value: Value
  return () => {
    const current = version()
    if (current !== cachedVersion) value = make()
    cachedVersion = current
    return value
  }
}

export interface Listing {
  animals: Animal[]
  /** The cursor of the next page. */
  next: string | undefined
  /** True if the page may change without a commit. The page is then not cached. */
  isVolatile: boolean
}

/** The search returns only ids, because `summariesOf` reads the data of cards. */
const ID_ONLY = parseFields('id')

/**
 * A page of animals, with the data of their cards.
 *
 * @param cursor the cursor of the page; undefined for the first page
 * @throws {ApiError} invalid_parameter
 */
export async function listAnimals(
  gallery: Gallery,
  query: SearchQuery,
  cursor: string | undefined,
): Promise<Listing> {
  const { cursorSecret } = gallery.context
  const scope = scopeOf(query, 'public')
  const after = cursor === undefined ? undefined : readCursor<Position>(cursorSecret, scope, cursor)
  const { found, next, isVolatile } = await findPage(gallery, query, ID_ONLY, after)
  const summariesById = await gallery.summariesOf(found.map(({ id, etag }) => ({ id, etag: ownTag(etag) })))
  const animals = found.flatMap(({ id, toObject }): Animal[] => {
    const animal = summariesById.get(id)
    // The animal may have changed since the search.
    if (!animal || !isListed(animal)) return []
    const { distanceMeters } = toObject() as Pick<Animal, 'distanceMeters'>
    return [distanceMeters === undefined ? animal : { ...animal, distanceMeters }]
  })
  return { animals, isVolatile, next: next && makeCursor(cursorSecret, scope, next) }
}

/** The ETag of the animal. A search with `near` appends the distance, which this function removes. */
const ownTag = (etag: string): string => etag.split(' ', 1)[0] as string

/** The first page of animals with the selected members. */
export async function listSelected(gallery: Gallery, query: SearchQuery, selection: FieldSelection) {
  const { found, isVolatile } = await findPage(gallery, query, selection)
  return { animals: found.map(({ toObject }) => toObject() as unknown as Animal), isVolatile }
}

async function findPage(
  { finder, show }: Gallery,
  query: SearchQuery,
  selection: FieldSelection,
  after?: Position,
) {
  const { found, next } = await searchPets(finder, { query, selection, after }, show)
  const { page, position } = cutToPage(found, {
    limit: query.limit,
    positionOf: (one) => one.position,
    next,
  })
  return { found: page, next: position, isVolatile: next !== undefined }
}

const ALL_MEMBERS = parseFields('*,publishedAt,statusChangedAt,updatedAt')

/** @returns undefined if the animal does not exist or is not public */
export async function findAnimal({ context, show }: Gallery, id: number): Promise<Animal | undefined> {
  const view = await pets.findView(context.db, id, show, ALL_MEMBERS)
  const animal: Animal | undefined = view && (view.toObject() as unknown as Animal)
  return animal?.status === undefined ? undefined : animal
}

/** Maximum number of cached summaries. Each summary takes about a kilobyte. */
const MAX_SUMMARIES = 4_000

/** Caches summaries by ETag, because the newest animals are on many pages. */
function cachedSummaries(db: Db, photosBase: string): Gallery['summariesOf'] {
  const cache = new Map<string, Animal>()
  return async (animals) => {
    const found = new Map<number, Animal>()
    for (const { id, etag } of animals) {
      const animal = cache.get(etag)
      if (animal) found.set(id, animal)
    }
    const missing = animals.flatMap(({ id }) => (found.has(id) ? [] : [id]))
    // An animal that has changed since the search comes with its new ETag.
    for (const [etag, animal] of await findSummaries(db, missing, photosBase)) {
      if (cache.size >= MAX_SUMMARIES) cache.clear()
      cache.set(etag, animal)
      found.set(animal.id, animal)
    }
    return found
  }
}
