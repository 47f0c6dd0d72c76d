import * as categories from '../../categories/store.ts'
import { TYPE_SLUGS, type TypeSlug } from '../../config.ts'
import type { Context } from '../../context.ts'
import type { Db } from '../../db/tables.ts'
import { fold } from '../../search/words.ts'
import * as vocabulary from '../../vocabulary/store.ts'

// Between our words and those that clients of this face know: types, breeds and colors.

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

/** In the order in which they are told. */
export const TYPES: readonly Type[] = TYPE_SLUGS.map((slug) => ({ slug, ...TYPE_DETAILS[slug] }))

const BY_NAME = new Map(TYPES.flatMap((type) => [type.name, type.slug].map((name) => [fold(name), type])))

/** By its slug or its name, whatever the case of its letters. */
export const typeNamed = (name: string): Type | undefined => BY_NAME.get(fold(name))

/** Whole values of a query that have commas in them. */
export const TYPE_NAMES: ReadonlySet<string> = new Set(TYPES.map(({ name }) => name.toLowerCase()))

/** Which of our categories are of which type; those of none are shown to no client of this face. */
export interface Categories {
  typeOf: ReadonlyMap<number, Type>
  /** Whether every category is of a type. */
  all: boolean
}

/** Reads them: by the names of the categories, or as the operator says for those that have others. */
export function categoriesReader({
  config,
  db,
  version,
}: Pick<Context, 'config' | 'db' | 'version'>): () => Promise<Categories> {
  const said = new Map(config.v2Types.map(([category, slug]) => [fold(category), typeNamed(slug)]))
  let seen: number | undefined
  let known: Categories = { typeOf: new Map(), all: true }
  return async () => {
    const at = version('pages')
    if (at === seen) return known
    const rows = await categories.list(db)
    const typed = rows.flatMap(({ id, name }): [number, Type][] => {
      const type = said.get(fold(name)) ?? typeNamed(name)
      return type ? [[id, type]] : []
    })
    known = { typeOf: new Map(typed), all: typed.length === rows.length }
    seen = at
    return known
  }
}

/** Of one category; an operator's list may be longer than the first one, and not without end. */
const MAX_WORDS = 2_000

/** The names of breeds of a type, each once, in the order of the alphabet. */
export async function listBreeds(db: Db, { typeOf }: Categories, type: Type): Promise<string[]> {
  const names = new Set<string>()
  for (const [categoryId, other] of typeOf) {
    if (other !== type) continue
    const words = await vocabulary.list(db, 'breed', { categoryId, limit: MAX_WORDS })
    for (const { name } of words) names.add(name)
  }
  return [...names].sort((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1))
}

/** Of theirs those that have other names here, in lower case. */
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

/** What a breed of theirs may be called here: so, or as one of two with a slash between, or otherwise. */
export function ourBreeds(name: string): string[] {
  const other = OUR_BREEDS.get(name.toLowerCase()) ?? name.replace(HAIR, '$1hair')
  return [...new Set([name, ...name.split('/').map((part) => part.trim()), other])].filter(Boolean)
}

/**
 * The colors that clients of this face know. One of them may stand for several of ours, which its parts are:
 * "Brown / Chocolate" for Brown and for Chocolate.
 */
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

/** In the order in which they are told. */
export function colorsOf(type: TypeSlug): string[] {
  return COLORS[type].split('; ')
}

/** Ours that have no part of theirs to their name. */
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

/** What animals of ours may have that they would know by this color. */
export function ourColors(color: string): string[] {
  const known = COLOR_BY_NAME.get(fold(color)) ?? color
  const parts = known.includes('(') ? [] : known.split(' / ')
  return [...new Set([known, ...parts, ...(OUR_COLORS.get(known) ?? [])])]
}

const ALL_COLORS = Object.keys(COLORS).flatMap((type) => colorsOf(type as TypeSlug))
const COLOR_BY_NAME = new Map(ALL_COLORS.map((color) => [fold(color), color]))
/** Whole values of a query that have commas in them, in lower case. */
export const COLORS_WITH_COMMAS: ReadonlySet<string> = new Set(
  ALL_COLORS.filter((color) => color.includes(',')).map((color) => color.toLowerCase()),
)

const THEIR_COLORS = new Map(
  Object.keys(COLORS).map((type) => {
    // The first that has it, and before all its own name.
    const pairs = colorsOf(type as TypeSlug)
      .toReversed()
      .flatMap((color) => ourColors(color).map((one) => [fold(one), color] as const))
    const own = colorsOf(type as TypeSlug).map((color) => [fold(color), color] as const)
    return [type, new Map([...pairs, ...own])]
  }),
)

/** A color of ours as they know it; one that they do not know stays as it is. */
export function theirColor(type: TypeSlug, color: string | undefined): string | null {
  return color === undefined ? null : (THEIR_COLORS.get(type)?.get(fold(color)) ?? color)
}
