import type { Category } from '../../../categories/schema.ts'
import * as categories from '../../../categories/store.ts'
import type { Context } from '../../../context.ts'
import { parseInt64 } from '../../../http/int64.ts'
import { cachedByVersion } from '../../../http/page-cache.ts'
import { cutToPage, makeCursor, readCursor } from '../../../http/paging.ts'
import * as inventory from '../../../inventory/statistics.ts'
import { findMainCountry } from '../../../organizations/list.ts'
import * as organizations from '../../../organizations/store.ts'
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
  /** The number of animals looking for a home. */
  waiting(): Promise<number>
  /** The country of most shelters; undefined if no shelter has a country. */
  country(): Promise<string | undefined>
  /** The shelters of these animals, by id. The result may contain more shelters. */
  sheltersOf(animals: Animal[]): Promise<Map<number, ShelterName>>
}

export function openGallery(context: Context): Gallery {
  const { config, db } = context
  const photosBase = photosBaseForPages(config)
  const cached = <Value>(read: () => Value) => cachedByVersion(() => context.version('pages'), read)
  const readShelters = cached(() => new Map<number, ShelterName>())
  return {
    context,
    finder: finderOf(context),
    show: { view: 'public', photosBase },
    kinds: cached(async () => new Map((await categories.list(db)).map((kind) => [kind.id, kind]))),
    waiting: cached(async () => {
      const { available, pending } = (await inventory.count(db)).overall
      return available + pending
    }),
    country: cached(() => findMainCountry(db)),
    async sheltersOf(animals) {
      const shelters = readShelters()
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

export interface Listing {
  animals: Animal[]
  /** The cursor of the next page. */
  next: string | undefined
  /** True if the page may change without a commit. The page is then not cached. */
  isVolatile: boolean
}

const CARD_MEMBERS = parseFields('*')

/**
 * A page of animals, with the data of their cards.
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
  const { animals, next, isVolatile } = await findPage(gallery, query, CARD_MEMBERS, after)
  // An animal may have changed since the search.
  return {
    animals: animals.filter(isListed),
    isVolatile,
    next: next && makeCursor(cursorSecret, scope, next),
  }
}

/** A page of animals with the selected members. */
export async function findPage(
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
  const animals = page.map(({ toObject }) => toObject() as unknown as Animal)
  return { animals, next: position, isVolatile: next !== undefined }
}

const ALL_MEMBERS = parseFields('*,publishedAt,statusChangedAt,updatedAt')

/** @returns undefined if the animal does not exist or is not public */
export async function findAnimal({ context, show }: Gallery, id: number): Promise<Animal | undefined> {
  const view = await pets.findView(context.db, id, show, ALL_MEMBERS)
  const animal: Animal | undefined = view && (view.toObject() as unknown as Animal)
  return animal?.status === undefined ? undefined : animal
}
