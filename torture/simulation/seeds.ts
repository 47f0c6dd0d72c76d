import assert from 'node:assert/strict'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import type { TestContext } from 'node:test'
import { Worker } from 'node:worker_threads'
import { cleanup } from '../../src/testing/cleanup.ts'
import { reportFigure } from '../lab/rounds.ts'

/** Counts of one simulation. The counts of all seeds are added; for `slowest` the maximum is used. */
export type Counts = Record<string, number>

/** Runs the simulation of a seed. @throws when the service breaks a guarantee */
export type Simulate = (seed: number) => Promise<Counts>

/** Work of one thread. */
export type Work = { seeds: number[] } & (
  | { simulation: 'limiter'; options: { abandoned: boolean } }
  | { simulation: 'orders'; options: { folder: string } }
)

/** Consecutive seeds. */
export function seedsFrom(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, number) => first + number)
}

/** Simulates seeds in one thread per processor, where node:test does not hook into every promise. */
export async function simulateSeeds(t: TestContext, work: Work): Promise<void> {
  const total: Counts = {}
  const { length } = work.seeds
  const threads = Math.min(availableParallelism(), length)
  const endings = Array.from({ length: threads }, async (_, number) => {
    const part: Work = { ...work, seeds: work.seeds.filter((_, index) => index % threads === number) }
    const worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData: part })
    cleanup(t).defer(async () => void (await worker.terminate()))
    worker.on('message', (counts: Counts) => {
      for (const [name, count] of Object.entries(counts)) {
        const before = total[name] ?? 0
        total[name] = name === 'slowest' ? Math.max(before, count) : before + count
      }
    })
    const [code] = await once(worker, 'exit')
    assert.equal(code, 0, `the thread of seed ${part.seeds[0]} ended with ${code} before its last seed`)
  })
  await Promise.all(endings)
  const { excused = 0 } = total
  assert.ok(excused <= 2 + length / 50, `the limits of ${excused} seeds were not checked`)
  reportFigure(t, JSON.stringify(total))
}
