import type { Age } from '../pets/fields.ts'
import type { NewPet } from '../pets/schema.ts'

// The words that are written for the values of an animal, in English and Spanish. See docs/import-words.md.

/** The values of words; null for a word that means unknown. */
export interface Words<Value> {
  get(text: string): Value | null | undefined
}

/** @param meanings by words in lower case */
export function words<Value>(meanings: Record<string, Value | null>): ReadonlyMap<string, Value | null> {
  return new Map(Object.entries(meanings))
}

/** Removes accents. Ordering thousands of marks after one letter would take minutes, so these go first. */
export const withoutMarks = (text: string): string =>
  text
    .replaceAll(/\p{M}+/gu, '')
    .normalize('NFD')
    .replaceAll(/\p{M}+/gu, '')

/** Longer texts are not words, and take long to fold. */
const MAX_LENGTH = 200

/** Removes case, accents and punctuation. A question mark stays, because "yes?" is not yes. */
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
    true: 'yes, y, 1, true, t, x, ✓, ✔, ✅, ☑, ok, yep, yeah, checked, 1.0, sí, s, v, verdadero, cierto, oui, ja',
    false: 'no, n, 0, false, f, ✗, ✘, ❌, ☐, nope, never, unchecked, 0.0, falso, nunca, non, nein',
    unknown:
      'unknown, u, unk, ?, unsure, not sure, not known, don’t know, idk, not tested, untested, desconocido, no se sabe, no sabe, no sé, sin probar, no probado, no probada',
  },
  vaccinated: {
    true: 'vaccinated, current, up to date, utd, done, complete, vacunado, vacunada, al día, completa, completas',
  },
  'house trained': {
    true: 'house trained, housetrained, housebroken, potty trained, trained, fully trained, educado, educada',
    false: 'not house trained, not housetrained, not trained, no educado, no educada',
  },
  'no name': {
    'no value':
      'unnamed, no name, noname, name unknown, unknown, unk, ?, tbd, sin nombre, desconocido, desconocida',
  },
  sex: {
    female:
      'female, f, fem, ♀, girl, bitch, vixen, hembra, h, mare, doe, queen, hen, ewe, sow, filly, gata, perra, yegua',
    male: 'male, m, ♂, boy, macho, varón, stallion, buck, tom, rooster, ram, boar, colt, drake',
    unknown: 'unknown, u, unk, ?, undetermined, unsure, desconocido, desconocida',
  },
  'spayed or neutered': {
    'true (and female)': 'spayed, spay, esterilizada, castrada',
    'true (and male)': 'neutered, castrated, gelding, gelded, wether, barrow, steer, neuter, neut',
    true: 'fixed, altered, desexed, sterilized, sterilised, esterilizado, castrado, esterilizar, castrar',
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
      'small, s, sm, xs, very small, extra small, tiny, toy, mini, teacup, kittn, pequeño, pequeña, muy pequeño, muy pequeña, chico, chica, miniatura, talla pequeña',
    medium: 'medium, med, md, m, average, mediano, mediana, talla mediana',
    large: 'large, l, lg, lrg, big, grande, talla grande',
    extra_large:
      'extra large, xl, xxl, x large, xlarge, x lrg, xlg, very large, giant, muy grande, gigante, extra grande',
  },
  coat: {
    hairless: 'hairless, sin pelo',
    short:
      'short, short hair, shorthair, short haired, shorthaired, short coat, short fur, smooth, corto, corta, pelo corto',
    medium:
      'medium, medium hair, mediumhair, medium haired, medium coat, medium fur, medium long, semi long, medio, media, pelo medio, semilargo',
    long: 'long, long hair, longhair, long haired, longhaired, long coat, long fur, largo, larga, pelo largo',
    wire: 'wire, wire hair, wirehair, wirehaired, wire haired, wire coat, wiry, rough, duro, dura, pelo duro',
    curly: 'curly, curly hair, curly haired, curly coat, rizado, rizada, pelo rizado',
  },
  'adoption fee': {
    0: 'free, waived, fee waived, no fee, no charge, gratis, gratuito, gratuita, sin costo, sin coste',
  },
  breed: {
    mixed:
      'mix, mixed, mixed breed, x, ×, cross, crossbreed, cross breed, crossbred, x breed, xbreed, mixed breeds, mix breed, mutt, mongrel, mestizo, mestiza, mixta, cruce, cruza, mezcla, sin raza, sin raza definida, srd',
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
/** Also reads the words of another list. */
const withFlags = (words: Words<boolean>): Words<boolean> => ({
  get: (text) => (FLAGS.get(text) === undefined ? words.get(text) : FLAGS.get(text)),
})
export const VACCINATED = withFlags(listed<boolean>('vaccinated', { true: true }))
export const HOUSE_TRAINED = withFlags(listed<boolean>('house trained', { true: true, false: false }))
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

const NO_NAMES = listed('no name')

/** Whether a name says that the animal has none. */
export const isNoName = (name: unknown): boolean =>
  typeof name === 'string' && NO_NAMES.get(name) !== undefined

/** Whether a text is what people and programs write for a missing value. */
export function isNothing(text: string): boolean {
  return text === '' || /^[-–—.]{1,5}$/.test(text) || NOTHING.get(text) !== undefined
}

/** The categories of a new store, with the words that shelters use for these species. */
export const KINDS: Record<string, string> = {
  Dog: 'dog, puppy, puppies, pup, canine, k9, k 9, domestic dog, perro, perra, perrito, perrita, cachorro, cachorra, can, canino, canina',
  Cat: 'cat, dsh, dmh, dlh, kitten, kitty, feline, domestic cat, house cat, gato, gata, gatito, gatita, felino, felina, minino, gato doméstico',
  Rabbit:
    'rabbit, bunny, bunnies, domestic rabbit, rabbit domestic, rabbit sh, rabbit lh, lagomorph, conejo, coneja',
  'Small & furry':
    'small furry, small and furry, small animal, small mammal, pocket pet, guinea pig, hamster, gerbil, mouse, mice, rat, chinchilla, ferret, degu, hedgehog, sugar glider, squirrel, skunk, prairie dog, rodent, cobaya, cuy, conejillo de indias, jerbo, ratón, rata, hurón, erizo, roedor',
  Horse:
    'horse, pony, ponies, donkey, mini horse, mule, miniature horse, equine, caballo, yegua, poni, burro, mula, equino, equina, potro, potra',
  Bird: 'bird, parrot, parakeet, budgie, budgerigar, cockatiel, cockatoo, canary, finch, macaw, conure, lovebird, dove, pigeon, owl, avian, ave, pájaro, loro, periquito, canario, ninfa, cacatúa, paloma, agapornis, cotorra',
  'Scales, fins & other':
    'scales fins other, scales fins and other, reptile, amphibian, snake, lizard, gecko, iguana, chameleon, bearded dragon, turtle, tortoise, terrapin, frog, toad, newt, fish, goldfish, spider, tarantula, crab, hermit crab, reptil, anfibio, serpiente, culebra, lagarto, lagartija, camaleón, tortuga, rana, sapo, pez, araña',
  Barnyard:
    'barnyard, farm animal, livestock, cow, cattle, bull, pig, potbellied pig, pot bellied pig, goat, sheep, chicken, hen, rooster, duck, goose, geese, turkey, fowl, poultry, quail, llama, alpaca, emu, ostrich, ganado, animal de granja, vaca, toro, cerdo, cabra, oveja, gallina, gallo, pato, ganso, pavo',
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

/** Whether a word means a group of species: "Small animal". */
export const isGeneralTerm = (kind: string): boolean => GENERAL_TERM.test(kind)

/** The species of an animal, if its category has several. @param species from a column of its own */
export function findSpecies({ kind, species }: { kind?: string; species?: unknown }): unknown {
  if (species !== undefined && (kind === undefined || typeof species !== 'string')) return species
  const word = species ?? kind
  const category = word && findCategoryName(word)
  return !word || isGeneralTerm(word) || SINGLE_SPECIES.includes(category ?? '') ? undefined : word
}

/** Words before a species that say nothing about it: "Adult dog", "Male cat". */
const BEFORE_KIND = /^(?:adult|young|baby|senior|male|female) /

/** The category that every new store has for a species; undefined for an unknown species. */
export function findCategoryName(species: string): string | undefined {
  const whole = findWord(fold(species))
  if (whole !== undefined || species.length > MAX_LENGTH) return whole
  // "Dog (puppy)", "Feline/cat", "Perro/a"
  const parts = species.split(/[/(),;|]| - /).map(fold)
  const found = new Set(parts.flatMap((part) => (part.length > 1 ? (findWord(part) ?? []) : [])))
  if (found.size > 0) return found.size === 1 ? [...found][0] : undefined
  // "Holland Lop rabbit", "Perro grande"
  const all = fold(species).split(' ')
  return all.length < 2 ? undefined : (findWord(all.at(-1) ?? '') ?? findWord(all[0] ?? ''))
}

function findWord(word: string): string | undefined {
  const [bare, ...endings] = [word.replace(BEFORE_KIND, ''), /s$/, /es$/] as const
  return (
    CATEGORIES.get(bare) ??
    CATEGORIES.get(bare.replace(endings[0], '')) ??
    CATEGORIES.get(bare.replace(endings[1], ''))
  )
}

export const POUND_GRAMS = 453.592_37
export const KILOGRAM_GRAMS = 1_000

export const UNIT_GRAMS = words<number>({
  ...{ pounds: POUND_GRAMS, pound: POUND_GRAMS, lbs: POUND_GRAMS, lb: POUND_GRAMS },
  ...{ kilograms: KILOGRAM_GRAMS, kilogram: KILOGRAM_GRAMS, kg: KILOGRAM_GRAMS, kgs: KILOGRAM_GRAMS },
  ...{ ounces: POUND_GRAMS / 16, ounce: POUND_GRAMS / 16, oz: POUND_GRAMS / 16 },
  ...{ grams: 1, gram: 1, g: 1 },
  ...{ libras: POUND_GRAMS, libra: POUND_GRAMS, kilos: KILOGRAM_GRAMS, kilo: KILOGRAM_GRAMS },
})

/**
 * Reads a number with a decimal point or comma.
 * @param factor converts into the target unit; the result is rounded to an integer
 * @returns undefined if the text cannot be read, like all functions below
 */
export function parseNumber(text: string, factor: number): number | undefined {
  // 1.250,50 or 1,250.50. A single comma before three digits separates thousands, except in 0,250.
  const isContinental = /^(?:\d{1,9}(?:\.\d{3})*,\d{1,2}|0,\d+)$/.test(text)
  if (!isContinental && !/^\d{1,9}(?:,\d{3})*(?:\.\d+)?$/.test(text)) return undefined
  const plain = isContinental ? text.replaceAll('.', '').replace(',', '.') : text.replaceAll(',', '')
  return Math.round(Number(plain) * factor)
}

/** Reads money with or without a currency sign: "$150". @param factor 100 for cents */
export function parseAmount(text: string, factor: number): number | undefined {
  const figures = text
    .replace(/^(?:US)?[$€£]/, '')
    .replace(/[$€£]$/, '')
    .trim()
  // "1.500" is not 1 dollar and 50 cents.
  const isThousands = /^[1-9]\d{0,2}(?:\.\d{3})+$/.test(figures)
  return parseNumber(isThousands ? figures.replaceAll('.', '') : figures, factor)
}

const POUNDS_AND_OUNCES =
  /^(\d{1,3}) ?(?:lbs?|pounds?)\.?,? ?(?:and )?(\d{1,2}(?:\.\d{1,2})?) ?(?:oz|ounces?)\.?$/i

/** Reads a weight such as "22.5 lb". @param unit in grams, for a weight without a unit @returns grams */
export function parseWeight(text: string, unit: number): number | undefined {
  const [, pounds, ounces] = POUNDS_AND_OUNCES.exec(text) ?? []
  if (pounds && ounces) return Math.round(Number(pounds) * POUND_GRAMS + (Number(ounces) * POUND_GRAMS) / 16)
  const exact = text.replace(/^(?:~|(?:approx|about|aprox|est)[a-z]*\.?)\s*/i, '').replace(/\s?#$/, ' lb')
  const [, figures = '', named = ''] = /^([\d.,]+)\s*([a-z]*)\.?$/i.exec(exact) ?? []
  const grams = named === '' ? unit : UNIT_GRAMS.get(named.toLowerCase())
  if (!grams) return undefined
  // No animal weighs thousands of kilograms: 1,250 kg is the weight of a kitten.
  const plain = grams === KILOGRAM_GRAMS ? figures.replace(/^(\d{1,3}),(\d{3})$/, '$1.$2') : figures
  return parseNumber(plain, grams)
}

/** The long texts of an animal are read up to this many characters in total, because other requests wait. */
const MAX_READ = 100_000
/** A text of up to this length is always read. */
const SHORT_LENGTH = 40

/** Cuts the long texts of an animal, which limits how long it takes to read them. */
export function cutTexts(texts: string[]): string[] {
  let left = MAX_READ
  return texts.map((text) => {
    if (text.length <= SHORT_LENGTH) return text
    const cut = text.slice(0, left)
    left -= cut.length
    return cut
  })
}
