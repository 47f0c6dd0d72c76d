import type { Comparison } from './report.ts'
import { fine } from './report.ts'

// Charts as SVG text for light and dark pages; the colours follow the reader's colour scheme.

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

const WIDTH = 760
const LABEL_WIDTH = 150
const ROW = 22
const VALUE_WIDTH = 60

/** A bar chart of ratios to the base, with a group for each measurement. */
export function barChart(title: string, note: string, comparisons: Comparison[], own: string): string {
  const max = Math.max(1, ...comparisons.flatMap(({ rows }) => rows.map(({ ratio }) => ratio.median)))
  const scale = (WIDTH - LABEL_WIDTH - VALUE_WIDTH) / max
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
