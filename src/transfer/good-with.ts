import { fold } from './word-lists.ts'

// Reads what texts say about children, dogs and cats. If two statements of a file about an animal disagree,
// the more careful one counts: no, then not known, then yes.

export const GOOD_WITH = ['children', 'dogs', 'cats'] as const
type Part = (typeof GOOD_WITH)[number]

type Answer = boolean | undefined

/** Reads up to this many texts about an animal, because reading more would block other work. */
const MAX_TEXTS = 1_000
type GoodWith = Partial<Record<Part, unknown>>

/** Columns that ask the opposite, such as "No cats". */
export const NOT_GOOD_WITH = GOOD_WITH.map((part) => `notGoodWith.${part}`)

/** @returns undefined if the answer is not known */
export function findMostCareful(answers: readonly Answer[]): Answer {
  if (answers.includes(false)) return false
  return answers.length > 0 && answers.every((answer) => answer === true) ? true : undefined
}

const ANIMALS: [words: RegExp, parts: Part[]][] = [
  [/\b(?:other |otr[oa]s )?(?:kids?|child|children|toddlers?|nin[oa]s?)\b/g, ['children']],
  [/\b(?:other |otr[oa]s )?(?:dogs?|perr[oa]s?)\b/g, ['dogs']],
  [/\b(?:other |otr[oa]s )?(?:cats?|gat[oa]s?)\b/g, ['cats']],
  [/\b(?:(?:other )?pets?|other animals|(?:otras )?mascotas?|otros animales)\b/g, ['dogs', 'cats']],
]
const GOOD_ES = 'bien|buen[oa]|apt[oa]|sociable|amigable|compatible|convive|se lleva bien'
const YES = new RegExp(
  `^(?:good|ok|okay|great|friendly|safe|gets along|${GOOD_ES})(?: (?:with|w|con|para))?$`,
)
const NO = new RegExp(
  `^(?:no|sin|not (?:good|ok|okay|friendly|safe)(?: (?:with|w))?|no (?:${GOOD_ES}) (?:con|para))$`,
)
/** A statement with one of these words is neither a plain yes nor a plain no: "No kids under 10". */
const CONDITIONS =
  'no not never nunca only solo unless under over mayores selective selectivo some slow slowly careful caution ' +
  'unknown untested depends good ok okay bien'
const CONDITION = new RegExp(`\\b(?:${CONDITIONS.replaceAll(' ', '|')})\\b|\\bolder (?:kid|child)`)

/** Reads "Good with Kids" or "Sin gatos". @returns an empty map if the text is about something else */
export function readStatement(text: string): Map<Part, Answer> {
  const words = fold(text.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' '))
  const named = ANIMALS.filter(([animals]) => words.search(animals) >= 0)
  const parts = named.flatMap(([, parts]) => parts)
  const bare = named.reduce((rest, [animals]) => rest.replaceAll(animals, ' '), words)
  const rest = bare
    .replaceAll(/(?<= )(?:and|or|y|o|ni)(?= )/g, ' ')
    .replaceAll(/ +/g, ' ')
    .trim()
  if (NO.test(rest)) return new Map(parts.map((part) => [part, false]))
  // "Good with other pets" does not say which pets.
  if (YES.test(rest)) return new Map(parts.map((part) => [part, named.length === parts.length || undefined]))
  return new Map(CONDITION.test(words) ? parts.map((part) => [part, undefined]) : [])
}

/** Whether a text is only a plain yes or no about children, dogs or cats. */
export function isPlainStatement(text: string): boolean {
  const answers = [...readStatement(text).values()]
  return answers.length > 0 && !answers.includes(undefined)
}

/** Adds what texts say, such as tags. They may say no, or turn a yes into unknown, but never make a yes. */
export function withStatements(answers: GoodWith, texts: readonly string[]): GoodWith {
  const result = { ...answers }
  for (const [part, answer] of texts.slice(0, MAX_TEXTS).flatMap((text) => [...readStatement(text)])) {
    if (answer === false) result[part] = false
    else if (answer === undefined && result[part] === true) result[part] = undefined
  }
  return result
}

/** Joins statements, including statements that say yes. */
export function readStatements(texts: readonly string[]): GoodWith {
  const said = texts.slice(0, MAX_TEXTS).flatMap((text) => [...readStatement(text)])
  const answersOf = (part: Part) => said.flatMap(([about, answer]) => (about === part ? [answer] : []))
  return Object.fromEntries(GOOD_WITH.map((part) => [part, findMostCareful(answersOf(part))]))
}

/** Longer sentences are not read, and neither is the rest of a longer text. */
const [MAX_SENTENCE, MAX_TEXT] = [100, 10_000]
const VERBS = 'be|go|live|place|home|adopt|do well|get along|like|tolerate|want'
/** Says no about an animal, which is written as "*". */
const DENIAL = new RegExp(
  '(?:^|\\b(?:but|home|pero) )(?:no|sin|without)(?: (?:homes?|with|con|small|young|little|resident|male|female|pequen[oa]s))* \\*|' +
    '\\bno[nt]? (?:be |been |to |es |se )?(?:good|ok|okay|great|safe|suitable|recommended|fond|compatible|friendly|' +
    'placed|tested|apt[oa]|buen[oa]|lleva bien)\\b.*\\*|' +
    '\\b(?:(?:do(?:es)?|can|should|must|will|would) ?(?:not|n ?t)|won ?t|can ?t|cannot|never) ' +
    `(?:${VERBS})\\b.*\\*|` +
    '\\b(?:hates?|dislikes?|odia|(?<!not |never )(?:aggressive|reactive|agresiv[oa]) (?:to|towards?|with|con))\\b.*\\*|' +
    '\\b(?:bit|nipped) (?:an? |the |our |my )?\\*|(?<!not )\\* (?:aggressive|reactive)',
)

/** Most sentences have none of these words. */
const ANY_ANIMAL = /kid|child|toddler|ni[nñ]|dog|perr|cat|gat|pet|animal|mascota|adult/i

/** Finds sentences in notes that say no about children, dogs or cats, by what they are about. */
export function findDenials(texts: readonly string[]): Map<Part, string> {
  const found = new Map<Part, string>()
  const sentences = texts.slice(0, MAX_TEXTS).flatMap((text) => text.slice(0, MAX_TEXT).split(/[.;!?,\n|]+/))
  for (const sentence of sentences) {
    if (sentence.length > MAX_SENTENCE || !ANY_ANIMAL.test(sentence)) continue
    const words = fold(sentence).replace(/^(?:.* )?(?:adults? only|only adults|solo adultos)\b.*/, 'no kids')
    for (const [animals, parts] of ANIMALS)
      if (DENIAL.test(words.replaceAll(animals, '*')))
        for (const part of parts) if (!found.has(part)) found.set(part, sentence.trim())
  }
  return found
}
