import { test } from 'node:test'
import { parseArgs } from 'node:util'
import { globalSetup, globalTeardown } from '../../src/testing/setup.ts'
import { compareStreams } from './stream.ts'

// The long version of src/testing/differential.slow.test.ts; README.md says how it is run.

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '100000' }, seed: { type: 'string' } },
})
const requests = Number(values.requests)
const seed = Number(values.seed ?? Date.now() % 1e6)

if (![requests, seed].every(Number.isSafeInteger)) throw new Error('--requests and --seed are whole numbers')

const TOLD_EVERY = 5_000

await globalSetup()
await test(`${requests} random requests of seed ${seed} are answered with the same bytes by both engines`, async (t) => {
  const begun = performance.now()
  const progress = (number: number): void => {
    if (number % TOLD_EVERY > 0) return
    console.log(`${number} requests after ${Math.round((performance.now() - begun) / 1_000)} s`)
  }
  console.log('no difference; answers by kind:', await compareStreams(t, { seed, requests, progress }))
})
await globalTeardown()
