import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import type { Round, Rounds } from './contest.ts'
import { CONNECTIONS, type Figures } from './load.ts'
import { type Spread, spread } from './statistics.ts'

/** The target: a minimum ratio of speed, or a maximum ratio of cost. */
export type Reach = (measurement: string, contestant: string) => number | undefined

export interface Row {
  name: string
  /** Speed or cost relative to the base in the same round. */
  ratio: Spread
  reach?: number | undefined
  requestsPerSecond: number
  p50Ms: number
  p99Ms: number
  loadBusy: number
  cpuMicroseconds: number
  memoryMb: number
}

export interface Comparison {
  name: string
  rows: Row[]
}

export type Kind = 'speed' | 'cost'

export function summarise(rounds: Rounds, base: string, kind: Kind, reach: Reach): Comparison[] {
  return [...rounds].map(([name, ofAll]) => {
    const ofBase = ofAll.get(base) ?? []
    const rows = [...ofAll].map(([contestant, own]) => ({
      name: contestant,
      ratio: spread(own.map((figures, round) => ratioOf(figures, ofBase[round], kind))),
      reach: reach(name, contestant),
      ...medians(own),
    }))
    return { name, rows: rows.sort((a, b) => Number(b.name === base) - Number(a.name === base)) }
  })
}

function ratioOf(own: Figures, base: Figures | undefined, kind: Kind): number {
  const speed = own.requestsPerSecond / (base?.requestsPerSecond ?? Number.NaN)
  return kind === 'speed' ? speed : 1 / speed
}

function medians(rounds: Round[]) {
  const median = (name: keyof Figures | 'cpuMicroseconds') =>
    spread(rounds.map((round) => round[name])).median
  return {
    requestsPerSecond: median('requestsPerSecond'),
    p50Ms: median('p50Ms'),
    p99Ms: median('p99Ms'),
    loadBusy: median('loadBusy'),
    cpuMicroseconds: median('cpuMicroseconds'),
    memoryMb: spread(rounds.map(({ memory }) => memory.nowMb ?? Number.NaN)).median,
  }
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

export function table(comparisons: Comparison[], kind: Kind): string[] {
  const titles = [
    '',
    kind,
    'min..max',
    'target',
    'requests/s',
    'p50 ms',
    'p99 ms',
    'CPU µs',
    'load busy',
    'RSS MB',
  ]
  const rows = comparisons.flatMap(({ name, rows }) => [
    [name],
    ...rows.map((row) => cellsOf(row, kind === 'speed' ? '≥' : '≤')),
  ])
  return aligned([titles, ...rows])
}

export function describeSetup({ versions, machine, rounds, seconds, connections }: Setup): string[] {
  return [
    `Medians of ${rounds} interleaved rounds of ${seconds} s; ${connections} connections.`,
    'If "load busy" is near 1, the load generator was the bottleneck.',
    `Node ${versions.node}, Fastify ${versions.fastify}, SQLite ${versions.sqlite}; ` +
      `${machine.cores} × ${machine.cpu}, ${machine.platform}.`,
  ]
}

function cellsOf({ name, ratio, reach, ...row }: Row, sign: string): string[] {
  return [
    `  ${name}`,
    fine(ratio.median),
    `${fine(ratio.least)}..${fine(ratio.most)}`,
    reach === undefined ? '' : `${sign} ${reach.toFixed(2)}`,
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
  return rows.map((row) =>
    row
      .map((text, column) =>
        column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  )
}
