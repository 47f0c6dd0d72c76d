import type { Language } from '../../../../http/language.ts'
import type { Statistics } from '../../../../inventory/schema.ts'
import { outcomesIn } from '../../../../inventory/statistics.ts'
import { csvLine, shieldFormulas } from '../../../../transfer/columns.ts'
import { formatMonth } from '../../dates.ts'
import type { Texts } from '../../texts/texts.ts'

// The tables of the page of statistics, which can also be downloaded.

export interface StatisticsTable {
  columns: readonly string[]
  /** The first cell of each row is its heading. */
  rows: readonly (readonly (string | number)[])[]
}

export const TABLES = ['months', 'types', 'stays', 'waiting'] as const
export type TableName = (typeof TABLES)[number]

interface Naming {
  language: Language
  words: Texts['console']['statistics']
  /** The labels of the categories, by id. */
  categories: ReadonlyMap<number, string>
}

/** All months from the first to the last day, such as 2026-11. */
export function monthsIn({ from, to }: Pick<Statistics, 'from' | 'to'>): string[] {
  const months: string[] = []
  for (
    const date = new Date(from);
    date.toISOString().slice(0, 10) <= to;
    date.setUTCMonth(date.getUTCMonth() + 1)
  )
    months.push(date.toISOString().slice(0, 7))
  return months
}

export type MonthCounts = Omit<Statistics['months'][number], 'month' | 'categoryId'>

/** The counts of some months and categories together. */
export function sumOf(counts: Statistics['months']): MonthCounts {
  return { intakes: counts.reduce((sum, { intakes }) => sum + intakes, 0), ...outcomesIn(counts) }
}

const COUNTS = ['intakes', 'adopted', 'transferred', 'returnedToOwner', 'died'] as const

/** @param isComplete also splits the months by category, for the download */
export function tableOf(
  name: TableName,
  statistics: Statistics,
  { language, words, categories }: Naming,
  isComplete = false,
): StatisticsTable {
  const { columns } = words
  const { months, lengthOfStay, waiting } = statistics
  const labelOf = (id: number): string => categories.get(id) ?? String(id)
  const cells = (counts: MonthCounts): number[] => COUNTS.map((one) => counts[one])
  const headings = COUNTS.map((one) => columns[one])
  if (name === 'months' && isComplete)
    return {
      columns: [columns.month, columns.type, ...headings],
      rows: months.map((one) => [one.month, labelOf(one.categoryId), ...cells(one)]),
    }
  if (name === 'months')
    return {
      columns: [columns.month, ...headings],
      rows: monthsIn(statistics).map((month) => [
        formatMonth(language, month, 'long'),
        ...cells(sumOf(months.filter((one) => one.month === month))),
      ]),
    }
  if (name === 'types') {
    const byType = [...Map.groupBy(months, ({ categoryId }) => categoryId)]
    return {
      columns: [columns.type, ...headings],
      rows: [
        ...byType.map(([id, counts]) => [labelOf(id), ...cells(sumOf(counts))]),
        [columns.total, ...cells(sumOf(months))],
      ],
    }
  }
  if (name === 'stays') {
    const quartiles = ({ animals, lowerQuartile, median, upperQuartile }: Stay): (string | number)[] => [
      animals,
      ...[lowerQuartile, median, upperQuartile].map((days) => days ?? ''),
    ]
    return {
      columns: [columns.type, columns.animals, columns.lowerQuartile, columns.median, columns.upperQuartile],
      rows: [
        ...lengthOfStay.categories.map((one) => [labelOf(one.categoryId), ...quartiles(one)]),
        [columns.total, ...quartiles(lengthOfStay)],
      ],
    }
  }
  return {
    columns: [columns.days, columns.animals],
    rows: waiting.map(({ minDays, maxDays, animals }) => [words.range(minDays, maxDays), animals]),
  }
}

type Stay = Omit<Statistics['lengthOfStay'], 'categories'>

export function toCsv({ columns, rows }: StatisticsTable): string {
  const lines = [columns, ...rows].map((cells) => csvLine(cells.map((cell) => shieldFormulas(String(cell)))))
  // Spreadsheet programs need the byte order mark to read accents.
  return `\uFEFF${lines.join('')}`
}
