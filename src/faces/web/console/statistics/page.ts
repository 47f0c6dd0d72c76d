import { ApiError } from '../../../../errors.ts'
import { type Html, html, type Part } from '../../../../http/html.ts'
import { wholeNumberOf } from '../../../../http/int64.ts'
import type { Language } from '../../../../http/language.ts'
import type { Statistics } from '../../../../inventory/schema.ts'
import * as statistics from '../../../../inventory/statistics.ts'
import { outcomesIn } from '../../../../inventory/statistics.ts'
import { csvLine, shieldFormulas } from '../../../../transfer/columns.ts'
import { formatMonth } from '../../formats.ts'
import { selectField } from '../../forms.ts'
import type { Texts } from '../../texts/texts.ts'
import { type Choices, organizationSelect, readKinds, readOrganizations } from '../choices.ts'
import { consolePage } from '../frame.ts'
import { csvReply, PREFIX, type Routes, type Visit } from '../visit.ts'

const PATH = `${PREFIX}/statistics`
const PERIODS = [1, 3, 12, 24, 60]
const DEFAULT_MONTHS = 12

/**
 * The statistics of the person's organization. People without an organization see one or all organizations.
 */
export function statisticsPages({ get }: Routes): void {
  get('/statistics', page)

  get('/statistics/:name', async (visit) => {
    const { name } = visit.params
    const table = TABLES.find((one) => `${one}.csv` === name)
    if (!table) throw new ApiError('route_not_found')
    const { counts, naming } = await read(visit)
    return csvReply(visit, name).send(toCsv(tableOf(table, counts, naming, true)))
  })
}

/** The choices in the address. Invalid values count as absent. */
function scopeOf({ caller, query }: Visit) {
  const { organization, months } = query
  const period = PERIODS.find((one) => one === wholeNumberOf(months)) ?? DEFAULT_MONTHS
  return { organizationId: caller.organizationId ?? wholeNumberOf(organization), months: period }
}

async function read(visit: Visit) {
  const { language, words } = visit
  const scope = scopeOf(visit)
  const counts = await statistics.compute(visit.db, { ...scope, now: visit.clock() })
  const categories = new Map((await readKinds(visit)).map(({ id, words }) => [id, words]))
  return { scope, counts, naming: { language, words: words.statistics, categories } }
}

async function page(visit: Visit): Promise<string> {
  const { scope, counts, naming } = await read(visit)
  const { words } = naming
  const organizations = await readOrganizations(visit)
  const isEmpty = counts.inCare === 0 && counts.months.length === 0
  const plots = plotsOf(counts, naming)
  const sections = TABLES.map((name) => section(name, { ...{ scope, counts, naming }, plot: plots[name] }))
  return consolePage(visit, {
    title: words.title,
    main: html`<h1>${words.title}</h1><p class="lead">${words.lead}</p>
${scopeForm(scope, organizations, naming)}${figures(counts, naming)}
${isEmpty ? html`<p class="card">${words.none}</p>` : sections}<p class="hint">${words.rateHint}</p>`,
  })
}

type PageData = Awaited<ReturnType<typeof read>>

function scopeForm(
  { organizationId, months }: PageData['scope'],
  organizations: Choices['organizations'],
  { words }: PageData['naming'],
): Html {
  const own = { name: 'organization', label: words.organization, value: String(organizationId ?? '') }
  // The only organization needs no choice.
  const hasChoice =
    organizations && (organizations === 'many' || organizations.length > 1 || organizationId !== undefined)
  return html`<form class="filters" method="get" action="${PATH}">
${selectField({
  ...{ name: 'months', label: words.months, value: String(months) },
  choices: PERIODS.map((one) => [String(one), words.monthsOf(one)]),
})}
${hasChoice && organizationSelect(organizations, own, words.everywhere)}
<div class="row"><button class="plain">${words.show}</button></div></form>`
}

function figures(counts: Statistics, { language, words }: PageData['naming']): Html {
  const { intakes, ...outcomes } = sumOf(counts.months)
  const numbers = new Intl.NumberFormat(language)
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 })
  const shown = (value: number | undefined, format = numbers) =>
    value === undefined ? words.unknown : format.format(value)
  const values = {
    inCare: shown(counts.inCare),
    intakes: shown(intakes),
    outcomes: shown(Object.values(outcomes).reduce((sum, count) => sum + count, 0)),
    liveReleaseRate: shown(counts.liveReleaseRate, percent),
    median: shown(counts.lengthOfStay.median),
    perAnimal: shown(counts.applications.perAnimal),
  }
  const items = Object.entries(values).map(
    ([name, value]) => html`<li><b>${value}</b> ${words.figures[name as keyof typeof values]}</li>`,
  )
  return html`<ul class="numbers figures">${items}</ul>`
}

/** The plot of each table. The table of types has none. */
function plotsOf(
  counts: Statistics,
  { language, words, categories }: PageData['naming'],
): Partial<Record<TableName, Part>> {
  const months = monthsIn(counts)
  const sums = months.map((month) => sumOf(counts.months.filter((one) => one.month === month)))
  const stays = counts.lengthOfStay.categories.flatMap(
    ({ categoryId, lowerQuartile, median, upperQuartile }) =>
      lowerQuartile === undefined || median === undefined || upperQuartile === undefined
        ? []
        : [
            {
              label: categories.get(categoryId) ?? '',
              from: lowerQuartile,
              middle: median,
              to: upperQuartile,
            },
          ],
  )
  return {
    months: barChart({
      title: words.tables.months,
      labels: months.map((month) => formatMonth(language, month, 'short')),
      series: [
        { name: words.figures.intakes, values: sums.map(({ intakes }) => intakes) },
        {
          name: words.figures.outcomes,
          values: sums.map(({ intakes: _, ...outcomes }) =>
            Object.values(outcomes).reduce((sum, one) => sum + one, 0),
          ),
        },
      ],
    }),
    stays: stays.length > 0 && rangeChart(words.tables.stays, stays),
    waiting: barChart({
      title: words.tables.waiting,
      labels: counts.waiting.map(({ minDays, maxDays }) =>
        maxDays ? `${minDays}–${maxDays}` : `${minDays}+`,
      ),
      series: [{ name: words.columns.animals, values: counts.waiting.map(({ animals }) => animals) }],
    }),
  }
}

interface SectionParts extends PageData {
  plot: Part
}

function section(name: TableName, { scope, counts, naming, plot }: SectionParts): Html {
  const { columns, rows } = tableOf(name, counts, naming)
  const { words, language } = naming
  const title = words.tables[name]
  const query = new URLSearchParams({
    months: String(scope.months),
    ...(scope.organizationId !== undefined && { organization: String(scope.organizationId) }),
  })
  const numbers = new Intl.NumberFormat(language)
  const cell = (value: string | number) =>
    html`<td>${typeof value === 'number' ? numbers.format(value) : value}</td>`
  return html`<section class="card" aria-labelledby="${name}"><h2 id="${name}">${title}</h2>${plot}
<div class="scroll" tabindex="0" role="group" aria-labelledby="${name}"><table class="counts"><thead><tr>${columns.map((one) => html`<th scope="col">${one}</th>`)}</tr></thead>
<tbody>${rows.map(([heading, ...cells]) => html`<tr><th scope="row">${heading}</th>${cells.map(cell)}</tr>`)}</tbody></table></div>
<p><a href="${PATH}/${name}.csv?${String(query)}" download>${words.csv}</a></p></section>`
}

// Plots as SVG. A table with the same figures is next to each plot, so a plot has no text alternative beyond
// its title.

const [WIDTH, HEIGHT] = [360, 170]
const [TOP, BOTTOM] = [14, 22]
const MAX_LABELS = 6
/** The share of a step that the bars take up. */
const BAR_SHARE = 0.8

interface Series {
  name: string
  values: readonly number[]
}

interface BarChart {
  title: string
  /** The label of each step. If there are many, only some are shown. */
  labels: readonly string[]
  /** At most two series, side by side. */
  series: readonly Series[]
}

/** A plot with a group of bars for each label, and a legend if there are two series. */
function barChart({ title, labels, series }: BarChart): Html {
  const max = Math.max(1, ...series.flatMap(({ values }) => values))
  const step = WIDTH / labels.length
  const width = (step * BAR_SHARE) / series.length
  const scale = (HEIGHT - TOP - BOTTOM) / max
  const bars = series.map(({ values }, index) =>
    values.map((value, at) => {
      const x = at * step + (step * (1 - BAR_SHARE)) / 2 + index * width
      const height = value * scale
      return html`<rect class="bar${index}" x="${short(x)}" y="${short(HEIGHT - BOTTOM - height)}" width="${short(width)}" height="${short(height)}"/>`
    }),
  )
  const every = Math.ceil(labels.length / MAX_LABELS)
  const names = labels.map(
    (label, at) =>
      at % every === 0 &&
      html`<text x="${short((at + 0.5) * step)}" y="${HEIGHT - 6}" text-anchor="middle">${label}</text>`,
  )
  const legend =
    series.length > 1 &&
    html`<ul class="legend" aria-hidden="true">${series.map(
      ({ name }, index) =>
        html`<li><svg width="12" height="12"><rect class="bar${index}" width="12" height="12"/></svg> ${name}</li>`,
    )}</ul>`
  return html`${legend}<svg class="plot" role="img" aria-label="${title}" viewBox="0 0 ${WIDTH} ${HEIGHT}">
<text x="0" y="10">${max}</text><line x1="0" x2="${WIDTH}" y1="${TOP}" y2="${TOP}"/>${bars}
<line x1="0" x2="${WIDTH}" y1="${HEIGHT - BOTTOM}" y2="${HEIGHT - BOTTOM}"/>${names}</svg>`
}

interface Range {
  label: string
  from: number
  middle: number
  to: number
}

const ROW_HEIGHT = 34

/** A plot with a line from the lower to the upper quartile for each label, and a mark at the median. */
function rangeChart(title: string, ranges: readonly Range[]): Html {
  const max = Math.max(1, ...ranges.map(({ to }) => to))
  const scale = (WIDTH - 10) / max
  const height = ranges.length * ROW_HEIGHT + BOTTOM
  const rows = ranges.map(({ label, from, middle, to }, index) => {
    const y = index * ROW_HEIGHT
    const start = from * scale
    return html`<text x="0" y="${y + 12}">${label}</text>
<rect class="bar0" x="${short(start)}" y="${y + 18}" width="${short(Math.max(2, (to - from) * scale))}" height="10"/>
<rect class="mark" x="${short(middle * scale)}" y="${y + 15}" width="3" height="16"/>`
  })
  return html`<svg class="plot" role="img" aria-label="${title}" viewBox="0 0 ${WIDTH} ${height}">${rows}
<line x1="0" x2="${WIDTH}" y1="${height - BOTTOM + 4}" y2="${height - BOTTOM + 4}"/><text x="0" y="${height - 4}">0</text>
<text x="${WIDTH}" y="${height - 4}" text-anchor="end">${max}</text></svg>`
}

const short = (value: number): number => Math.round(value * 10) / 10

// The tables of the page of statistics, which can also be downloaded.

interface StatisticsTable {
  columns: readonly string[]
  /** The first cell of each row is its heading. */
  rows: readonly (readonly (string | number)[])[]
}

const TABLES = ['months', 'types', 'stays', 'waiting'] as const
type TableName = (typeof TABLES)[number]

interface Naming {
  language: Language
  words: Texts['console']['statistics']
  /** The labels of the categories, by id. */
  categories: ReadonlyMap<number, string>
}

/** All months from the first to the last day, such as 2026-11. */
function monthsIn({ from, to }: Pick<Statistics, 'from' | 'to'>): string[] {
  const months: string[] = []
  for (
    const date = new Date(from);
    date.toISOString().slice(0, 10) <= to;
    date.setUTCMonth(date.getUTCMonth() + 1)
  )
    months.push(date.toISOString().slice(0, 7))
  return months
}

type MonthCounts = Omit<Statistics['months'][number], 'month' | 'categoryId'>

/** The counts of some months and categories together. */
function sumOf(counts: Statistics['months']): MonthCounts {
  return { intakes: counts.reduce((sum, { intakes }) => sum + intakes, 0), ...outcomesIn(counts) }
}

const COUNTS = ['intakes', 'adopted', 'transferred', 'returnedToOwner', 'died'] as const

/** @param isComplete also splits the months by category, for the download */
function tableOf(
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

function toCsv({ columns, rows }: StatisticsTable): string {
  const lines = [columns, ...rows].map((cells) => csvLine(cells.map((cell) => shieldFormulas(String(cell)))))
  // Spreadsheet programs need the byte order mark to read accents.
  return `\uFEFF${lines.join('')}`
}
