import { type DateOrder, parseDate, parseRoughDate } from './dates.ts'
import { withoutMarks } from './word-lists.ts'

// Reads statements with a date, such as "ready to go home 12/20" and "not available until Jan 3", in English
// and Spanish. If the date is in the future, the animal is not for adoption yet. If it has come, such a hold
// no longer counts.

/** When a text is read, and how. */
export interface ReadingTime {
  /** Unix time in milliseconds. */
  now: number
  /** How to read 3/4; by default with the month first in English, and with the day first in Spanish. */
  order?: DateOrder | undefined
}

/** Reads this many characters of a text, and this many statements of each kind. */
const [MAX_TEXT, MAX_STATEMENTS] = [10_000, 30]

const MONTH = '\\p{L}{3,10}'
const NUMBER = '\\d\\d?(?:st|nd|rd|th|º)?\\b'
const DATE = new RegExp(
  `^(\\d{4}-\\d\\d?-\\d\\d?|\\d\\d?[/.]\\d\\d?|\\d\\d?-\\d\\d?(?=-\\d)|${MONTH}\\.? ${NUMBER}|` +
    `${NUMBER} (?:de |of )?${MONTH})\\b(?:(?:[/.-]|,? (?:de |del )?)(\\d{4}|(?<=[/.-])\\d\\d)\\b)?`,
  'u',
)
const MONTH_ALONE = new RegExp(`^(?!may\\b)(${MONTH})\\b(?:,? (?:de )?(\\d{4})\\b)?`, 'u')

const FILLERS =
  '(?: (?:for|to|go|home|adoption|adopt|be|adopted|out|again|date|his|her|their|the|new|forever|leave|' +
  'placement|pick ?up|para|la|adopcion|adoptar|adoptarse|ser|adoptad[oa]|irse|ir|a(?! partir)|su|casa|entrega))'
/** The words before the date of an offer. */
const OFFER = new RegExp(
  `\\b(?:(?:available|avail\\.?|adoptable|ready|eligible|disponible|list[oa]|entregan?)${FILLERS}*|` +
    `(?:can|may|able|puede|podra)${FILLERS}+)(?: (?:after|on|from|starting|beginning|as|of|by|around|about|` +
    'approx\\.?|approximately|est\\.?|early|mid|late|in|the|a partir|del?|el|desde|tras|despues|sobre|en))*' +
    '[ :~(-]+(?=[\\p{L}\\d])',
  'gu',
)
/** Most texts have none of these words. */
const ANY_WORD =
  /avail|able|ready|elig|dispon|list[oa]|entreg|can|may|puede|podr|til|thr|before|end|expir|hasta|antes/i
const ANY_DATE = /\d|jan|ene|feb|mar|a[pb]r|may|ju[nl]|aug|ago|sep|oct|nov|dec|dic/i
/** The words before the date on which a hold ends. */
const UNTIL =
  /\b(?:until|till?|thru|through|before|(?:end|expire)s?(?: on)?|hasta(?: el)?|antes del?)[ :]+(?=[a-z\d])/gi
const DENIED = /\bnot?\b|n.?t\b|\bcannot\b|\bnever\b/
const NOT_YET = new RegExp(
  `(?:${DENIED.source}).*(?:available|dispon|ready|leave|\\bgo\\b|home|adop|releas|irse|sal|entreg|\\blist)`,
)
const HOLD = /\b[a-z]*hold\b|\bheld\b|quarantin|isolation|cuarenten|aislamiento|\bunavailable\b/
/** A hold for an adopter does not end on the day on which the adopter comes. */
const ADOPTER = /adopt(?:ed|er|ad[oa]|ante)|reserv|famil|promis|pick|\bfor (?!adoption)|\bpara (?!adop)/
const SPANISH = /disponible|entregan?|\blist[oa]\b|puede|podra|hasta|antes de|cuarentena/

/** The date at the beginning of a text. Without a year, it is in the year in which it is nearest to now. */
function dateAt(text: string, { now, order }: ReadingTime): { day: string; length: number } | undefined {
  const [found = '', date = '', year] = DATE.exec(text) ?? MONTH_ALONE.exec(text) ?? []
  const sign = /^\d+([/.-])\d/.exec(date)?.[1] ?? ' '
  const thisYear = new Date(now).getUTCFullYear()
  const years = year === undefined ? [thisYear - 1, thisYear, thisYear + 1] : [year]
  const texts = /^\d{4}/.test(date) ? [date] : years.map((one) => `${date}${sign}${one}`)
  const days = texts.flatMap((one) => parseDate(one, order ?? 'month') ?? parseRoughDate(one) ?? [])
  const distance = (one: string): number => Math.abs(Date.parse(one) - now)
  const [day] = days.toSorted((one, other) => distance(one) - distance(other))
  return day === undefined ? undefined : { day, length: found.length }
}

interface Dated {
  from: number
  to: number
  /** The words before the date. */
  words: string
  hasCome: boolean
}

/** @param before a global expression for the words before the date */
function findDated(text: string, before: RegExp, { now, order }: ReadingTime): Dated[] {
  const today = new Date(now).toISOString().slice(0, 10)
  return [...text.matchAll(before)].slice(0, MAX_STATEMENTS).flatMap(({ index, 0: found }) => {
    const at = index + found.length
    const words =
      text
        .slice(Math.max(0, at - 100), at)
        .split(/[.;,!?\n\r|](?!\d)/)
        .at(-1) ?? ''
    const byLanguage = SPANISH.test(words) ? 'day' : 'month'
    const date = dateAt(text.slice(at, at + 40), { now, order: order ?? byLanguage })
    if (date === undefined) return []
    return { from: at - words.length, to: at + date.length, words, hasCome: date.day <= today }
  })
}

const plainOf = (text: string): string => withoutMarks(text.slice(0, MAX_TEXT)).toLowerCase()

/** Whether a text says that the animal is not for adoption before a day in the future. */
export function isForLater(text: string, time: ReadingTime): boolean {
  if (!ANY_WORD.test(text) || !ANY_DATE.test(text)) return false
  const plain = plainOf(text)
  const isNotYet = ({ words, hasCome }: Dated) => !hasCome && NOT_YET.test(words)
  return (
    findDated(plain, OFFER, time).some(({ hasCome }) => !hasCome) ||
    findDated(plain, UNTIL, time).some(isNotYet)
  )
}

/** Removes statements whose day has come: "Stray hold until 11/1", "available after 11/1". */
export function withoutEnded(text: string, time: ReadingTime): string {
  if (!ANY_WORD.test(text) || !ANY_DATE.test(text)) return text
  const plain = plainOf(text)
  // Without marks, the text may be shorter.
  if (plain.length !== Math.min(text.length, MAX_TEXT)) return text
  const holds = findDated(plain, UNTIL, time).filter(
    ({ words }) => (HOLD.test(words) || NOT_YET.test(words)) && !ADOPTER.test(words),
  )
  const offers = findDated(plain, OFFER, time).filter(({ words }) => !DENIED.test(words))
  const ended = [...holds, ...offers].filter(({ hasCome }) => hasCome)
  let [rest, last] = ['', 0]
  for (const { from, to } of ended.toSorted((one, other) => one.from - other.from)) {
    rest += text.slice(last, Math.max(from, last))
    last = Math.max(last, to)
  }
  return rest + text.slice(last)
}
