// Reads dates as people, spreadsheets and programs write them.

/** How to read dates such as 03/04/2021. `sure`: read only a date that has a single meaning. */
export type DateOrder = 'day' | 'month' | 'sure'

/** Programs write these for a missing date. The last values are the day 0 of Excel. */
const NO_DATES = new Set([
  ...['na', 'n/a', 'n.a.', '-', '--', '?', 'none', 'null', 'unknown', 'tbd', 'desconocido', 'desconocida'],
  ...['0', '0000-00-00', '00/00/0000', '0000-00-00 00:00:00', '0001-01-01', '0001-01-01t00:00:00'],
  ...['1899-12-30', '1899-12-31', '1900-01-00', '1/0/1900', '0/1/1900', '00/01/1900', '01/00/1900'],
])

/** A longer text is not a date. */
const MAX_LENGTH = 60

/** A date in numbers, and the time or the words after it. */
const YEAR_FIRST = /^(\d{4})([-/.])(\d\d?)\2(\d\d?)(?!\d)(.*)$/
const YEAR_LAST = /^(\d\d?) ?([-/.]) ?(\d\d?) ?\2 ?'?(\d{4}|\d\d)(?!\d)(.*)$/
const COMPACT = /^(\d{4})(\d\d)(\d\d)$/
const SECONDS = /^-?\d{9,11}$/
const MILLISECONDS = /^\d{12,13}$/
const EXCEL_DAYS = /^\d{5}(?:\.\d+)?$/

/** The days of Excel from 1990 to 2035. Other numbers of five digits are probably not dates. */
const [FIRST_EXCEL_DAY, LAST_EXCEL_DAY] = [32_874, 49_674]
/** 1 January 1970. Excel counts days from 30 December 1899. */
const EXCEL_EPOCH = 25_569

const DAY_MS = 86_400_000
/** The service takes no earlier birth date. */
const MIN_YEAR = 1950

/**
 * Reads a date, with or without a time.
 * @param now Unix time in milliseconds: a year of two digits is never in the future
 * @returns YYYY-MM-DD; null if the text says that there is no date; undefined if it cannot be read
 */
export function parseDate(
  text: string,
  order: DateOrder,
  now = Number.POSITIVE_INFINITY,
): string | null | undefined {
  if (text.length > MAX_LENGTH) return undefined
  if (NO_DATES.has(text.toLowerCase())) return null
  if (SECONDS.test(text)) return dayOf(Number(text) * 1_000)
  if (MILLISECONDS.test(text)) return dayOf(Number(text))
  if (EXCEL_DAYS.test(text)) return parseExcelDay(Number(text))
  const compact = COMPACT.exec(text)
  if (compact) return formatDate(compact[1], compact[2], compact[3], now)
  const [, year, , month, day, after = ''] = YEAR_FIRST.exec(text) ?? []
  if (year !== undefined) return isTime(after) ? formatDate(year, month, day, now) : undefined
  const numbers = splitNumbers(text)
  return numbers ? parseNumbers(numbers, order, now) : parseNamedMonth(text, now)
}

function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10)
}

function parseExcelDay(days: number): string | undefined {
  return days >= FIRST_EXCEL_DAY && days < LAST_EXCEL_DAY + 1
    ? dayOf(Math.floor(days - EXCEL_EPOCH) * DAY_MS)
    : undefined
}

/** Whether the text after a date is a time or has no figures, so it is not a second date. */
function isTime(after: string): boolean {
  return after === '' || /^(?:T|,? {1,2})\d\d?:\d\d/.test(after) || /^[ ,(T]\D*$/.test(after)
}

interface Numbers {
  first: string
  second: string
  year: string
  /** With dots between the numbers, the day always comes first. */
  hasDots: boolean
}

function splitNumbers(text: string): Numbers | undefined {
  const [, first = '', sign, second = '', year = '', after = ''] = YEAR_LAST.exec(text) ?? []
  return sign !== undefined && isTime(after) ? { first, second, year, hasDots: sign === '.' } : undefined
}

function parseNumbers(
  { first, second, year, hasDots }: Numbers,
  order: DateOrder,
  now: number,
): string | undefined {
  const dayFirst = formatDate(year, second, first, now)
  const monthFirst = formatDate(year, first, second, now)
  if (hasDots || order === 'day') return dayFirst
  if (order === 'month') return monthFirst
  return dayFirst === undefined || monthFirst === undefined || dayFirst === monthFirst
    ? (dayFirst ?? monthFirst)
    : undefined
}

/** The order in a column, as one of its dates shows it; undefined if the date shows nothing. */
export function orderShownBy(text: string): 'day' | 'month' | 'either' | undefined {
  const numbers = text.length > MAX_LENGTH ? undefined : splitNumbers(text)
  if (!numbers || numbers.hasDots) return undefined
  const { first, second, year } = numbers
  // Both February 29 and the century are irrelevant here: a leap year suits both readings.
  const full = year.length === 2 ? '2000' : year
  const day = formatDate(full, second, first, Number.POSITIVE_INFINITY)
  const month = formatDate(full, first, second, Number.POSITIVE_INFINITY)
  if (day === month) return undefined
  if (day === undefined) return 'month'
  return month === undefined ? 'day' : 'either'
}

/** Whether a text is a date only with the day first. */
export function isOnlyDayFirst(text: string): boolean {
  return orderShownBy(text) === 'day'
}

/** @returns undefined if there is no such day */
function formatDate(year = '', month = '', day = '', now: number): string | undefined {
  const date = dateOf(year.length === 2 ? 2000 + Number(year) : Number(year), month, day)
  if (date === undefined || year.length > 2 || date.getTime() <= now) return date && dayOf(date.getTime())
  const earlier = 1900 + Number(year)
  const before = earlier < MIN_YEAR ? undefined : dateOf(earlier, month, day)
  return before && dayOf(before.getTime())
}

function dateOf(year: number, month: string, day: string): Date | undefined {
  const date = new Date(Date.UTC(year, Number(month) - 1, Number(day)))
  const exists = date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day)
  return exists ? date : undefined
}

const MONTHS = [
  ...['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september'],
  ...['october', 'november', 'december', 'enero', 'febrero', 'marzo', 'abril', 'mayo', 'junio', 'julio'],
  ...['agosto', 'septiembre', 'octubre', 'noviembre', 'diciembre'],
]

/** The number of a month in English or Spanish, also abbreviated: "Jun", "sept." */
function findMonth(name: string): number | undefined {
  if (name.length < 3) return undefined
  const at = MONTHS.findIndex((month) => month.startsWith(name.toLowerCase()))
  return at < 0 ? undefined : (at % 12) + 1
}

/** Words of a date that say nothing, such as its day of the week. */
const FILLERS = new Set(
  `the of de del mon tue tues wed thu thur thurs fri sat sun monday tuesday wednesday thursday friday saturday
  sunday lunes martes miércoles jueves viernes sábado domingo`.split(/\s+/),
)

/** Reads "3 April 2021", "Apr 3rd, 2021", "3-Apr-21", "Saturday, April 3, 2021" or "3 de abril de 2021". */
function parseNamedMonth(text: string, now: number): string | undefined {
  const parts = text.split(/[\s,./-]+/).filter((part) => part !== '' && !FILLERS.has(part.toLowerCase()))
  const [one = '', two = '', year = ''] = parts.map((part) =>
    part.replace(/^(\d\d?)(?:st|nd|rd|th|º|ª)$/i, '$1'),
  )
  if (parts.length !== 3 || !/^'?(?:\d{4}|\d\d)$/.test(year)) return undefined
  const [day, name] = /^\d\d?$/.test(one) ? [one, two] : [two, one]
  const month = findMonth(name)
  if (month === undefined || !/^\d\d?$/.test(day)) return undefined
  return formatDate(year.replace("'", ''), String(month), day, now)
}

/** Reads a month or a year as its first day: 2023, 2023-06, 06/2023, June 2023, junio de 2023. */
export function parseRoughDate(text: string): string | undefined {
  const [, year, month] = /^(\d{4})(?:[-/.](\d\d?))?$/.exec(text) ?? []
  if (year !== undefined) return formatFirstDay(year, month === undefined ? 1 : Number(month))
  const [, numbered, ofIt = ''] = /^(\d\d?)[-/.](\d{4})$/.exec(text) ?? []
  if (numbered !== undefined) return formatFirstDay(ofIt, Number(numbered))
  const [, name = '', ofName = ''] = /^(\p{L}{3,12})(?:\.?,? |[-/])(?:de )?(\d{4})$/iu.exec(text) ?? []
  const named = name === '' ? undefined : findMonth(name)
  return named === undefined ? undefined : formatFirstDay(ofName, named)
}

function formatFirstDay(year: string, month: number): string | undefined {
  return month >= 1 && month <= 12 ? `${year}-${String(month).padStart(2, '0')}-01` : undefined
}
