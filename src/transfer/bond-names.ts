import { MAX_BONDED_PETS } from '../pets/fields.ts'
import { splitCell } from './report.ts'
import { isObject, textOf } from './source-row.ts'

// Reads which animals a text names as partners: "Luna & Max", "Bonded with Luna", "her brother Max (A12)".

/** Longer texts are not read. */
const MAX_LENGTH = 200
/** Reads up to this many values of an animal. */
const MAX_VALUES = 1_000

const STATEMENT = new RegExp(
  '\\b(?:bonded(?: pair)?|must (?:be adopted|be placed|go(?: home)?|stay|live)(?: together)?) ?(?:to |with |w/ ?)|' +
    '\\b(?:vinculad[oa]s? (?:a|con)|se adoptan? (?:(?:junt[oa]s?|solo) )?(?:a|con)) ',
  'i',
)
/** "They must stay together" names no animal. */
const REQUEST = /^(?:must|please|need|should|they|these|deben|tienen|siempre) /i
const BEFORE_NAME = new RegExp(
  '^(?:(?:is |are )?bonded (?:pair )?|must (?:be adopted|go) )?(?:(?:to|with|w/|a|con) ?(?= |#))?\\s*' +
    '(?:(?:his|her|its|their|su) )?' +
    '(?:(?:brother|sister|sibling|littermate|mother|mom|son|daughter|friend|herman[oa]|madre|hij[oa]) )?' +
    '(?:(?:id|no|n\\.?º)[\\s:.]+)?[#\\s]*',
  'i',
)

/** Splits ids or names: "A2", "Luna & Max". A name may have spaces. */
export function splitBond(text: string): string[] {
  const all = splitCell(text, /[,;&+\r\n]+|\s(?:and|y|e)\s/).map((name) => name.trim())
  const names = all.filter((name) => !REQUEST.test(name))
  return names.length > 0 ? names : all
}

/** The names after "Bonded with" and the like. They begin with a capital letter or a figure. */
export function findBond(values: Record<string, unknown>): string[] | undefined {
  const names = Object.values(values).flatMap(textsIn).slice(0, MAX_VALUES).flatMap(namesIn)
  return names.length > 0 ? [...new Set(names)].slice(0, MAX_BONDED_PETS) : undefined
}

const textsIn = (value: unknown): string[] => {
  if (!Array.isArray(value) && !isObject(value)) return [textOf(value)]
  return Object.values(value).map(textOf)
}

function namesIn(text: string): string[] {
  if (text.length > MAX_LENGTH) return []
  const found = STATEMENT.exec(text)
  if (!found) return []
  const [names = ''] = text.slice(found.index + found[0].length).split(/[.;!?\n]/, 1)
  return splitBond(names).filter((name) => /^[#\p{Lu}\p{N}]/u.test(name))
}

/** The spellings of a name, from the complete text to the name alone. */
export function spellingsOfName(text: string): string[] {
  const whole = text.slice(0, MAX_LENGTH)
  const bare = whole.replaceAll(/\([^()]*\)/g, ' ').trim()
  return [...new Set([text, bare, bare.replace(BEFORE_NAME, '')])].filter((name) => name !== '')
}
