import { type Animal, type Fields, type Locale, orderFor } from './animal.ts'
import { readBond } from './bond-names.ts'
import { COLUMNS, parseCells, unshieldFormulas } from './columns.ts'
import { parseDate, parseRoughDate } from './dates.ts'
import { findMostCareful, GOOD_WITH, NOT_GOOD_WITH, withStatements } from './good-with.ts'
import { plainText } from './html-text.ts'
import { findCurrency, parseAge, parseBreeds, parseFee, parseSex, splitNames, splitWords } from './phrases.ts'
import { BIRTH_COUNTS, splitCell } from './report.ts'
import { textOf, uniqueTexts } from './source-row.ts'
import {
  AGES,
  COATS,
  FLAGS,
  findCategoryName,
  HOUSE_TRAINED,
  isNothing,
  KILOGRAM_GRAMS,
  POUND_GRAMS,
  parseWeight,
  SIZES,
  UNIT_GRAMS,
  VACCINATED,
  type Words,
} from './word-lists.ts'

// Reads a line of a table whose columns are named like the members of an animal. A cell that is not
// understood is left out, and the animal is imported without it.

interface CellLocale extends Locale {
  column: string
  /** The heading in the file. */
  heading: string
}

/** Reads a cell. Returns values by column, as one cell can fill several; undefined if not understood. */
type Reader = (text: string, locale: CellLocale) => Fields | undefined

const cellOf = (column: string, value: unknown): Fields | undefined =>
  value === undefined ? undefined : { [column]: value ?? undefined }

const wordReader =
  (list: Words<unknown>): Reader =>
  (text, { column }) =>
    cellOf(column, list.get(text))

const ALTERED = 'traits.spayedNeutered'

/** Longer texts are not answers of yes or no. */
const MAX_ANSWERS = 500

/** Reads the answers of one or several columns, each on its own line. */
const readAnswers: Reader = (text, { column }) => {
  if (text.length > MAX_ANSWERS) return undefined
  const answers = text.split('\n').map((answer) => FLAGS.get(answer))
  const answer = findMostCareful(answers.map((one) => one ?? undefined))
  return answer === undefined && answers.includes(undefined) ? undefined : { [column]: answer }
}

/** Reads these columns in every table. They contain no names or free texts. */
const READERS = new Map<string, Reader>([
  ...COLUMNS.flatMap(({ column, type }): [string, Reader][] =>
    type === 'boolean' ? [[column, wordReader(FLAGS)]] : [],
  ),
  ...[...GOOD_WITH.map((part) => `goodWith.${part}`), ...NOT_GOOD_WITH].map((column): [string, Reader] => [
    column,
    readAnswers,
  ]),
  ['traits.spayedNeutered', wordReader({ get: readAltered })],
  ['traits.vaccinated', wordReader(VACCINATED)],
  ['traits.houseTrained', wordReader(HOUSE_TRAINED)],
  ['size', wordReader(SIZES)],
  ['coat', wordReader(COATS)],
  [
    'sex',
    (text) => {
      const found = parseSex(text)
      return found && { sex: found.sex, altered: found.spayedNeutered }
    },
  ],
  [
    'age',
    (text, { heading }) => {
      const ageSpan = parseAge(text, lastWordOf(heading))
      return ageSpan ? { ageSpan } : cellOf('age', AGES.get(text))
    },
  ],
  ['birthDate', (text, { now }) => readBirth(text, (day) => parseDate(day, 'sure', now))],
])

/** Reads "yes", "Spayed" or "Sin castrar". */
function readAltered(text: string): boolean | null | undefined {
  const answer = FLAGS.get(text)
  return answer === undefined ? parseSex(text)?.spayedNeutered : answer
}

/** Reads these columns too in a table that a person has made. */
const TABLE_READERS = new Map<string, Reader>([
  ...READERS,
  ['name', (text) => ({ name: cleanName(text) })],
  ['birthDate', (text, locale) => readBirth(text, (day) => parseDateIn(day, locale), locale.heading)],
  ...['staff.intakeDate', 'staff.outcomeDate'].map((column): [string, Reader] => [
    column,
    (text, locale) => cellOf(column, parseDateIn(text, locale)),
  ]),
  ...['externalId', 'place.postcode'].map((column): [string, Reader] => [
    column,
    (text) => ({ [column]: unwrapNumber(text) }),
  ]),
  ['staff.microchip', readChip],
  ['weightGrams', readWeight],
  ['fee.amount', readFee],
  ['colors', (text, { column }) => splitList(column, splitNames(text, ',;\n').flatMap(splitWords))],
  ['tags', (text, { column }) => splitList(column, splitCell(text, /[,;\r\n]+/))],
  ['bondedWith', (text, { column, heading }) => splitList(column, readBond(text, heading))],
  ['videos', (text, { column }) => splitList(column, splitCell(text, /[\s,;]+/))],
  // The cell is a species, which may be more specific than the categories.
  ['category', (text, { heading }) => ({ kind: kindOfInitial(text, heading) ?? unshieldFormulas(text) })],
])

/** The kind that a letter means under a heading such as "Dog/Cat". */
function kindOfInitial(text: string, heading: string): string | undefined {
  if (!/^\p{L}$/u.test(text)) return undefined
  const kinds = heading.split(/\P{L}+/u, MAX_END).filter((word) => findCategoryName(word) !== undefined)
  const found = kinds.filter((kind) => kind.toLowerCase().startsWith(text.toLowerCase()))
  return found.length === 1 ? found[0] : undefined
}

/** Removes what spreadsheet programs put around a number to keep its digits: ="04101", '04101, 12.0. */
function unwrapNumber(text: string): string {
  return unshieldFormulas(text)
    .replace(/^="?([^"=]*)"?$/, '$1')
    .replace(/^'(?=\d)/, '')
    .replace(/^(\d+)\.0$/, '$1')
}

/** A chip has figures. "Yes" says that there is one, but not which. */
function readChip(text: string, { column }: CellLocale): Fields | undefined {
  if (/[1-9]/.test(text)) return { [column]: unwrapNumber(text) }
  return FLAGS.get(text) === false || /^(?:0+$|no\b|not\b|sin\b)/i.test(text) ? {} : undefined
}

/** Removes the asterisk that some programs put before a name that the shelter has given. */
export const cleanName = (name: string): string => name.replace(/^[*\s]+/, '')

const parseDateIn = (text: string, locale: CellLocale) =>
  parseDate(text, orderFor(locale, locale.column), locale.now)

/** Words for a date that is not exact: "approx. 2020", "3/2021 (est.)", "Est. DOB". */
const ABOUT = new RegExp(
  '[\\s(]*(?:\\b(?:approx(?:imately)?|aprox(?:imad[oa])?|about|around|est(?:imated|imad[oa])?|circa|ca?|hacia)' +
    '\\b\\.?|~)[\\s)]*',
  'giu',
)

/** @param parse returns null for a word that means no date, and undefined if the text is not a date */
function readBirth(
  text: string,
  parse: (day: string) => string | null | undefined,
  heading = '',
): Fields | undefined {
  const plain = text.slice(0, MAX_END).replaceAll(ABOUT, ' ').replace(/\?$/, '').trim()
  const isAbout = plain !== text || heading.slice(0, MAX_END).search(ABOUT) >= 0
  const day = parse(text) ?? (isAbout ? parse(plain) : undefined)
  if (day) return { birthDate: day, ...(isAbout && { isRough: true }) }
  const rough = parseRoughDate(plain)
  if (rough !== undefined) return { birthDate: rough, isRough: true }
  const ageSpan = parseAge(text)
  if (ageSpan) return { ageSpan }
  return parse(text) === null ? { birthDate: undefined } : undefined
}

/** Searches up to this many characters of a heading for a unit, because a heading may be very long. */
const MAX_END = 40

/** The last word of a heading such as "Weight (lbs)". */
function lastWordOf(heading: string): string {
  const [word = ''] = /\p{L}+(?=\P{L}*$)/u.exec(heading.slice(-MAX_END)) ?? []
  return word.toLowerCase()
}

export const hasWeightUnit = (heading: string): boolean => UNIT_GRAMS.get(lastWordOf(heading)) !== undefined

function readWeight(text: string, { column, heading, pounds }: CellLocale): Fields | undefined {
  const named = heading === column ? 1 : UNIT_GRAMS.get(lastWordOf(heading))
  const grams = parseWeight(text, named ?? (pounds ? POUND_GRAMS : KILOGRAM_GRAMS))
  // 0 means unknown.
  return grams === undefined ? undefined : { [column]: grams || undefined }
}

/** Reads dollars, but the column of adoptable's own format has cents. */
function readFee(text: string, { column, heading, currency }: CellLocale): Fields | undefined {
  if (heading === column && /^\d+$/.test(text)) return { [column]: text, currency }
  const amount = parseFee(text, 100)
  return amount === undefined
    ? undefined
    : { [column]: amount, currency: findCurrency(text) ?? findCurrency(heading) ?? currency }
}

const splitList = (column: string, texts: string[]): Fields => ({
  [column]: uniqueTexts(texts.map((text) => unshieldFormulas(text.trim()))),
})

/**
 * Reads the cells of an animal.
 * @param headings the headings in the file, by column, for a table that a person has made; without them, the
 *   table is in adoptable's own format, in which names and texts stay as they are
 */
export function readCells(cells: Fields, locale: Locale, headings?: ReadonlyMap<string, string>): Animal {
  const fields: Fields = {}
  const notUnderstood = new Map<string, string>()
  // Headings with a yes, such as "Older kids only".
  const ticked: string[] = []
  for (const [column, cell] of Object.entries(cells)) {
    const text = typeof cell !== 'string' ? '' : headings ? plainText(cell) : cell.trim()
    const heading = headings?.get(column) ?? column
    const read = (headings ? TABLE_READERS : READERS).get(column)
    if (headings && isNothing(text)) continue
    if (!read && FLAGS.get(text)) ticked.push(heading)
    if (!read || text === '') fields[column] = headings ? text : cell
    else {
      const found = read(text, { ...locale, column, heading })
      if (found) Object.assign(fields, found)
      else notUnderstood.set(heading, text)
      // An answer that is neither yes nor no goes to the staff notes.
      if (found) continue
      if (/^(?:goodWith|traits)\./.test(column)) fields[column] = text
      else if (NOT_GOOD_WITH.includes(column)) fields[column] = `${heading}: ${text}`
    }
  }
  return toAnimal(
    headings ? withBreed(withCarefulAnswers(fields, ticked)) : fields,
    Object.fromEntries(notUnderstood),
    headings,
  )
}

/** Combines columns such as "Good with cats" and "No cats", and the tags. The most careful answer counts. */
function withCarefulAnswers(fields: Fields, ticked: readonly string[]): Fields {
  const answers = GOOD_WITH.map((part) => {
    const [column, opposite] = [`goodWith.${part}`, `notGoodWith.${part}`]
    const not = fields[opposite]
    if (not === true) return [part, false]
    // Any other answer than a plain no is a doubt.
    const isDoubt = opposite in fields && not !== false
    return [part, isDoubt && fields[column] !== false ? not : fields[column]]
  })
  const tags = Array.isArray(fields.tags) ? fields.tags.map(textOf) : []
  const said = Object.entries(withStatements(Object.fromEntries(answers), [...tags, ...ticked]))
  return {
    ...fields,
    ...Object.fromEntries(said.map(([part, answer]) => [`goodWith.${part}`, answer])),
    noLongerNo: said.flatMap(([part, answer]) =>
      answer === undefined && fields[`notGoodWith.${part}`] === false ? part : [],
    ),
  }
}

function withBreed({ 'breed.primary': primary, 'breed.secondary': secondary, ...fields }: Fields): Fields {
  if (primary === undefined && secondary === undefined) return fields
  const texts = [primary, secondary].map((text) => (text === undefined ? text : textOf(text)))
  const { breed, more } = parseBreeds(texts, {
    kind: fields.kind as string | undefined,
    mixed: fields['breed.mixed'] as boolean | undefined,
  })
  const parts = Object.entries(breed ?? {}).map(([part, value]) => [`breed.${part}`, value])
  return { ...fields, ...Object.fromEntries(parts), ...(more.length > 0 && { thirdBreed: true }) }
}

function toAnimal(
  { altered, ageSpan, currency, isRough, kind, noLongerNo, thirdBreed, ...fields }: Fields,
  notUnderstood: Record<string, string>,
  headings: ReadonlyMap<string, string> | undefined,
): Animal {
  // A separate column counts more than the words for the sex.
  if (altered !== undefined) fields[ALTERED] ??= altered
  if (currency !== undefined) fields['fee.currency'] ??= currency
  // A currency without an amount is meaningless.
  if (headings?.has('fee.amount') && fields['fee.amount'] === undefined) delete fields['fee.currency']
  const hasBirth = fields.birthDate !== undefined
  const ageHeading = headings?.get('age') ?? 'age'
  const { [ageHeading]: unreadAge, ...otherUnread } = notUnderstood
  const unused = hasBirth && headings ? (ageSpan ?? fields.age ?? unreadAge) : undefined
  return {
    ...parseCells(fields),
    ...(typeof kind === 'string' && { kind }),
    // A rough date is never exact, whatever the other column says.
    ...(isRough === true && { birthDateExact: false }),
    ...(!hasBirth && { ageSpan: ageSpan as Animal['ageSpan'] }),
    ...{
      notUnderstood: hasBirth ? otherUnread : notUnderstood,
      isTable: true,
      noLongerNo: noLongerNo as string[] | undefined,
    },
    unknown: [
      ...(thirdBreed ? ['Breed (a third)'] : []),
      ...(unused !== undefined ? [ageHeading + BIRTH_COUNTS] : []),
    ],
  }
}
