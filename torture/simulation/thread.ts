import { parentPort, workerData } from 'node:worker_threads'
import { openLimiter } from './limiter.ts'
import { openOrders } from './run-orders.ts'
import type { Work } from './seeds.ts'

// Simulates this thread's seeds one after another.

const work: Work = workerData
const simulate = await (work.simulation === 'limiter' ? openLimiter(work.options) : openOrders(work.options))
for (const seed of work.seeds) {
  try {
    parentPort?.postMessage(await simulate(seed))
  } catch (error) {
    throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error })
  }
}
