import { MAX_BONDED_PETS } from '../pets/fields.ts'
import { splitCell } from './report.ts'
import { isObject, textOf } from './source-row.ts'
import { cutTexts, FLAGS, withoutMarks } from './word-lists.ts'

// Reads which animals a text names as partners: "Luna & Max", "Bonded with Luna", "her brother Max (A12)". A
// text may also say that an animal has a partner, but not its name: "bonded pair".

/** Longer texts are not read. */
const MAX_LENGTH = 200
/** Reads up to this many values of an animal, and this many sentences of a text. */
const MAX_VALUES = 1_000
/** Reads this many characters of a note. */
const MAX_NOTE = 10_000

const RELATIVES =
  'brothers?|sisters?|siblings?|litter ?mates?|mother|mom|mum|son|daughter|best friend|friend|buddy|mate|' +
  'companion|kennel ?mate|hermanos?|hermanas?|madre|padre|hij[oa]|amig[oa]|companer[oa]'
const OF = '(?:his|her|its|their|the other|su|sus)'
const ADOPTED = '(?:be (?:adopted|placed|homed|rehomed|kept)|go|stay|leave|live|remain)(?: home| out)?'

const STATEMENT = new RegExp(
  '\\b(?:bonded(?: pair)?|must (?:be adopted|be placed|go(?: home)?|stay|live)(?: together)?) ?(?:to |with |w/ ?)|' +
    '\\b(?:vinculad[oa]s? (?:a|con)|se adoptan? (?:(?:junt[oa]s?|solo) )?(?:a|con)) ',
  'i',
)
/** Says that an animal has a partner. The text is in lower case without accents. */
const BONDED = new RegExp(
  '(?<!\\b(?:not|no|never|n.t|non|former|formerly|previously|was|were|longer|ya no|sin)' +
    '(?: (?:a|an|in|one|part|of|es|son|una|be|need to|have to|hace falta que))* )' +
    `\\b(?:bonded (?:pair|trio|group|duo|couple|cats|dogs|${RELATIVES})|` +
    `(?:bonded|inseparable|vinculad[oa]s?|inseparables?) (?:with|to|from|a|con|de) ${OF} (?:${RELATIVES})|` +
    `(?:must|should|ha(?:s|ve) to|needs? to|can only) ${ADOPTED} (?:together|as an? (?:bonded )?(?:pair|trio|` +
    `couple|group)|with ${OF} (?:${RELATIVES}))|(?:must|should|can|do|may) ?n.t (?:be )?(?:separated?|split)|` +
    '(?:cannot|(?:can|must|should|do|may) not) (?:be )?(?:separated?|split)|' +
    `inseparables\\b(?! de (?:sus|su|los) (?:juguet|pelot|person))|(?:are|is|pair) inseparable\\b(?! (?:to|from))|` +
    `(?:pareja|parejita|herman[oa]s|trio|grupo) (?:inseparables?|vinculad[oa]s?)|` +
    `se (?:adopta|da|entrega)n? (?:junt[oa]s?(?! (?:a|con) [^s])|en pareja|(?:junt[oa] )?(?:a|con) ${OF} ` +
    `(?:${RELATIVES}))|(?:deben?|tienen? que) (?:de )?(?:ir(?:se)?|adoptarse|ser adoptad[oa]s|quedarse) ` +
    `(?:junt[oa]s|en pareja|(?:junt[oa] )?(?:a|con) ${OF} (?:${RELATIVES}))|adopcion conjunta|` +
    'no (?:se )?(?:pueden?|deben?|quieren?)? ?separ(?:ar(?:se|l[oa]s)?|an|en)\\b)|^(?:a )?bonded$',
)
/** The number or letter of a pair: "Pair 3", "bonded group B". */
const MARK = new RegExp(
  '\\b(?:pair|group|trio|duo|bond|pareja|grupo)\\b(?: (?:number|no|id|n))?[\\s:.º#-]*' +
    '(\\d{1,4}[a-z]?|[a-z])(?=\\)|\\s*$)',
  'i',
)
/** "They must stay together" names no animal. */
const REQUEST = /^(?:must|please|need|should|they|these|deben|tienen|siempre) /i
const BEFORE_NAME = new RegExp(
  '^(?:(?:is |are )?bonded (?:pair )?|must (?:be adopted|go) )?(?:(?:to|with|w/|a|con) ?(?= |#|$))?\\s*' +
    '(?:(?:his|her|its|their|su) )?' +
    '(?:(?:brother|sister|sibling|littermate|mother|mom|son|daughter|friend|herman[oa]|madre|hij[oa])(?: |$))?' +
    '(?:(?:id|no|n\\.?º)[\\s:.]+)?[#\\s]*',
  'i',
)
/** A text without a name: "with her sister", "bonded pair". */
const NO_NAME = new RegExp(
  `^(?:(?:and|y|bonded|is|in|a|an|un|una|the|pair|trio|group|pareja|pairs|with|to|con|together|${OF}|${RELATIVES}|` +
    'must|go|stay|be|adopted|juntos|juntas|inseparables?|unknown|yes|si)(?: |$))*$',
)

const plainOf = (text: string): string =>
  withoutMarks(text.slice(0, MAX_LENGTH))
    .toLowerCase()
    .replaceAll(/[^a-z\d#']+/g, ' ')
    .trim()

/** The text of a partner without a name begins with this character, which no id has. */
export const NAMELESS = '\u0001'

/** A partner that the file does not name. @param sentence may have its name */
const namelessPartner = (sentence = ''): string => NAMELESS + sentence

const MAX_MARK = 100

/** The number, letter or other mark that all animals of a bond have. */
const markedPartner = (mark: string): string => `${NAMELESS}#${plainOf(mark).slice(0, MAX_MARK)}`

/** @returns undefined if the text is the id or name of an animal */
export function readNameless(text: string): { mark?: string; sentence?: string } | undefined {
  if (!text.startsWith(NAMELESS)) return undefined
  return text[1] === '#' ? { mark: text.slice(2) } : { sentence: text.slice(1) }
}

/** Whether a mark is a number or letter, which may also be the number of another animal. */
export const isCode = (mark: string): boolean => /^(?:\d{1,4}[a-z]?|[a-z]\d{0,3})$/.test(mark)

/** Headings of columns with marks: "Bonded pair", "Bond group #", but not "Bonded pair with". */
const OF_MARKS = /\b(?:pair|group|bond|pareja|grupo)\b(?!.*\b(?:with|con|name|nombre)\b)/i

/** Reads the partners in a column about bonds. @returns an empty list if it has none */
export function readBond(text: string, heading: string): string[] {
  if (FLAGS.get(text) === false) return []
  const mark = MARK.exec(text.slice(0, MAX_LENGTH))?.[1]
  if (mark !== undefined) return [markedPartner(mark)]
  if (/^\s*\S{0,20}\s*$/.test(text) && FLAGS.get(text) !== undefined && text.trim() !== '1')
    return [namelessPartner()]
  const names = splitBond(text)
  const others = names.filter((name) => !NO_NAME.test(plainOf(name)))
  if (others.length === 0) return [namelessPartner()]
  return OF_MARKS.test(heading) && names.length === 1 ? [markedPartner(text)] : others
}

/** Splits ids or names: "A2", "Luna & Max". A name may have spaces. */
export function splitBond(text: string): string[] {
  const all = splitCell(text, /[,;&+\r\n]+|\s(?:and|y|e)\s/).map((name) => name.trim())
  const names = all.filter((name) => !REQUEST.test(name))
  return names.length > 0 ? names : all
}

/** The name of a row for all animals of a bond: "Salt & Pepper". */
const SEVERAL = /\p{L}(?: ?[&+/] ?| (?:and|y|e) )\p{L}/u

/** The partners in texts: names after "Bonded with" and the like, or a partner without a name. */
export function findBond(values: readonly unknown[], name?: unknown): string[] | undefined {
  const sentences = cutTexts(values.flatMap(textsIn).slice(0, MAX_VALUES)).flatMap(sentencesIn)
  const names = sentences.flatMap(namesIn)
  if (names.length > 0) return [...new Set(names)].slice(0, MAX_BONDED_PETS)
  if (SEVERAL.test(textOf(name).slice(0, MAX_LENGTH))) return undefined
  const bonded = sentences.find((text) => BONDED.test(plainOf(text.slice(0, MAX_LENGTH))))
  if (bonded === undefined) return undefined
  const mark = MARK.exec(bonded.slice(0, MAX_LENGTH))?.[1]
  return [mark === undefined ? namelessPartner(bonded.slice(0, MAX_LENGTH).trim()) : markedPartner(mark)]
}

const textsIn = (value: unknown): string[] => {
  if (!Array.isArray(value) && !isObject(value)) return [textOf(value)]
  return Object.values(value).map(textOf)
}

const sentencesIn = (text: string): string[] =>
  text
    .slice(0, MAX_NOTE)
    .split(/[.;!?\n]+/)
    .slice(0, MAX_VALUES)
    .flatMap((sentence) => (sentence.length > MAX_LENGTH ? sentence.split(',') : sentence))

/** Names begin with a capital letter or a figure. */
function namesIn(text: string): string[] {
  if (text.length > MAX_LENGTH) return []
  const found = STATEMENT.exec(text)
  if (!found) return []
  const names = splitBond(text.slice(found.index + found[0].length))
  return names.filter((name) => /^[#\p{Lu}\p{N}]/u.test(name.replace(BEFORE_NAME, '')))
}

/** A name has up to this many words. */
const MAX_NAME_WORDS = 3

/** All parts of a sentence that may be a name, the longest first. */
export function possibleNames(sentence: string): string[] {
  const words = sentence.split(/[^\p{L}\p{M}\p{N}'’.-]+/u).filter((word) => word !== '')
  const starts = words.flatMap((word, index) => (/^\p{Lu}/u.test(word) ? [index] : []))
  return Array.from({ length: MAX_NAME_WORDS }, (_, index) => MAX_NAME_WORDS - index).flatMap((count) =>
    starts.flatMap((from) => (from + count > words.length ? [] : words.slice(from, from + count).join(' '))),
  )
}

/** The spellings of a name, from the complete text to the name alone. */
export function spellingsOfName(text: string): string[] {
  const whole = text.slice(0, MAX_LENGTH)
  const bare = whole.replaceAll(/\([^()]*\)/g, ' ').trim()
  return [...new Set([text, bare, bare.replace(BEFORE_NAME, '')])].filter((name) => name !== '')
}
