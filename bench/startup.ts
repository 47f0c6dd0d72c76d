import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { megabytesOf } from '../torture/lab/proc.ts'
import { aligned, describeMachine, fine, setup, spread, whole } from './report.ts'
import { endWithProcess, makeKey, type Service, startService, stop, waitForEvent } from './servers.ts'
import type { Options } from './speed.ts'

// Compares the start time and memory of adoptable with a stock Fastify.

const STOCK = 'a stock Fastify'
const MAX_RATIO = 2.5
const MAX_MEMORY_MB = 120
/** Wait for the writer thread and the first jobs before memory is measured. */
const WAIT_MS = 2_000

type Start = () => Promise<Pick<Service, 'pid' | 'readyMs' | 'stop'>>

/** Each program starts once per round, one after another. */
export async function measureStartup({ rounds, seconds }: Options, folder: string) {
  const store = { databaseUrl: `sqlite:${join(folder, 'startup.db')}` }
  await makeKey(store)
  const starts: Record<string, Start> = {
    [STOCK]: startStock,
    adoptable: () => startService(store),
    'adoptable, first start': () => startService(firstStart(folder)),
  }
  for (const start of Object.values(starts)) await (await start()).stop()
  const none = (): number[] => []
  const measured = Object.keys(starts).map((name) => ({ name, readyMs: none(), memoryMb: none() }))
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, readyMs, memoryMb } of round % 2 === 0 ? measured : measured.toReversed()) {
      const service = await (starts[name] as Start)()
      readyMs.push(service.readyMs)
      await pause(WAIT_MS)
      memoryMb.push(megabytesOf(service.pid, 'now'))
      await service.stop()
    }
  }
  const stock = measured[0]?.readyMs ?? []
  const rows = measured.map(({ name, readyMs, memoryMb }) => ({
    name,
    readyMs: spread(readyMs),
    ratio: spread(readyMs.map((ms, round) => ms / (stock[round] ?? Number.NaN))),
    memoryMb: spread(memoryMb),
  }))
  return { setup: setup(rounds, seconds), rows }
}

/** A start with a new store and without a compile cache. */
function firstStart(folder: string) {
  const fresh = mkdtempSync(join(folder, 'first-'))
  return {
    databaseUrl: `sqlite:${join(fresh, 'new.db')}`,
    settings: { NODE_COMPILE_CACHE: join(fresh, 'code') },
  }
}

async function startStock() {
  const begun = performance.now()
  const program = fileURLToPath(new URL('stock.js', import.meta.url))
  const child = endWithProcess(spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'ignore'] }))
  const port = await waitForEvent(child, createInterface({ input: child.stdout }), 'line')
  const { status } = await fetch(`http://127.0.0.1:${port}/`)
  if (status !== 200) throw new Error(`the stock Fastify answers with ${status}`)
  return { pid: child.pid, readyMs: performance.now() - begun, stop: () => stop(child) }
}

export function startupReport({ rows, setup: own }: Awaited<ReturnType<typeof measureStartup>>): string {
  const cells = rows.map(({ name, readyMs, ratio, memoryMb }) => [
    `  ${name}`,
    whole(readyMs.median),
    `${whole(readyMs.least)}..${whole(readyMs.most)}`,
    fine(ratio.median),
    `${fine(ratio.least)}..${fine(ratio.most)}`,
    whole(memoryMb.median),
  ])
  return [
    ...aligned([['', 'ready ms', 'min..max', 'ratio', 'min..max', 'RSS MB'], ...cells]),
    '',
    `Ratio to ${STOCK}, started in the same round: target ≤ ${MAX_RATIO}. Memory after ${WAIT_MS / 1_000} s: ` +
      `target ≤ ${MAX_MEMORY_MB} MB. Medians of ${own.rounds} rounds.`,
    describeMachine(own),
  ].join('\n')
}
