import { parentPort, workerData } from 'node:worker_threads'
import type { Share, Simulate } from './seeds.ts'

// Takes its share of the seeds, one after the other.

const { simulation, options = {}, first, seeds, step }: Share = workerData
const { open } = await import(simulation)
const simulate: Simulate = await open(options)
for (let seed = first; seed < first + seeds; seed += step) {
  try {
    parentPort?.postMessage(await simulate(seed))
  } catch (error) {
    throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error })
  }
}
