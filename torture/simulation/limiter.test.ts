import { test } from 'node:test'
import { rounds, seed } from '../lab/rounds.ts'
import { seedsFrom, simulateSeeds } from './seeds.ts'

const SEEDS = rounds(200)
/** A quarter of an hour each, in which much happens. */
const LONG_SEEDS = Math.ceil(SEEDS / 200)
/** A long seed takes ten times the time of another one. */
const SHORT = SEEDS < 200

/** Seeds that once failed: every run simulates them again. */
const KEPT_SEEDS = [
  // A process that served alone, was killed and replaced: its promise was given away again.
  165, 410,
  // Redis lost its memory twice while a process was away: after the second time nobody waited for the process.
  5131,
  6,
  // The others heard of a minute that was opened alone after their own had ended: they had the limit, and again
  // when it ended.
  207357,
  // First requests of a caller that arrived after their process had settled over a new connection: charged for nobody.
  400091,
  // A request asked again until its last answer had 125 ms left: the answer came after 251 ms.
  564159,
  // Asked over a slow line, one question after the other, each in time: the answer came after 469 ms.
  8014834,
  // The simulated client waited for ever for a subscription that was lost: its process heard of no recall.
  // Later, the same seed: not too many requests, but two minutes; the first had begun with a request whose answer
  // was lost.
  779185,
  // A process reported its own minute, did not hear the answer, and went on in it: nothing was kept for that.
  243287,
]

test(`processes and a Redis with faults of ${SEEDS} seeds from ${seed}: never one over`, (t) =>
  simulateSeeds(t, {
    simulation: 'limiter',
    options: { givenUp: false },
    seeds: seedsFrom(seed, SEEDS),
  }))

test(`a process that is given up and comes back, ${LONG_SEEDS} seeds from ${seed}: never one over`, (t) =>
  simulateSeeds(t, {
    simulation: 'limiter',
    options: { givenUp: true },
    seeds: seedsFrom(seed, LONG_SEEDS),
  }))

test(`processes and a Redis with faults of the ${KEPT_SEEDS.length} seeds that once failed: never one over`, (t) =>
  simulateSeeds(t, { simulation: 'limiter', options: { givenUp: false }, seeds: KEPT_SEEDS }))

test(
  `a process that is given up and comes back, ${KEPT_SEEDS.length} seeds that once failed: never one over`,
  {
    skip: SHORT && 'in longer runs',
  },
  (t) => simulateSeeds(t, { simulation: 'limiter', options: { givenUp: true }, seeds: KEPT_SEEDS }),
)
