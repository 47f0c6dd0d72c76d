import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Counter, Histogram, Registry } from 'prom-client'
import { counter, histogram } from './tally.ts'

const BUCKETS = [0.001, 0.5, 5]
const LABELS = { name: 'a_total', help: 'How many', labelNames: ['operation', 'plan'] }
const TIMES = { name: 'b_seconds', help: 'How long', labelNames: ['operation'], buckets: BUCKETS }

const step = fc.record({
  operation: fc.constantFrom('listPets', 'getPet'),
  plan: fc.constantFrom('free', 'none'),
  seconds: fc.oneof(fc.constantFrom(0, ...BUCKETS, 9), fc.double({ min: 0, max: 10, noNaN: true })),
  scraped: fc.boolean(),
})

test('what is tallied reads as what prom-client itself would have counted, whenever it is read', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const [ours, theirs] = [new Registry(), new Registry()]
      const [count, observe] = [counter(ours, LABELS), histogram(ours, TIMES)]
      const counted = new Counter({ ...LABELS, registers: [theirs] })
      const observed = new Histogram({ ...TIMES, registers: [theirs] })
      for (const { operation, plan, seconds, scraped } of steps) {
        count(operation, plan).count += 1
        observe(operation).observe(seconds)
        counted.inc({ operation, plan })
        observed.observe({ operation }, seconds)
        if (scraped) await ours.metrics()
      }
      assert.equal(await ours.metrics(), await theirs.metrics())
    }),
    { numRuns: 100 },
  )
})
