import { parentPort, workerData } from 'node:worker_threads'
import { openLimiter } from './limiter.ts'
import { openOrders } from './orders.ts'
import type { Share } from './seeds.ts'

// Takes its share of the seeds, one after the other.

const share: Share = workerData
const simulate = await (share.simulation === 'limiter'
  ? openLimiter(share.options)
  : openOrders(share.options))
for (const seed of share.seeds) {
  try {
    parentPort?.postMessage(await simulate(seed))
  } catch (error) {
    throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error })
  }
}
