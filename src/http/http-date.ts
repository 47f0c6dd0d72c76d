const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const MONTH = `(?<month>${MONTHS.join('|')})`
const TIME = String.raw`(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)`
const SHORT_DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const LONG_DAY = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day'

/** The current date format, and two obsolete formats that recipients must also accept. */
const FORMATS = [
  String.raw`${SHORT_DAY}, (?<day>\d\d) ${MONTH} (?<year>\d{4}) ${TIME} GMT`,
  String.raw`${LONG_DAY}, (?<day>\d\d)-${MONTH}-(?<year>\d\d) ${TIME} GMT`,
  String.raw`${SHORT_DAY} ${MONTH} (?<day>\d\d| \d) ${TIME} (?<year>\d{4})`,
].map((format) => new RegExp(`^${format}$`))

/**
 * Parses an HTTP date (RFC 9110, section 5.6.7) strictly. `Date.parse` would also accept other formats.
 *
 * @returns Unix time in milliseconds; undefined for other formats, which `Date.parse` may accept
 */
export function parseHttpDate(text: string): number | undefined {
  const match = FORMATS.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined)
  if (!match) return undefined
  const { day, month = '', year = '', hour, minute, second } = match
  const date = [fullYear(year), MONTHS.indexOf(month), Number(day)] as const
  const time = Date.UTC(...date, Number(hour), Number(minute), Number(second))
  const normalized = new Date(time)
  // Date.UTC would turn an invalid date, such as 31 February or an hour 25, into another time.
  const isSame = normalized.getUTCDate() === date[2] && normalized.getUTCHours() === Number(hour)
  return isSame && Number(minute) < 60 && Number(second) < 60 ? time : undefined
}

/** Converts a year of two digits. Years below 70 belong to the century that began in 2000. */
function fullYear(year: string): number {
  if (year.length === 4) return Number(year)
  return Number(year) + (Number(year) < 70 ? 2_000 : 1_900)
}
