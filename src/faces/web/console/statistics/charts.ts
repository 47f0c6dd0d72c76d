import { type Html, html } from '../../../../http/html.ts'

// Plots as SVG. A table with the same figures is next to each plot, so a plot has no text alternative beyond
// its title.

const [WIDTH, HEIGHT] = [360, 170]
const [TOP, BOTTOM] = [14, 22]
const MAX_LABELS = 6
/** The share of a step that the bars take up. */
const BAR_SHARE = 0.8

export interface Series {
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
export function barChart({ title, labels, series }: BarChart): Html {
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

export interface Range {
  label: string
  from: number
  middle: number
  to: number
}

const ROW_HEIGHT = 34

/** A plot with a line from the lower to the upper quartile for each label, and a mark at the median. */
export function rangeChart(title: string, ranges: readonly Range[]): Html {
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
