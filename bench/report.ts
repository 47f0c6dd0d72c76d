import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import type { Round, Rounds } from './contest.ts'
import { CONNECTIONS, type Figures } from './load.ts'

export interface Spread {
  median: number
  least: number
  most: number
}

/** For an even number of values the median is the mean of the two middle ones. */
export function spread(values: number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (place: number) => sorted[place] ?? Number.NaN
  const middle = (sorted.length - 1) / 2
  return {
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    least: at(0),
    most: at(sorted.length - 1),
  }
}

/** The target: a minimum ratio of speed. */
export type Reach = (measurement: string, contestant: string) => number | undefined

export type Comparison = ReturnType<typeof summarise>[number]

export function summarise(rounds: Rounds, base: string, reach: Reach) {
  return [...rounds].map(([name, ofAll]) => {
    const ofBase = ofAll.get(base) ?? []
    const rows = [...ofAll].map(([contestant, own]) => ({
      name: contestant,
      ratio: spread(own.map((figures, round) => ratioOf(figures, ofBase[round]))),
      reach: reach(name, contestant),
      ...medians(own),
    }))
    return { name, rows: rows.sort((a, b) => Number(b.name === base) - Number(a.name === base)) }
  })
}

function ratioOf(own: Figures, base: Figures | undefined): number {
  return own.requestsPerSecond / (base?.requestsPerSecond ?? Number.NaN)
}

const FIGURES = ['requestsPerSecond', 'p50Ms', 'p99Ms', 'loadBusy', 'cpuMicroseconds', 'memoryMb'] as const

function medians(rounds: Round[]) {
  const entries = FIGURES.map((name) => [name, spread(rounds.map((round) => round[name])).median])
  return Object.fromEntries(entries) as Record<(typeof FIGURES)[number], number>
}

/** Machine, versions and durations of the measurements. */
export function setup(rounds: number, seconds: number) {
  const fastify = new URL('../node_modules/fastify/package.json', import.meta.url)
  return {
    measuredAt: new Date().toISOString(),
    versions: {
      node: process.versions.node,
      fastify: JSON.parse(readFileSync(fastify, 'utf8')).version as string,
      sqlite: process.versions.sqlite ?? '',
    },
    machine: { cpu: cpus()[0]?.model ?? '', cores: cpus().length, platform: process.platform },
    rounds,
    seconds,
    connections: CONNECTIONS,
  }
}

export type Setup = ReturnType<typeof setup>

export function table(comparisons: Comparison[]): string[] {
  const titles = [
    ...['', 'speed', 'min..max', 'target', 'requests/s'],
    ...['p50 ms', 'p99 ms', 'CPU µs', 'load busy', 'RSS MB'],
  ]
  const rows = comparisons.flatMap(({ name, rows }) => [[name], ...rows.map(cellsOf)])
  return aligned([titles, ...rows])
}

export const describeMachine = ({ versions, machine }: Setup): string =>
  `Node ${versions.node}, Fastify ${versions.fastify}, SQLite ${versions.sqlite}; ` +
  `${machine.cores} × ${machine.cpu}, ${machine.platform}.`

export const describeSetup = (own: Setup): string[] => [
  `Medians of ${own.rounds} interleaved rounds of ${own.seconds} s; ${own.connections} connections.`,
  'If "load busy" is near 1, the load generator was the bottleneck.',
  describeMachine(own),
]

function cellsOf({ name, ratio, reach, ...row }: Comparison['rows'][number]): string[] {
  return [
    `  ${name}`,
    fine(ratio.median),
    `${fine(ratio.least)}..${fine(ratio.most)}`,
    reach === undefined ? '' : `≥ ${reach.toFixed(2)}`,
    whole(row.requestsPerSecond),
    row.p50Ms.toFixed(2),
    row.p99Ms.toFixed(2),
    whole(row.cpuMicroseconds),
    row.loadBusy.toFixed(2),
    whole(row.memoryMb),
  ]
}

/** Small ratios get a third decimal place. */
export function fine(value: number): string {
  return value > 0 && value < 0.095 ? value.toFixed(3) : value.toFixed(2)
}

export function whole(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? '-' : Math.round(value).toLocaleString('en')
}

export function aligned(rows: string[][]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  const pad = (text: string, column: number) =>
    column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0)
  return rows.map((row) => row.map(pad).join('  ').trimEnd())
}

// Charts as SVG text for light and dark pages; the colours follow the reader's colour scheme.

const STYLE = `<style>
  text { font: 13px system-ui, sans-serif; fill: #24292f }
  .title { font-weight: 600; font-size: 15px }
  .quiet { fill: #57606a }
  .bar { fill: #8c959f }
  .own { fill: #1f6feb }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .quiet { fill: #9198a1 }
    .own { fill: #4493f8 }
  }
</style>`

const [WIDTH, LABEL_WIDTH, VALUE_WIDTH, ROW] = [760, 150, 60, 22]

/** A bar chart of ratios to the base, with a group for each measurement. */
export function barChart(title: string, note: string, comparisons: Comparison[], own: string): string {
  const max = Math.max(1, ...comparisons.flatMap(({ rows }) => rows.map(({ ratio }) => ratio.median)))
  const parts = [text(12, 24, title, 'class="title"'), text(12, 42, note, 'class="quiet"')]
  let y = 64
  for (const { name, rows } of comparisons) {
    parts.push(text(12, y + 6, name, 'class="title"'))
    y += 16
    for (const { name, ratio } of rows) {
      const width = Math.max(1, (ratio.median * (WIDTH - LABEL_WIDTH - VALUE_WIDTH)) / max).toFixed(1)
      const kind = name === own ? 'bar own' : 'bar'
      parts.push(
        text(LABEL_WIDTH - 8, y + 14, name, 'text-anchor="end"'),
        `<rect class="${kind}" x="${LABEL_WIDTH}" y="${y + 3}" width="${width}" height="15" rx="2"/>`,
        text(LABEL_WIDTH + Number(width) + 6, y + 15, fine(ratio.median), 'class="quiet"'),
      )
      y += ROW
    }
    y += 24
  }
  const box = `viewBox="0 0 ${WIDTH} ${y - 8}" role="img" aria-label="${title}"`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${box}>\n${[STYLE, ...parts].join('\n')}\n</svg>\n`
}

function text(x: number, y: number, content: string, attributes: string): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${attributes}>${content}</text>`
}
