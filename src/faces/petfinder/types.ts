import { TYPE_SLUGS, type TypeSlug } from '../../config.ts'
import type { Context } from '../../context.ts'
import { fold } from '../../search/words.ts'

// Between our categories and the eight types that clients of this face know.

export interface Type {
  name: string
  slug: TypeSlug
  coats: readonly string[]
  genders: readonly string[]
}

const TWO = ['Male', 'Female']
const THREE = [...TWO, 'Unknown']

const OF: Record<TypeSlug, Omit<Type, 'slug'>> = {
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
export const TYPES: readonly Type[] = TYPE_SLUGS.map((slug) => ({ slug, ...OF[slug] }))

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

/**
 * By their names, or as the operator says for those that have others.
 *
 * @param read reads all categories
 */
export function categoriesReader(
  { config, version }: Pick<Context, 'config' | 'version'>,
  read: () => Promise<{ id: number; name: string }[]>,
): () => Promise<Categories> {
  const said = new Map(config.v2Types.map(([category, slug]) => [fold(category), typeNamed(slug)]))
  let seen: number | undefined
  let known: Categories = { typeOf: new Map(), all: true }
  return async () => {
    const at = version('pages')
    if (at === seen) return known
    const rows = await read()
    const typed = rows.flatMap(({ id, name }): [number, Type][] => {
      const type = said.get(fold(name)) ?? typeNamed(name)
      return type ? [[id, type]] : []
    })
    known = { typeOf: new Map(typed), all: typed.length === rows.length }
    seen = at
    return known
  }
}
