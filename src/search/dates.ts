/*
 * Days, months and years as tokens: a range of days is the days at its ends, the months between those,
 * and the years between those.
 */

const DAY_MS = 86_400_000

const dayAt = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/**
 * @param from and to moments of the first and the last day, both included
 * @returns as few days, months and years as cover them; none where the last is before the first
 */
export function daysBetween(from: number, to: number): string[] {
  const found: string[] = []
  for (let at = Math.floor(from / DAY_MS) * DAY_MS; at <= to; ) {
    const day = dayAt(at)
    const [length, next] = [4, 7, 10]
      .map((length): [number, number] => [length, endOf(day, length)])
      .find(([length, next]) => startsAt(day, length) && next - DAY_MS <= to) ?? [10, at + DAY_MS]
    found.push(day.slice(0, length))
    at = next
  }
  return found
}

/** Whether a year, a month or a day begins with it. */
function startsAt(day: string, length: number): boolean {
  return day.slice(length) === '-01-01'.slice(length - 4)
}

/** When the next year, month or day begins. */
function endOf(day: string, length: number): number {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  if (length === 4) return Date.UTC(year + 1, 0, 1)
  return length === 7 ? Date.UTC(year, month, 1) : Date.UTC(year, month - 1, date + 1)
}

const LEAP_SECOND = /:60(?:\.\d+)?(?=[z+-])/i

/** The moment of a date-time (RFC 3339). A leap second is the last millisecond before the next minute. */
export const instantOf = (text: string): number => Date.parse(text.replace(LEAP_SECOND, ':59.999'))
