import { test } from 'node:test'
import { rounds, seed } from '../lab/rounds.ts'
import { seedsFrom, simulateSeeds } from './seeds.ts'

const SEEDS = rounds(200)
/** Number of seeds. Each seed simulates more than a quarter of an hour. */
const LONG_SEEDS = Math.ceil(SEEDS / 200)
/** Skips long seeds, each of which takes ten times as long as another seed. */
const SHORT = SEEDS < 200

/** Seeds that failed once. Every run simulates them again. */
const REGRESSION_SEEDS = [
  // A process served offline, was killed and replaced, and its lease was granted to other processes as well.
  165, 410,
  // Redis lost its data twice while a process was offline. The second time, no process waited for its report.
  5131, 6,
  // One process opened a minute offline. The other processes learned of it only after their own minute had
  // ended, so they served the limit twice.
  207357,
  // The first requests of a caller arrived after the process had reported over a new connection, and were not
  // charged.
  400091,
  // A request was retried when 125 ms were left, and the answer came after 251 ms.
  564159,
  // Each of several commands on a slow connection was in time, but together they took 469 ms.
  8014834,
  // The simulated client waited forever for a lost subscription, so its process received no recalls. Later,
  // the same seed opened two minutes: the first had begun with a request whose answer was lost.
  779185,
  // A process reported the minute it opened, got no answer and continued, but nothing was reserved for it.
  243287,
]

test(`limiters with faults, ${SEEDS} seeds from ${seed}: never one request too many`, (t) =>
  simulateSeeds(t, {
    simulation: 'limiter',
    options: { abandoned: false },
    seeds: seedsFrom(seed, SEEDS),
  }))

test(`an abandoned process that returns, ${LONG_SEEDS} seeds from ${seed}: never one request too many`, (t) =>
  simulateSeeds(t, {
    simulation: 'limiter',
    options: { abandoned: true },
    seeds: seedsFrom(seed, LONG_SEEDS),
  }))

test(`limiters with faults, ${REGRESSION_SEEDS.length} seeds that once failed: never one request too many`, (t) =>
  simulateSeeds(t, { simulation: 'limiter', options: { abandoned: false }, seeds: REGRESSION_SEEDS }))

test(
  `an abandoned process that returns, ${REGRESSION_SEEDS.length} seeds that once failed: never one request too many`,
  {
    skip: SHORT && 'only in longer runs',
  },
  (t) => simulateSeeds(t, { simulation: 'limiter', options: { abandoned: true }, seeds: REGRESSION_SEEDS }),
)
