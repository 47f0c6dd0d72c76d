import { test } from 'node:test'
import { scratchFolder } from '../../src/testing/start-app.ts'
import { rounds, seed } from '../lab/rounds.ts'
import { seedsFrom, simulateSeeds } from './seeds.ts'

const SEEDS = rounds(500)

test(`orders with dying processes and lost answers, ${SEEDS} seeds: each change once or not at all`, (t) =>
  simulateSeeds(t, {
    simulation: 'orders',
    options: { folder: scratchFolder(t) },
    seeds: seedsFrom(seed, SEEDS),
  }))
