const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const MONTH = `(?<month>${MONTHS.join('|')})`
const TIME = String.raw`(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)`
const SHORT_DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const LONG_DAY = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day'

/** The one that is written, and the two of old, which a recipient must still take. */
const FORMS = [
  String.raw`${SHORT_DAY}, (?<day>\d\d) ${MONTH} (?<year>\d{4}) ${TIME} GMT`,
  String.raw`${LONG_DAY}, (?<day>\d\d)-${MONTH}-(?<year>\d\d) ${TIME} GMT`,
  String.raw`${SHORT_DAY} ${MONTH} (?<day>\d\d| \d) ${TIME} (?<year>\d{4})`,
].map((form) => new RegExp(`^${form}$`))

/**
 * A date as HTTP writes it (RFC 9110, section 5.6.7).
 *
 * @returns Unix time in milliseconds; undefined for all else, which `Date.parse` would make something of
 */
export function httpDate(text: string): number | undefined {
  const found = FORMS.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined)
  if (!found) return undefined
  const { day, month = '', year = '', hour, minute, second } = found
  const date = [fullYear(year), MONTHS.indexOf(month), Number(day)] as const
  const time = Date.UTC(...date, Number(hour), Number(minute), Number(second))
  const made = new Date(time)
  // 31 February, or an hour 25, would have become another time.
  const isSame = made.getUTCDate() === date[2] && made.getUTCHours() === Number(hour)
  return isSame && Number(minute) < 60 && Number(second) < 60 ? time : undefined
}

/** Of two digits: all that this service may meet lies after 1970. */
function fullYear(year: string): number {
  if (year.length === 4) return Number(year)
  return Number(year) + (Number(year) < 70 ? 2_000 : 1_900)
}
