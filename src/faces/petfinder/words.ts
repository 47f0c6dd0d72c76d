import * as categories from '../../categories/store.ts'
import { TYPE_SLUGS, type TypeSlug } from '../../config.ts'
import type { Context } from '../../context.ts'
import type { Db } from '../../db/tables.ts'
import { cachedByVersion } from '../../http/page-cache.ts'
import { fold } from '../../search/words.ts'
import * as vocabulary from '../../vocabulary/store.ts'

// Translates types, breeds and colors between adoptable and Petfinder API v2 clients.

export interface Type {
  name: string
  slug: TypeSlug
  coats: readonly string[]
  genders: readonly string[]
}

const TWO = ['Male', 'Female']
const THREE = [...TWO, 'Unknown']

const TYPE_DETAILS: Record<TypeSlug, Omit<Type, 'slug'>> = {
  dog: { name: 'Dog', coats: ['Hairless', 'Short', 'Medium', 'Long', 'Wire', 'Curly'], genders: TWO },
  cat: { name: 'Cat', coats: ['Hairless', 'Short', 'Medium', 'Long'], genders: TWO },
  rabbit: { name: 'Rabbit', coats: ['Short', 'Long'], genders: TWO },
  'small-furry': { name: 'Small & Furry', coats: ['Hairless', 'Short', 'Long'], genders: TWO },
  horse: { name: 'Horse', coats: [], genders: TWO },
  bird: { name: 'Bird', coats: [], genders: THREE },
  'scales-fins-other': { name: 'Scales, Fins & Other', coats: [], genders: THREE },
  barnyard: { name: 'Barnyard', coats: ['Short', 'Long'], genders: TWO },
}

/** All types, in the order of the API. */
export const TYPES: readonly Type[] = TYPE_SLUGS.map((slug) => ({ slug, ...TYPE_DETAILS[slug] }))

const BY_NAME = new Map(TYPES.flatMap((type) => [type.name, type.slug].map((name) => [fold(name), type])))

/** Finds a type by its slug or its name, ignoring case. */
export const typeNamed = (name: string): Type | undefined => BY_NAME.get(fold(name))

/** Names of types in lower case. Some contain a comma, at which a list in a query is not split. */
export const TYPE_NAMES: ReadonlySet<string> = new Set(TYPES.map(({ name }) => name.toLowerCase()))

/** The types of our categories. This API does not show animals in a category without a type. */
export interface Categories {
  typeOf: ReadonlyMap<number, Type>
  /** Whether every category has a type. */
  all: boolean
  /** The names of breeds by slug, which are read at the first call. */
  breedsBySlug(): Promise<ReadonlyMap<string, string[]>>
}

/** @returns a function that reads types of categories, by V2_TYPES or name. Types and breeds are cached. */
export function categoriesReader({
  config,
  db,
  version,
}: Pick<Context, 'config' | 'db' | 'version'>): () => Promise<Categories> {
  const configured = new Map(config.v2Types.map(([category, slug]) => [fold(category), typeNamed(slug)]))
  const readNow = async (): Promise<Categories> => {
    const rows = await categories.list(db)
    const typed = rows.flatMap(({ id, name }): [number, Type][] => {
      const type = configured.get(fold(name)) ?? typeNamed(name)
      return type ? [[id, type]] : []
    })
    const typeOf = new Map(typed)
    let bySlug: ReadonlyMap<string, string[]> | undefined
    const breedsBySlug = async () => (bySlug ??= await groupBreeds(db, typeOf))
    return { typeOf, all: typed.length === rows.length, breedsBySlug }
  }
  return cachedByVersion(() => version('pages'), readNow)
}

/** Maximum number of breeds that are read for a category. Operators may add breeds to the initial list. */
const MAX_BREEDS = 2_000

/** The names of a type's breeds, without duplicates, in alphabetical order. */
export async function listBreeds(db: Db, typeOf: Categories['typeOf'], type: Type): Promise<string[]> {
  const names = new Set<string>()
  for (const [categoryId, other] of typeOf) {
    if (other !== type) continue
    const words = await vocabulary.list(db, 'breed', { categoryId, limit: MAX_BREEDS })
    for (const { name } of words) names.add(name)
  }
  return [...names].sort((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1))
}

/** Slugs, as some clients send them: labrador-retriever, or king-milk for "King / Milk". */
const SLUG = /^[a-z\d]+(?:-[a-z\d]+)+$/
const slugOf = (name: string): string =>
  fold(name)
    .replace(/[^a-z\d]+/g, '-')
    .replace(/^-|-$/g, '')

async function groupBreeds(db: Db, typeOf: Categories['typeOf']): Promise<Map<string, string[]>> {
  const lists = await Promise.all(TYPES.map((type) => listBreeds(db, typeOf, type)))
  return Map.groupBy([...lists.flat(), ...OUR_BREEDS.keys()], slugOf)
}

/** Returns the names of breeds that texts may mean. A slug means the breeds that have this slug. */
export async function breedNamesOf(
  { breedsBySlug }: Pick<Categories, 'breedsBySlug'>,
  texts: readonly string[],
): Promise<string[]> {
  const slugs = texts.map((text) => text.toLowerCase()).filter((text) => SLUG.test(text))
  if (slugs.length === 0) return [...texts]
  const bySlug = await breedsBySlug()
  const named = slugs.flatMap((slug) => bySlug.get(slug) ?? [])
  const spaced = slugs.flatMap((slug) => [slug.replaceAll('-', ' '), slug.replaceAll('-', ' / ')])
  return [...texts, ...spaced, ...named]
}

/** Our names of breeds for which Petfinder has another name, by Petfinder's name in lower case. */
const OUR_BREEDS = new Map<string, string>([
  ['akbash', 'Akbash Dog'],
  ['appenzell mountain dog', 'Appenzeller Sennenhund'],
  ['belgian shepherd / malinois', 'Belgian Malinois'],
  ['belgian shepherd / sheepdog', 'Belgian Sheepdog'],
  ['belgian shepherd / tervuren', 'Belgian Tervuren'],
  ['brittany spaniel', 'Brittany'],
  ['caucasian sheepdog / caucasian ovtcharka', 'Caucasian Shepherd Dog'],
  ['entlebucher', 'Entlebucher Mountain Dog'],
  ['galgo spanish greyhound', 'Galgo Español'],
  ['german shepherd dog', 'German Shepherd'],
  ['havana', 'Havana Brown'],
  ['kai dog', 'Kai Ken'],
  ['klee kai', 'Alaskan Klee Kai'],
  ['newfoundland dog', 'Newfoundland'],
  ['pixiebob', 'Pixie-bob'],
  ['tosa inu', 'Tosa'],
  ['white german shepherd', 'White Shepherd'],
])
const HAIR = /(short|medium|long) hair$/i

/** The names that a Petfinder breed may have here: the same, a part between slashes, or another name. */
export function ourBreeds(name: string): string[] {
  const other = OUR_BREEDS.get(name.toLowerCase()) ?? name.replace(HAIR, '$1hair')
  return [...new Set([name, ...name.split('/').map((part) => part.trim()), other])].filter(Boolean)
}

/** Petfinder's colors. One may stand for several of ours: "Brown / Chocolate" for Brown and Chocolate. */
const COLORS: Record<TypeSlug, string> = {
  dog: 'Apricot / Beige; Bicolor; Black; Brindle; Brown / Chocolate; Golden; Gray / Blue / Silver; Harlequin; Merle (Blue); Merle (Red); Red / Chestnut / Orange; Sable; Tricolor (Brown, Black, & White); White / Cream; Yellow / Tan / Blond / Fawn',
  cat: 'Black; Black & White / Tuxedo; Blue Cream; Blue Point; Brown / Chocolate; Buff & White; Buff / Tan / Fawn; Calico; Chocolate Point; Cream / Ivory; Cream Point; Dilute Calico; Dilute Tortoiseshell; Flame Point; Gray & White; Gray / Blue / Silver; Lilac Point; Orange & White; Orange / Red; Seal Point; Smoke; Tabby (Brown / Chocolate); Tabby (Buff / Tan / Fawn); Tabby (Gray / Blue / Silver); Tabby (Leopard / Spotted); Tabby (Orange / Red); Tabby (Tiger Striped); Torbie; Tortoiseshell; White',
  rabbit:
    'Agouti; Black; Blue / Gray; Brown / Chocolate; Cream; Lilac; Orange / Red; Sable; Silver Marten; Tan; Tortoiseshell; White',
  'small-furry':
    'Agouti; Albino; Black; Black Sable; Blue / Gray; Brown / Chocolate; Calico; Champagne; Cinnamon; Cream; Orange / Red; Sable; Tan; Tortoiseshell; White; White (Dark-Eyed)',
  horse:
    'Appaloosa; Bay; Bay Roan; Black; Blue Roan; Brown; Buckskin; Champagne; Chestnut / Sorrel; Cremello; Dapple Gray; Dun; Gray; Grullo; Liver; Paint; Palomino; Perlino; Piebald; Pinto; Red Roan; Silver Bay; Silver Buckskin; Silver Dapple; White',
  bird: 'Black; Blue; Brown; Buff; Gray; Green; Olive; Orange; Pink; Purple / Violet; Red; Rust / Rufous; Tan; White; Yellow',
  'scales-fins-other': 'Black; Blue; Brown; Gray; Green; Iridescent; Orange; Purple; Red; Tan; White; Yellow',
  barnyard: 'Agouti; Black; Black & White; Brindle; Brown; Gray; Pink; Red; Roan; Spotted; Tan; White',
}

/** Petfinder's colors of a type, in the order of the API. */
export function colorsOf(type: TypeSlug): string[] {
  return COLORS[type].split('; ')
}

/** Our colors whose names are not part of a Petfinder color's name, by that Petfinder color. */
const OUR_COLORS = new Map<string, string[]>(
  Object.entries({
    'Merle (Blue)': ['Blue Merle', 'Merle'],
    'Merle (Red)': ['Red Merle'],
    'Tricolor (Brown, Black, & White)': ['Tricolor'],
    'Black & White / Tuxedo': ['Black and White'],
    'Black & White': ['Black and White'],
    'Gray & White': ['Gray and White'],
    'Orange & White': ['Orange and White'],
    'Tabby (Brown / Chocolate)': ['Brown Tabby'],
    'Tabby (Gray / Blue / Silver)': ['Gray Tabby', 'Silver Tabby'],
    'Tabby (Orange / Red)': ['Orange Tabby'],
  }),
)

/** The names that a Petfinder color may have here. */
export function ourColors(color: string): string[] {
  const name = COLOR_BY_NAME.get(fold(color)) ?? color
  const parts = name.includes('(') ? [] : name.split(' / ')
  return [...new Set([name, ...parts, ...(OUR_COLORS.get(name) ?? [])])]
}

const ALL_COLORS = Object.keys(COLORS).flatMap((type) => colorsOf(type as TypeSlug))
const COLOR_BY_NAME = new Map(ALL_COLORS.map((color) => [fold(color), color]))
/** Petfinder colors that contain a comma, in lower case. A list in a query is not split at these commas. */
export const COLORS_WITH_COMMAS: ReadonlySet<string> = new Set(
  ALL_COLORS.filter((color) => color.includes(',')).map((color) => color.toLowerCase()),
)

const THEIR_COLORS = new Map(
  Object.keys(COLORS).map((type) => {
    // Each of our colors maps to the Petfinder color with its name, or else to the first that contains it.
    const pairs = colorsOf(type as TypeSlug)
      .toReversed()
      .flatMap((color) => ourColors(color).map((one) => [fold(one), color] as const))
    const own = colorsOf(type as TypeSlug).map((color) => [fold(color), color] as const)
    return [type, new Map([...pairs, ...own])]
  }),
)

/** Petfinder's name of our color; our name if Petfinder has no other name. */
export function theirColor(type: TypeSlug, color: string | undefined): string | null {
  return color === undefined ? null : (THEIR_COLORS.get(type)?.get(fold(color)) ?? color)
}
