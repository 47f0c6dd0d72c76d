import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import { ApiError } from '../../../../errors.ts'
import type { App } from '../../../../http/app.ts'
import { type Html, html, type Part } from '../../../../http/html.ts'
import type { Statistics } from '../../../../inventory/schema.ts'
import * as statistics from '../../../../inventory/statistics.ts'
import { formatMonth } from '../../dates.ts'
import { selectField, textField } from '../../forms.ts'
import { wholeNumberOf } from '../address.ts'
import { type Choices, readKinds, readOrganizations } from '../choices.ts'
import { consolePage, wordsFor } from '../frame.ts'
import { PREFIX } from '../pages.ts'
import { barChart, rangeChart } from './charts.ts'
import { monthsIn, sumOf, TABLES, type TableName, tableOf, toCsv } from './tables.ts'

const PATH = `${PREFIX}/statistics`
const PERIODS = [1, 3, 12, 24, 60]
const DEFAULT_MONTHS = 12

type ByName = { Params: { name: string } }

/** The statistics of the person's organization; for people who belong to none, of one or all organizations. */
export function statisticsPages(app: App, context: Context): void {
  app.get('/statistics', (request) => page(context, request))

  app.get<ByName>('/statistics/:name', async (request: FastifyRequest, reply: FastifyReply) => {
    const { name } = request.params as { name: string }
    const table = TABLES.find((one) => `${one}.csv` === name)
    if (!table) throw new ApiError('route_not_found')
    const { counts, naming } = await read(context, request)
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', `attachment; filename="${name}"`)
      .header('cache-control', 'no-store')
      .send(toCsv(tableOf(table, counts, naming, true)))
  })
}

/** The choices in the address. Invalid values count as absent. */
function scopeOf({ query, caller }: FastifyRequest) {
  const { organization, months } = query as Record<string, unknown>
  const period = PERIODS.find((one) => one === wholeNumberOf(months)) ?? DEFAULT_MONTHS
  return { organizationId: caller.organizationId ?? wholeNumberOf(organization), months: period }
}

async function read(context: Context, request: FastifyRequest) {
  const { language, words } = wordsFor(request)
  const scope = scopeOf(request)
  const counts = await statistics.compute(context.db, { ...scope, now: context.clock() })
  const categories = new Map((await readKinds(context, request)).map(({ id, words }) => [id, words]))
  return { scope, counts, naming: { language, words: words.statistics, categories } }
}

async function page(context: Context, request: FastifyRequest): Promise<string> {
  const { scope, counts, naming } = await read(context, request)
  const { words } = naming
  const organizations = await readOrganizations(context, request.caller)
  const isEmpty = counts.inCare === 0 && counts.months.length === 0
  const plots = plotsOf(counts, naming)
  const sections = TABLES.map((name) => section(name, { ...{ scope, counts, naming }, plot: plots[name] }))
  return consolePage(request, {
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
  return html`<form class="filters" method="get" action="${PATH}">
${selectField({
  ...{ name: 'months', label: words.months, value: String(months) },
  choices: PERIODS.map((one) => [String(one), words.monthsOf(one)]),
})}
${
  organizations === 'many'
    ? textField({ ...own, inputMode: 'numeric' })
    : organizations &&
      (organizations.length > 1 || organizationId !== undefined) &&
      selectField({ ...own, choices: [['', words.everywhere], ...organizations] })
}
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
