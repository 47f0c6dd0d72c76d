import { type Row, runRows } from './lab/run-rows.ts'

/** All rows. README.md says what each row verifies. */
const ROWS: Row[] = [
  // The longest rows come first, so no row runs alone at the end of the short version.
  { files: ['contract/contract-fuzz'], rounds: [20_000, 1_000_000, 10_000_000], minutes: 25 },
  { name: 'simulate-limiter', files: ['simulation/limiter'], rounds: [40, 2_000, 100_000], minutes: 40 },
  { files: ['secrets/secrets'], rounds: [40, 2_000, 10_000] },
  { files: ['durability/kill9'], rounds: [4, 1_000, 10_000], minutes: 40 },
  { files: ['durability/power-cut'], rounds: [2, 200, 2_000], minutes: 20 },
  { files: ['durability/io-errors'], rounds: [1, 30, 200] },
  { files: ['durability/disk-full'], rounds: [2, 100, 1_000], minutes: 15 },
  { files: ['durability/corrupt'], rounds: [3, 300, 3_000] },
  { files: ['durability/backup'], rounds: [3, 100, 1_000], minutes: 30 },
  { files: ['upgrade/upgrade'], rounds: [1, 100, 1_200], minutes: 60 },
  { name: 'simulate-orders', files: ['simulation/orders'], rounds: [60, 5_000, 100_000], minutes: 30 },
  { files: ['limits/exact'], rounds: [10, 1_000, 5_000], minutes: 20 },
  { files: ['contract/differential'], rounds: [1_000, 100_000, 1_000_000], long: true, minutes: 60 },
  { files: ['contract/errors-everywhere'] },
  {
    files: ['limits/flood', 'limits/flood-pipelines'],
    rounds: [1, 50, 1_000],
    minutes: 30,
    alone: true,
  },
  { files: ['limits/greedy'], rounds: [6, 100, 1_000], minutes: 20 },
  { files: ['outages/redis-outage'], long: true, alone: true },
  { files: ['outages/postgres-crash'], rounds: [5, 100, 1_000], alone: true },
  { files: ['outages/ambiguous'], rounds: [150, 10_000, 50_000] },
  { files: ['outages/partition'], rounds: [1, 40, 400], alone: true },
  { files: ['lifecycle/stop'], rounds: [2, 100, 1_000], long: true, minutes: 60 },
  { files: ['photos/photos'], rounds: [2, 40, 400], alone: true },
  { files: ['photos/photos-killed'], rounds: [4, 200, 1_000], minutes: 20 },
  { files: ['search/search-killed'], rounds: [2, 200, 1_000], minutes: 60 },
  { files: ['search/search-differential'], rounds: [200, 72_000, 1_000_000], long: true, minutes: 60 },
  { files: ['events/events'], rounds: [3, 100, 1_000], minutes: 30 },
  { files: ['events/mirror'], rounds: [3, 100, 1_000], minutes: 30 },
  { files: ['wire/slow-clients'], rounds: [20, 1_000, 4_000], alone: true },
  { files: ['wire/leaks'], rounds: [20, 2_000, 4_000], minutes: 20, alone: true },
  { files: ['wire/shapes'], rounds: [200, 10_000, 10_000], minutes: 30, alone: true },
  { files: ['wire/raw-fuzz'], rounds: [500, 50_000, 500_000], minutes: 30 },
]

// npm run torture; see README.md.

await runRows('torture', ROWS)
