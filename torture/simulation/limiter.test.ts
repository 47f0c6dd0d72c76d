import { test } from 'node:test'
import { rounds, seed } from '../lab/rounds.ts'
import { simulateSeeds } from './seeds.ts'

const SEEDS = rounds(200)
/** A quarter of an hour each, in which much happens. */
const LONG_SEEDS = Math.ceil(SEEDS / 200)

test(`processes and a Redis with faults of ${SEEDS} seeds from ${seed}: never one over`, (t) =>
  simulateSeeds(t, { simulation: 'limiter', options: { givenUp: false }, first: seed, seeds: SEEDS }))

test(`a process that is given up and comes back, ${LONG_SEEDS} seeds from ${seed}: never one over`, (t) =>
  simulateSeeds(t, { simulation: 'limiter', options: { givenUp: true }, first: seed, seeds: LONG_SEEDS }))
