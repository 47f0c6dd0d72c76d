import { test } from 'node:test'
import { parseArgs } from 'node:util'
import { globalSetup, globalTeardown } from '../../src/testing/setup.ts'
import { compareStreams } from './stream.ts'

// The long version of src/testing/differential.slow.test.ts; see README.md.

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '100000' }, seed: { type: 'string' } },
})
const requests = Number(values.requests)
const seed = Number(values.seed ?? Date.now() % 1e6)

if (![requests, seed].every(Number.isSafeInteger))
  throw new Error('--requests and --seed must be whole numbers')

const PROGRESS_EVERY = 5_000

await globalSetup()
await test(`${requests} random requests of seed ${seed}: the same bytes from SQLite and PostgreSQL`, async (t) => {
  const startedAt = performance.now()
  const progress = (number: number): void => {
    if (number % PROGRESS_EVERY > 0) return
    console.log(`${number} requests after ${Math.round((performance.now() - startedAt) / 1_000)} s`)
  }
  console.log('no difference; answers by kind:', await compareStreams(t, { seed, requests, progress }))
})
await globalTeardown()
