import { test } from 'node:test'
import { reportFigure, rounds, seed } from '../lab/rounds.ts'
import { compareStreams } from './stream.ts'

// The long version of src/testing/differential.slow.test.ts; see README.md.

const REQUESTS = rounds(100_000)

test(`${REQUESTS} random requests of seed ${seed}: the same bytes from SQLite and PostgreSQL`, async (t) => {
  const kinds = await compareStreams(t, { seed, requests: REQUESTS })
  reportFigure(t, `no difference in ${REQUESTS} answers of ${Object.keys(kinds).length} kinds`)
})
