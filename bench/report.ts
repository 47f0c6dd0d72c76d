import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { CONNECTIONS, type Figures } from './load.ts'
import type { Memory } from './servers.ts'

/** One measurement of both servers, right after each other, and the service's memory after it. */
export interface Pair {
  adoptable: Figures
  bare: Figures
  memory: Memory
}

export interface Measured {
  rounds: number
  seconds: number
  animals: number
  readyMs: number[]
  memoryAtStart: Memory
  memoryAtEnd: Memory
  /** By the name of the measurement, one a round. */
  pairs: Map<string, Pair[]>
}

interface Spread {
  median: number
  least: number
  most: number
}

export type Results = ReturnType<typeof summarise>

export function summarise({ readyMs, memoryAtStart, memoryAtEnd, pairs, ...setup }: Measured) {
  return {
    measuredAt: new Date().toISOString(),
    versions: versions(),
    machine: { cpu: cpus()[0]?.model ?? '', cores: cpus().length, platform: process.platform },
    ...setup,
    connections: CONNECTIONS,
    readyMs: spread(readyMs),
    memoryMb: { atStart: memoryAtStart.nowMb, peak: memoryAtEnd.peakMb },
    measurements: [...pairs].map(([name, ofOne]) => ({
      name,
      ratio: spread(ofOne.map(ratioOf)),
      adoptable: figures(ofOne.map(({ adoptable }) => adoptable)),
      bare: figures(ofOne.map(({ bare }) => bare)),
      memoryMb: spread(ofOne.map(({ memory }) => memory.nowMb ?? Number.NaN)),
      pairs: ofOne,
    })),
  }
}

function versions() {
  const fastify = new URL('../node_modules/fastify/package.json', import.meta.url)
  return {
    node: process.versions.node,
    fastify: JSON.parse(readFileSync(fastify, 'utf8')).version as string,
    sqlite: process.versions.sqlite,
  }
}

function ratioOf({ adoptable, bare }: Pair): number {
  return adoptable.requestsPerSecond / bare.requestsPerSecond
}

function figures(rounds: Figures[]) {
  const median = (name: keyof Figures) => spread(rounds.map((round) => round[name])).median
  return {
    requestsPerSecond: median('requestsPerSecond'),
    p50Ms: median('p50Ms'),
    p99Ms: median('p99Ms'),
    loadBusy: median('loadBusy'),
  }
}

/** Of an even number of values the median is the mean of the two in the middle. */
function spread(values: number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (place: number) => sorted[place] ?? Number.NaN
  const middle = (sorted.length - 1) / 2
  return {
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    least: at(0),
    most: at(sorted.length - 1),
  }
}

export function table(results: Results): string {
  const { versions, machine, rounds, seconds, connections, readyMs, memoryMb } = results
  const titles = ['', 'ratio', 'min..max', 'requests/s', 'bare', 'p50 ms', 'p99 ms', 'bare p50', 'bare p99']
  const rows = [[...titles, 'load busy', 'RSS MB'], ...results.measurements.map(rowOf)]
  return [
    ...aligned(rows),
    '',
    `Medians of ${rounds} rounds of ${seconds} s; ${connections} connections; "bare" is node:http answering the same bytes.`,
    `Resident memory: ${whole(memoryMb.atStart)} MB after the start, ${whole(memoryMb.peak)} MB at its peak.`,
    `Ready ${whole(readyMs.median)} ms after the spawn (${whole(readyMs.least)}..${whole(readyMs.most)}).`,
    `Node ${versions.node}, Fastify ${versions.fastify}, SQLite ${versions.sqlite}; ` +
      `${machine.cores} × ${machine.cpu}, ${machine.platform}.`,
  ].join('\n')
}

function rowOf({ name, ratio, adoptable, bare, memoryMb }: Results['measurements'][number]): string[] {
  return [
    name,
    ratio.median.toFixed(2),
    `${ratio.least.toFixed(2)}..${ratio.most.toFixed(2)}`,
    whole(adoptable.requestsPerSecond),
    whole(bare.requestsPerSecond),
    adoptable.p50Ms.toFixed(2),
    adoptable.p99Ms.toFixed(2),
    bare.p50Ms.toFixed(2),
    bare.p99Ms.toFixed(2),
    `${adoptable.loadBusy.toFixed(2)}/${bare.loadBusy.toFixed(2)}`,
    whole(memoryMb.median),
  ]
}

function whole(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? '-' : Math.round(value).toLocaleString('en')
}

function aligned(rows: string[][]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  return rows.map((row) =>
    row
      .map((text, column) =>
        column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0),
      )
      .join('  '),
  )
}
