import { join, resolve } from 'node:path'
import { adoptable, MEASUREMENTS } from './adoptable.ts'
import { compete } from './contest.ts'
import { aligned, type Comparison, describeSetup, setup, summarise, table, whole } from './report.ts'
import { addAnimals } from './requests.ts'
import { COMMAND, makeKey, memoryOf, startService } from './servers.ts'
import type { Options } from './speed.ts'
import { spread } from './statistics.ts'

// Compares this version of adoptable with another one in alternating rounds.

const HERE = 'this version'
const THERE = 'other version'

export interface Against {
  comparisons: Comparison[]
  started: { name: string; readyMs: number; startMb: number | undefined; peakMb: number | undefined }[]
  notes: string[]
}

/** @param other a folder with another version of the project and its packages */
export async function measureAgainst(other: string, options: Options, folder: string): Promise<Against> {
  const states = [
    await startState(HERE, COMMAND, join(folder, 'here.db'), options.starts),
    await startState(THERE, resolve(other, 'bin/adoptable.js'), join(folder, 'other.db'), options.starts),
  ]
  const contestants = states.map(({ contestant }) => contestant)
  const measured = await compete({ ...options, contestants, measurements: Object.keys(MEASUREMENTS) })
  const started = states.map(({ contestant: { name, pid }, readyMs, startMb }) => ({
    name,
    readyMs,
    startMb,
    peakMb: memoryOf(pid).peakMb,
  }))
  for (const { stop } of contestants) await stop()
  return {
    comparisons: summarise(measured, THERE, 'speed', () => undefined),
    started,
    notes: describeSetup(setup(options.rounds, options.seconds)),
  }
}

async function startState(name: string, command: string, file: string, starts: number) {
  const store = { databaseUrl: `sqlite:${file}` }
  const readyMs: number[] = []
  let service = await startService(store, { command })
  while (readyMs.push(service.readyMs) < starts) {
    await service.stop()
    service = await startService(store, { command })
  }
  const startMb = memoryOf(service.pid).nowMb
  const key = await makeKey(store, { command, init: false })
  await addAnimals({ port: service.port, key })
  const contestant = adoptable(name, service, key)
  return { contestant, readyMs: spread(readyMs).median, startMb }
}

export function againstReport({ comparisons, started, notes }: Against): string {
  const rows = started.map(({ name, readyMs, startMb, peakMb }) => [
    `  ${name}`,
    whole(readyMs),
    whole(startMb),
    whole(peakMb),
  ])
  return [
    ...table(comparisons, 'speed'),
    '',
    ...aligned([['', 'ready ms', 'RSS MB at start', 'at peak'], ...rows]),
    '',
    ...notes,
  ].join('\n')
}
