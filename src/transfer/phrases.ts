import type { NewPet } from '../pets/schema.ts'
import {
  AGES,
  ALTERED,
  FREE,
  fold,
  isNothing,
  NO_BREEDS,
  parseAmount,
  SEXES,
  SIZES,
  words,
} from './word-lists.ts'

// Reads texts of several words: the sex, age, fee, colors and breeds of an animal. In a sex or an age, a word
// without a meaning makes the whole text not understood.

/** Longer texts are not read as phrases. */
const MAX_LENGTH = 200

export interface SexWords {
  sex?: NewPet['sex']
  spayedNeutered?: boolean
}

/** Letters that have a meaning only next to the letter of a sex: F/S, MN. */
const LETTERS = words({ s: true, n: true, c: true, x: true, i: false, e: false })
const NEGATIONS = ['not', 'no', 'non', 'sin']
const SEX_FILLERS = 'and y or o yes si dog cat puppy kitten adult perro gato'.split(' ')
/** A sex before words about spaying that are not understood: "Female - spay pending". */
const SEX_FIRST = /^(\p{L}+)\P{L}.*(?:spay|neuter|fix|alter|castr|esteril)/iu

/** Reads "Spayed Female", "M/N" or "hembra esterilizada". @returns undefined if it is not understood */
export function parseSex(text: string): SexWords | undefined {
  const found = parseSexWords(text) ?? parseSexWords(text.slice(0, MAX_LENGTH).replaceAll(/\([^()]*\)/g, ' '))
  const [, first = ''] = found || text.length > MAX_LENGTH ? [] : (SEX_FIRST.exec(text) ?? [])
  const sex = first.length > 1 ? SEXES.get(first) : undefined
  return found ?? (sex && sex !== 'unknown' ? { sex } : undefined)
}

function parseSexWords(text: string): SexWords | undefined {
  const all = fold(text)
    .split(' ')
    .flatMap((word) => (/^(?:[fm][sncxie]|[sncxie][fm])$/.test(word) ? [...word] : [word]))
  const sexes = all.flatMap((word) => SEXES.get(word) ?? [])
  const named = new Set(sexes.filter((sex) => sex !== 'unknown'))
  const implied = new Set<NewPet['sex']>()
  const altered = new Set<boolean>()
  let negation: 'none' | 'open' | 'used' = 'none'
  for (const word of all) {
    if (SEXES.get(word) || SEX_FILLERS.includes(word)) continue
    if (NEGATIONS.includes(word)) {
      negation = 'open'
      continue
    }
    // "H/E" is "hembra esterilizada" or "hembra entera".
    if (word === 'e' && all.includes('h')) continue
    const letter = named.size > 0 ? LETTERS.get(word) : undefined
    const found = ALTERED.get(word) ?? (letter === undefined ? undefined : { altered: letter === true })
    if (!found) return undefined
    altered.add(found.altered === (negation === 'none'))
    if (negation === 'open') negation = 'used'
    if ('sex' in found) implied.add(found.sex)
  }
  const [sex = sexes[0]] = named.size > 0 ? named : implied.size === 1 ? implied : []
  const [spayedNeutered] = altered
  // In "Spayed: no", the "no" comes after the word, so its meaning is not certain.
  const isVague = negation === 'open' || (sex ?? spayedNeutered) === undefined
  if (named.size > 1 || altered.size > 1 || isVague) return undefined
  return { ...(sex && { sex }), ...(spayedNeutered !== undefined && { spayedNeutered }) }
}

/** How long an animal has lived. */
export interface AgeSpan {
  months: number
  days: number
  /** The age is exact to this many days. */
  unitDays: number
}

/** The units of ages, by their words without accents. */
export const AGE_UNITS = new Map<string, AgeSpan>()
for (const [months, days, unitDays, all] of [
  [12, 0, 366, 'y yr yrs year years yo ano anos'],
  [1, 0, 31, 'm mo mos mon month months mth mths mes meses'],
  [0, 7, 7, 'w wk wks week weeks semana semanas sem sems'],
  [0, 1, 1, 'd day days dia dias'],
] as const)
  for (const word of all.split(' ')) AGE_UNITS.set(word, { months, days, unitDays })

const NUMBERS = new Map<string, number>()
for (const all of [
  'zero one two three four five six seven eight nine ten eleven twelve',
  'cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce',
])
  for (const [value, word] of all.split(' ').entries()) NUMBERS.set(word, value)

const ARTICLES = ['a', 'an', 'un', 'una']
const RANGES = ['-', '–', 'to', 'a']
const AGE_FILLERS = new Set(
  (
    'about approx approximately around roughly circa ca est estimated almost nearly over plus at least old age ' +
    'aged and o + ~ > - – aprox aproximadamente alrededor unos unas casi mas de edad y'
  ).split(' '),
)
const HALF = /(?:\b(?:and|y) )?(?:\ban? |\buna? )?\b(?:half|medio|media|1\/2)\b|½/g
const AGE_TOKEN = /\d+(?:[.,]\d+)?|[.,]\d+|\p{L}+|[^\s.,;:()/]/gu
const MAX_MONTHS = 1_200

/**
 * Reads "2 years 3 months", "8 wks", "12+ years", "2-3 yrs" (as 2.5 years) and "año y medio".
 * @param unit the unit of a number without one, as a word
 */
export function parseAge(text: string, unit = ''): AgeSpan | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const plain = text
    .normalize('NFD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    // "2a 3m", "7 a" and "2 a 3 m", but "2 a 3 meses" is a range.
    .replaceAll(/(?<=\d)(?:a\b| a(?=\s*$| \d+ ?m$))/g, ' ano ')
    .replaceAll(HALF, ' .5 ')
  const span = { months: 0, days: 0, unitDays: Infinity }
  let last: AgeSpan | undefined
  let count: number | undefined
  let isRange = false
  const add = (unit: AgeSpan, count: number) => {
    span.months += count * unit.months
    span.days += count * unit.days
    span.unitDays = unit.unitDays
    last = unit
  }
  for (const token of plain.match(AGE_TOKEN) ?? []) {
    const value = /\d/.test(token) ? Number(token.replace(',', '.')) : NUMBERS.get(token)
    // "1 año y 3 meses"
    const found = token === 'y' && count === undefined ? undefined : AGE_UNITS.get(token)
    if (value !== undefined) {
      if (count === undefined) count = value
      else if (isRange) count = (count + value) / 2
      else if (value < 1) count += value
      else return undefined
      isRange = false
    } else if (found) {
      const counted: number | undefined = count ?? (last ? undefined : 1)
      // Each unit must be smaller than the one before it: not "6 months - 1 year".
      const isLess = span.unitDays > (counted ?? 0) * found.unitDays && span.unitDays > found.unitDays
      if (counted === undefined || !isLess) return undefined
      add(found, counted)
      count = undefined
      isRange = false
    } else if (RANGES.includes(token) && count !== undefined) isRange = true
    else if (ARTICLES.includes(token)) count ??= 1
    else if (!AGE_FILLERS.has(token) && !AGES.get(token)) return undefined
  }
  // "1 año y medio"
  const rest = last ?? AGE_UNITS.get(unit)
  if (count !== undefined && rest && (!last || count < 1)) add(rest, count)
  else if (count !== undefined || !last) return undefined
  return isRange || span.months > MAX_MONTHS || span.days > MAX_MONTHS * 31 ? undefined : span
}

/** The date of birth of an animal with this age on a date. */
export function birthDateOf({ months, days }: AgeSpan, date: string): string {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number)
  const whole = Math.floor(months)
  const lastDay = new Date(Date.UTC(year, month - whole, 0)).getUTCDate()
  const more = Math.round(days + (months - whole) * 30.4)
  return new Date(Date.UTC(year, month - 1 - whole, Math.min(day, lastDay) - more)).toISOString().slice(0, 10)
}

const CURRENCY = '(?:[$€£]|(?:usd|eur|gbp|cad|mxn|dollars?|euros?|pesos?)\\b)'
const FIGURES = '\\d[\\d.,]*'
/** A number is an amount next to a currency, or before one of these words: not in "2 for 80". */
const AMOUNT = new RegExp(
  `${CURRENCY}\\s?${FIGURES}(?![\\d.,]|\\s*(?:off\\b|k\\b|%))|${FIGURES}\\s?${CURRENCY}(?!\\s*off\\b)|^${FIGURES}(?=\\s*(?:[(,;/]|(?:per|each|or|por)\\b))`,
  'i',
)

const FORMER_AMOUNT = /\b(?:was|were|normally|regularly|antes|before)\s*[$€£]?\s?\d[\d.,]*\s?[$€£]?/i

/** Reads the first amount of "$50 (or $80 for two)". "free" is 0. @param factor 100 for cents */
export function parseFee(text: string, factor: number): number | undefined {
  const amount = FREE.get(text) ?? parseAmount(text, factor)
  if (amount != null || text.length > MAX_LENGTH) return amount ?? undefined
  const [first = ''] = AMOUNT.exec(text.replace(FORMER_AMOUNT, '')) ?? []
  return parseAmount(first.replaceAll(/[^\d.,]|[.,](?!\d)/g, ''), factor)
}

/** Signs and words that mean one currency only. A dollar sign has several meanings. */
const CURRENCIES: [name: string, signs: RegExp][] = [
  ['EUR', /€|\beur(?:os?)?\b/i],
  ['GBP', /£|\bgbp\b/i],
  ['USD', /US ?\$|\busd\b/i],
  ['CAD', /\bcad\b/i],
  ['MXN', /\bmxn\b/i],
]

/** The currency that a fee names. @returns undefined for none, or for one with several meanings */
export function findCurrency(text: string): string | undefined {
  return CURRENCIES.find(([, signs]) => signs.test(text.slice(0, MAX_LENGTH)))?.[0]
}

/** Longer texts are not split. No member takes them. */
const MAX_SPLIT = 5_000

/** Splits a text at some signs, but not in parentheses. Leaves out parts that say nothing. */
export function splitNames(text: string, signs: string): string[] {
  if (isNothing(text)) return []
  if (text.length > MAX_SPLIT) return [text]
  const parts = ['']
  let depth = 0
  for (const sign of text) {
    depth = Math.max(0, depth + (sign === '(' ? 1 : sign === ')' ? -1 : 0))
    if (depth === 0 && signs.includes(sign)) parts.push('')
    else parts[parts.length - 1] += sign
  }
  return parts.map((part) => part.trim()).filter((part) => !isNothing(part))
}

/** Names of Petfinder that have a slash, but mean one breed or color. */
const SLASHED = new Set(
  (
    'Australian Cattle Dog / Blue Heeler; Belgian Shepherd / Laekenois; Belgian Shepherd / Malinois; ' +
    'Belgian Shepherd / Sheepdog; Belgian Shepherd / Tervuren; Budgie / Budgerigar; Corn / Rat; ' +
    'Caucasian Sheepdog / Caucasian Ovtcharka; Extra-Toes Cat / Hemingway Polydactyl; Garter / Ribbon; ' +
    'King / Milk; Lory / Lorikeet; Myotonic / Fainting; Paint / Pinto; Patterdale Terrier / Fell Terrier; ' +
    'Peacock / Peafowl; Poicephalus / Senegal; Ringneck / Psittacula; Shetland Sheepdog / Sheltie; ' +
    'Silkie / Sheltie; Sphynx / Hairless Cat; West Highland White Terrier / Westie; ' +
    'Xoloitzcuintli / Mexican Hairless; Apricot / Beige; Black & White / Tuxedo; Blue / Gray; ' +
    'Brown / Chocolate; Buff / Tan / Fawn; Chestnut / Sorrel; Cream / Ivory; Gray / Blue / Silver; ' +
    'Orange / Red; Purple / Violet; Red / Chestnut / Orange; Rust / Rufous; White / Cream; ' +
    'Yellow / Tan / Blond / Fawn'
  )
    .toLowerCase()
    .split('; '),
)

/** Splits names of colors at slashes. */
export function splitWords(text: string): string[] {
  return SLASHED.has(text.toLowerCase()) ? [text] : splitNames(text, '/')
}

/** Breeds that PetPoint writes the other way around: "Retriever, Labrador". */
const TURNED = new Set(
  (
    'labrador retriever, golden retriever, flat-coated retriever, chesapeake bay retriever, ' +
    'german shepherd, australian shepherd, belgian shepherd, anatolian shepherd, dutch shepherd, ' +
    'pit bull terrier, american pit bull terrier, american staffordshire terrier, bull terrier, ' +
    'staffordshire bull terrier, jack russell terrier, yorkshire terrier, rat terrier, cairn terrier, ' +
    'boston terrier, fox terrier, toy fox terrier, airedale terrier, scottish terrier, tibetan terrier, ' +
    'border terrier, west highland white terrier, cocker spaniel, american cocker spaniel, ' +
    'english cocker spaniel, english springer spaniel, cavalier king charles spaniel, tibetan spaniel, ' +
    'miniature poodle, standard poodle, toy poodle, miniature schnauzer, standard schnauzer, ' +
    'giant schnauzer, miniature pinscher, doberman pinscher, american bulldog, english bulldog, ' +
    'french bulldog, border collie, bearded collie, treeing walker coonhound, black and tan coonhound, ' +
    'bluetick coonhound, redbone coonhound, basset hound, afghan hound, plott hound, english mastiff, ' +
    'neapolitan mastiff, tibetan mastiff, english pointer, irish setter, english setter, ' +
    'australian cattle dog, old english sheepdog, shetland sheepdog, welsh corgi, pembroke welsh corgi'
  ).split(', '),
)

function turnAround(name: string): string {
  const [group = '', rest = '', ...more] = name.split(', ')
  const plain = `${rest} ${group}`
  return more.length === 0 && TURNED.has(plain.toLowerCase()) ? plain : name
}

/** Words before and after the name of a breed that say that the animal is a mix. */
const MIX = 'mix(?:ed)?(?:[ -]breed)?|cross(?:-? ?bred|-? ?breed)?|cruce|cruza|mezcla|mestiz[oa]'
const MIX_BEFORE = new RegExp(`^(?:${MIX})(?: of| de)?(?![ -]bre)[\\s:,-]+`, 'i')
const SIZE_AFTER = '(?:[\\s,]+\\(?(?:small|medium|large|extra large|x-?large|med|lg|sm)\\)?)?'
const MIX_AFTER = new RegExp(`[\\s/,([*-](?:${MIX}|x|×)[\\])*]?\\??${SIZE_AFTER}$`, 'i')

/** Words between two breeds. */
const JOINED = / (?:[x×]|(?:mix|cross)(?:ed)? with|cruzad[oa] con) (?=\p{L}{3})/iu
/** The same after a word for a mix: "Cruce de mastín y pastor". */
const JOINED_MIX = / (?:[x×]|and|with|con|y) (?=\p{L}{3})/iu

export interface BreedContext {
  /** The species in the words of the file. It stands for an unknown breed, because a breed needs a name. */
  kind?: string | undefined
  /** Whether the animal is a mix, if the file has a column for it. */
  mixed?: boolean | undefined
}

/** Reads "Labrador Retriever / Mix", "Lab/Shepherd X" or "Unknown", and further breeds. */
export function parseBreeds(
  texts: (string | undefined)[],
  { kind, mixed }: BreedContext = {},
): { breed: NewPet['breed']; more: string[] } {
  const breeds = new Map<string, string>()
  const said = new Set<string>()
  function add(name: string): void {
    const plain = NO_BREEDS.get(name) ? name : turnAround(withoutMix(name))
    if (plain !== turnAround(name)) said.add('mixed')
    const other = NO_BREEDS.get(plain) ?? (plain !== name && SIZES.get(plain) ? 'mixed' : undefined)
    if (other) said.add(other)
    else if (!isNothing(plain)) breeds.set(fold(plain) || plain, breeds.get(fold(plain)) ?? plain)
  }
  for (const text of texts) {
    if (text === undefined) continue
    // Searching a long text for slashes with spaces around them would take minutes.
    const spaced = text.length > MAX_LENGTH ? text : text.replaceAll(/\s*\/\s*/g, ' / ')
    const parts = SLASHED.has(withoutMix(spaced).toLowerCase()) ? [spaced] : splitNames(text, '/+&')
    for (const part of parts) for (const name of part.length > MAX_LENGTH ? [part] : splitMix(part)) add(name)
  }
  const [first, secondary, ...more] = breeds.values()
  const isMixed = said.has('mixed') || (mixed ?? (breeds.size > 1 ? true : undefined))
  const isUnknown = first === undefined && !said.has('mixed') && said.has('unknown')
  const primary = first ?? (said.has('mixed') ? 'Mixed Breed' : isUnknown ? kind : undefined)
  if (primary === undefined) return { breed: undefined, more }
  return {
    breed: {
      primary,
      ...(secondary !== undefined && { secondary }),
      ...(isUnknown ? { unknown: true } : isMixed !== undefined && { mixed: isMixed }),
    },
    more,
  }
}

const splitMix = (part: string): string[] => part.split(MIX_BEFORE.test(part) ? JOINED_MIX : JOINED)

function withoutMix(name: string): string {
  if (name.length > MAX_LENGTH) return name
  const plain = name.replace(MIX_BEFORE, '').replace(MIX_AFTER, '')
  return plain === name ? name : withoutMix(plain.replaceAll(/^[\s(]+|[\s/,(-]+$/g, ''))
}
