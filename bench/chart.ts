import type { Comparison } from './report.ts'
import { fine } from './report.ts'

// Charts as SVG text, readable on a light and on a dark page: the colours follow the reader's choice.

const STYLE = `<style>
  text { font: 13px system-ui, sans-serif; fill: #24292f }
  .title { font-weight: 600; font-size: 15px }
  .quiet { fill: #57606a }
  .axis { stroke: #8c959f; stroke-width: 1; fill: none }
  .grid { stroke: #8c959f; stroke-opacity: .3 }
  .bar { fill: #8c959f }
  .own { fill: #1f6feb }
  .line { fill: none; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .quiet { fill: #9198a1 }
    .own { fill: #4493f8 }
  }
</style>`

/** Readable on white and on black. */
const COLOURS = ['#1f77d0', '#d9730d', '#2f9e44', '#c2408c', '#8a63d2', '#b08800', '#0f9d9d', '#d1453b']

const WIDTH = 760
const LABEL_WIDTH = 150
const ROW = 22
const VALUE_WIDTH = 60

/** Bars: how much of the base each reaches, one group a measurement. */
export function barChart(title: string, note: string, comparisons: Comparison[], own: string): string {
  const most = Math.max(1, ...comparisons.flatMap(({ rows }) => rows.map(({ ratio }) => ratio.median)))
  const scale = (WIDTH - LABEL_WIDTH - VALUE_WIDTH) / most
  const parts: string[] = []
  let y = 64
  for (const { name, rows } of comparisons) {
    parts.push(text(12, y + 6, name, 'class="title"'))
    y += 16
    for (const row of rows) {
      const width = Math.max(1, row.ratio.median * scale)
      const kind = row.name === own ? 'bar own' : 'bar'
      parts.push(
        text(LABEL_WIDTH - 8, y + 14, row.name, 'text-anchor="end"'),
        `<rect class="${kind}" x="${LABEL_WIDTH}" y="${y + 3}" width="${width.toFixed(1)}" height="15" rx="2"/>`,
        text(LABEL_WIDTH + width + 6, y + 15, fine(row.ratio.median), 'class="quiet"'),
      )
      y += ROW
    }
    y += 24
  }
  return svg(y - 8, title, note, parts)
}

const PLOT = { left: 72, right: 740, top: 64, bottom: 300 }

/** Lines: what a request costs with more data, relative to the first size or in a unit; one a measurement. */
export function growthChart(title: string, note: string, comparisons: Comparison[], unit = '×'): string {
  const sizes = comparisons[0]?.rows.map(({ name }) => name) ?? []
  const values = comparisons.flatMap(({ rows }) => rows.map(({ ratio }) => ratio.median))
  const most = Math.max(2, Math.ceil(Math.max(...values)))
  const x = (index: number) =>
    PLOT.left + 30 + (index * (PLOT.right - PLOT.left - 80)) / Math.max(1, sizes.length - 1)
  const y = (value: number) => PLOT.bottom - (value / most) * (PLOT.bottom - PLOT.top)
  const step = most <= 2 ? 0.5 : roundStep(most / 6)
  const ticks = Array.from({ length: Math.floor(most / step) + 1 }, (_, index) => index * step)
  const parts = [
    ...ticks.flatMap((tick) => [
      `<path class="grid" d="M${PLOT.left} ${y(tick)}H${PLOT.right}"/>`,
      text(
        PLOT.left - 8,
        y(tick) + 4,
        `${tick.toLocaleString('en')} ${unit}`,
        'class="quiet" text-anchor="end"',
      ),
    ]),
    ...sizes.map((size, index) =>
      text(x(index), PLOT.bottom + 20, size, 'class="quiet" text-anchor="middle"'),
    ),
    `<path class="axis" d="M${PLOT.left} ${PLOT.bottom}H${PLOT.right}"/>`,
    ...comparisons.flatMap(({ name, rows }, place) => {
      const colour = COLOURS[place % COLOURS.length]
      const points = rows.map(({ ratio }, index) => `${x(index).toFixed(1)},${y(ratio.median).toFixed(1)}`)
      const [left, top] = [PLOT.left + (place % 2) * 340, PLOT.bottom + 50 + Math.floor(place / 2) * ROW]
      return [
        `<polyline class="line" stroke="${colour}" points="${points.join(' ')}"/>`,
        `<rect x="${left}" y="${top - 9}" width="18" height="4" fill="${colour}"/>`,
        text(left + 26, top - 2, `${name}: ${fine(rows.at(-1)?.ratio.median ?? 0)}`),
      ]
    }),
  ]
  return svg(PLOT.bottom + 50 + Math.ceil(comparisons.length / 2) * ROW, title, note, parts)
}

/** At least as much, as one counts: 1, 2, 5, 10, 20 and so on. */
function roundStep(least: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(least)))
  return ([1, 2, 5].find((times) => times * power >= least) ?? 10) * power
}

function svg(height: number, title: string, note: string, parts: string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(title)}">`,
    STYLE,
    text(12, 24, title, 'class="title"'),
    text(12, 42, note, 'class="quiet"'),
    ...parts,
    '</svg>',
    '',
  ].join('\n')
}

function text(x: number, y: number, content: string, attributes = ''): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}"${attributes && ` ${attributes}`}>${escaped(content)}</text>`
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
