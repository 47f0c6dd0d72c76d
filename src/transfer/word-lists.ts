import type { Age } from '../pets/fields.ts'
import type { NewPet } from '../pets/schema.ts'

// The words that people and programs write for the values of an animal, in English and Spanish.
// docs/importing.md shows these lists.

/** The values of words; null for a word that means unknown. */
export interface Words<Value> {
  get(text: string): Value | null | undefined
}

/** @param meanings by words in lower case */
export function words<Value>(meanings: Record<string, Value | null>): ReadonlyMap<string, Value | null> {
  return new Map(Object.entries(meanings))
}

/** Longer texts are not words, and take long to fold. */
const MAX_LENGTH = 200

/**
 * Removes what does not change the meaning of a word: case, accents and punctuation. A question mark stays,
 * because "yes?" is not yes.
 */
export function fold(text: string): string {
  if (text.length > MAX_LENGTH) return ''
  const plain = text
    .normalize('NFD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
  return plain.replaceAll(/[^\p{L}\p{N}\p{S}?]+/gu, ' ').trim()
}

/** For each list, the words of each meaning. */
export const WORD_LISTS = {
  nothing: { 'no value': 'none, null, n/a, na, not applicable, blank, ninguno, ninguna, no aplica' },
  'yes or no': {
    true: 'yes, y, 1, true, t, x, ✓, ✔, ✅, ☑, ok, yep, yeah, sí, s, verdadero, cierto',
    false: 'no, n, 0, false, f, ✗, ✘, ❌, nope, never, falso, nunca',
    unknown: 'unknown, u, unk, ?, unsure, not sure, not known, not tested, untested, desconocido, no se sabe',
  },
  sex: {
    female: 'female, f, fem, girl, hembra, h, mare, doe, queen, hen, ewe, sow, filly, gata, perra, yegua',
    male: 'male, m, boy, macho, stallion, buck, tom, rooster, ram, boar, colt, drake',
    unknown: 'unknown, u, unk, ?, undetermined, unsure, desconocido, desconocida',
  },
  'spayed or neutered': {
    'true (and female)': 'spayed, esterilizada, castrada',
    'true (and male)': 'neutered, castrated, gelding, gelded',
    true: 'fixed, altered, desexed, sterilized, sterilised, esterilizado, castrado',
    false: 'intact, entire, unaltered, unspayed, unneutered, unfixed, entero, entera',
  },
  age: {
    baby: 'baby, puppy, kitten, newborn, neonate, infant, cachorro, cachorra, cría, gatito, gatita, bebé',
    young: 'young, young adult, juvenile, adolescent, joven, adulto joven, adulta joven',
    adult: 'adult, adulto, adulta',
    senior: 'senior, mature adult, mature, geriatric, elderly, mayor, anciano, anciana',
  },
  size: {
    small:
      'small, s, xs, very small, extra small, tiny, toy, mini, pequeño, pequeña, muy pequeño, chico, chica',
    medium: 'medium, med, m, average, mediano, mediana',
    large: 'large, l, lg, big, grande',
    extra_large:
      'extra large, xl, xxl, x large, xlarge, very large, giant, muy grande, gigante, extra grande',
  },
  coat: {
    hairless: 'hairless, sin pelo',
    short: 'short, short hair, shorthair, short haired, short coat, smooth, corto, corta, pelo corto',
    medium: 'medium, medium hair, medium haired, medium coat, medio, media, pelo medio, semilargo',
    long: 'long, long hair, longhair, long haired, long coat, largo, larga, pelo largo',
    wire: 'wire, wirehaired, wire haired, wire coat, wiry, rough, duro, dura, pelo duro',
    curly: 'curly, curly hair, curly coat, rizado, rizada, pelo rizado',
  },
  'adoption fee': {
    0: 'free, waived, fee waived, no fee, no charge, gratis, gratuito, gratuita, sin costo, sin coste',
  },
  breed: {
    mixed:
      'mix, mixed, mixed breed, x, ×, cross, crossbreed, cross breed, crossbred, mutt, mongrel, mestizo, mestiza, cruce, cruza, mezcla, sin raza',
    unknown:
      'unknown, unk, unknown breed, undetermined, unsure, not sure, ?, desconocido, desconocida, raza desconocida',
  },
} as const

/** @param values the values of meanings that are not a value themselves */
function listed<Value>(name: keyof typeof WORD_LISTS, values: Record<string, unknown> = {}): Words<Value> {
  const meanings = new Map(
    Object.entries<string>(WORD_LISTS[name]).flatMap(([meaning, all]) =>
      all
        .split(', ')
        .map((word) => [fold(word), (meaning in values ? values[meaning] : meaning) as Value] as const),
    ),
  )
  return { get: (text) => meanings.get(fold(text)) }
}

/** Also reads a word before a note: "Medium (20-59)". @param note where a note begins */
function beforeNote<Value>(list: Words<Value>, note: RegExp): Words<Value> {
  return { get: (text) => list.get(text) ?? list.get(text.slice(0, MAX_LENGTH).split(note, 1)[0] ?? '') }
}

const FLAG_WORDS = listed<boolean>('yes or no', { true: true, false: false, unknown: null })
/** Signs of a condition that stands elsewhere or is not said: "yes*", "Yes...". */
const DOUBT = /[*†‡§#^~…]|\.\.|-\s*$/
export const FLAGS: Words<boolean> = { get: (text) => (DOUBT.test(text) ? undefined : FLAG_WORDS.get(text)) }
export const SEXES = listed<NewPet['sex']>('sex')
export const AGES = beforeNote(listed<Age>('age'), /\(/)
export const SIZES = beforeNote(listed<NewPet['size']>('size'), /[(\d]/)
export const COATS = beforeNote(listed<NewPet['coat']>('coat'), /\(/)
export const FREE = listed<0>('adoption fee', { 0: 0 })
export const NO_BREEDS = listed<'mixed' | 'unknown'>('breed')

/** Whether the animal is spayed or neutered, and its sex if no other word names the sex. */
export const ALTERED = listed<{ altered: boolean; sex?: NewPet['sex'] }>('spayed or neutered', {
  'true (and female)': { altered: true, sex: 'female' },
  'true (and male)': { altered: true, sex: 'male' },
  true: { altered: true },
  false: { altered: false },
})

const NOTHING = listed('nothing')

/** Whether a text is what people and programs write for a missing value. */
export function isNothing(text: string): boolean {
  return text === '' || /^[-–—.]{1,5}$/.test(text) || NOTHING.get(text) !== undefined
}

/** The categories of a new store, with the words that shelters use for these species. */
export const KINDS: Record<string, string> = {
  Dog: 'dog, puppy, canine, perro, perra, perrito, can',
  Cat: 'cat, kitten, feline, gato, gata, gatito, gatita',
  Rabbit: 'rabbit, bunny, domestic rabbit, rabbit domestic, conejo, coneja',
  'Small & furry':
    'small furry, small and furry, small animal, guinea pig, hamster, gerbil, mouse, rat, chinchilla, ferret, degu, hedgehog, sugar glider, squirrel, skunk, prairie dog, rodent, cobaya, cuy, conejillo de indias, jerbo, ratón, rata, hurón, erizo, roedor',
  Horse: 'horse, pony, donkey, mule, miniature horse, equine, caballo, yegua, poni, burro, mula',
  Bird: 'bird, parrot, parakeet, budgie, budgerigar, cockatiel, cockatoo, canary, finch, macaw, conure, lovebird, dove, pigeon, owl, avian, ave, pájaro, loro, periquito, canario, ninfa, cacatúa, paloma',
  'Scales, fins & other':
    'scales fins other, scales fins and other, reptile, amphibian, snake, lizard, gecko, iguana, chameleon, bearded dragon, turtle, tortoise, terrapin, frog, toad, newt, fish, goldfish, spider, tarantula, crab, hermit crab, reptil, anfibio, serpiente, culebra, lagarto, lagartija, camaleón, tortuga, rana, sapo, pez, araña',
  Barnyard:
    'barnyard, farm animal, livestock, cow, cattle, bull, pig, potbellied pig, goat, sheep, chicken, hen, rooster, duck, goose, turkey, llama, alpaca, emu, ostrich, ganado, animal de granja, vaca, toro, cerdo, cabra, oveja, gallina, gallo, pato, ganso, pavo',
}

const CATEGORIES = new Map(
  Object.entries(KINDS).flatMap(([category, all]) =>
    all.split(', ').map((word): [string, string] => [fold(word), category]),
  ),
)

/** Categories of a single species. The category has the name of the species. */
const SINGLE_SPECIES = ['Dog', 'Cat', 'Rabbit']
const GENERAL_TERM =
  /^(?:small|scales|barnyard|farm|livestock|exotic|other|reptile?|rodent|bird|ave|horse|ganado|animal)s?\b/i

/** The species of an animal, if its category has several. */
export function findSpecies({ kind }: { kind?: string }): string | undefined {
  const category = kind && findCategoryName(kind)
  return !kind || GENERAL_TERM.test(kind) || SINGLE_SPECIES.includes(category ?? '') ? undefined : kind
}

/** The category that every new store has for a species; undefined for an unknown species. */
export function findCategoryName(species: string): string | undefined {
  const word = fold(species)
  return (
    CATEGORIES.get(word) ?? CATEGORIES.get(word.replace(/s$/, '')) ?? CATEGORIES.get(word.replace(/es$/, ''))
  )
}
