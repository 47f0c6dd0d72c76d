import assert from 'node:assert/strict'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import type { TestContext } from 'node:test'
import { Worker } from 'node:worker_threads'
import { cleanup } from '../../src/testing/cleanup.ts'
import { reached } from '../lab/rounds.ts'

/** What a simulation has shown under one seed; of `slowest` only the highest is of interest. */
export type Counts = Record<string, number>

/** Simulates what follows from a seed, and judges it. Throws what is not as promised. */
export type Simulate = (seed: number) => Promise<Counts>

/** What a thread is to do. */
export type Share = { seeds: number[] } & (
  | { simulation: 'limiter'; options: { givenUp: boolean } }
  | { simulation: 'orders'; options: { folder: string } }
)

/** So many seeds, one after the other. */
export function seedsFrom(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, number) => first + number)
}

/** Simulates seeds in a thread for each processor, away also from what node:test attaches to every promise. */
export async function simulateSeeds(t: TestContext, all: Share): Promise<void> {
  const total: Counts = {}
  const { length } = all.seeds
  const threads = Math.min(availableParallelism(), length)
  const ending = Array.from({ length: threads }, async (_, number) => {
    const share: Share = { ...all, seeds: all.seeds.filter((_, place) => place % threads === number) }
    const worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData: share })
    cleanup(t).defer(async () => void (await worker.terminate()))
    worker.on('message', (counts: Counts) => {
      for (const [name, count] of Object.entries(counts)) {
        const before = total[name] ?? 0
        total[name] = name === 'slowest' ? Math.max(before, count) : before + count
      }
    })
    const [code] = await once(worker, 'exit')
    assert.equal(code, 0, `the thread of seed ${share.seeds[0]} ended with ${code} before its last seed`)
  })
  await Promise.all(ending)
  const { excused = 0 } = total
  assert.ok(excused <= 2 + length / 50, `the limits of ${excused} seeds were not judged`)
  reached(t, JSON.stringify(total))
}
