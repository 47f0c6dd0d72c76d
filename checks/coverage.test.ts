import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { reportFigure } from '../torture/lab/rounds.ts'

/** Files that need full coverage. */
const CORE = ['src/limits/*.ts', 'src/keys/*.ts', 'src/pets/move.ts', 'src/applications/order-changes.ts']
const TESTS = [
  ...['src/limits/*.test.ts', 'src/keys/*.test.ts', 'src/cli/cli*.test.ts', 'src/access.test.ts'],
  ...['src/contract.test.ts', 'src/start*.test.ts', 'src/orders/orders.test.ts'],
  ...['src/applications/order-changes.test.ts', 'src/applications/applications.test.ts'],
  ...['src/pets/bonds.test.ts', 'src/pets/change.test.ts', 'src/pets/move.test.ts'],
  ...['src/db/postgres*.test.ts', 'src/testing/parts/servers.ts'],
  ...['torture/simulation/limiter.test.ts', 'torture/simulation/orders.test.ts'],
  ...['torture/outages/redis-outage.test.ts'],
]

test('limits, keys and transitions: tests run every line, branch and function', (t) => {
  // With this variable the inner run would only report to the outer one.
  const { NODE_TEST_CONTEXT, ...outer } = process.env
  const env = {
    ...outer,
    TORTURE_ROUNDS: '60',
    TORTURE_SEED: '1',
    // Functions from the compile cache have no branch coverage.
    NODE_DISABLE_COMPILE_CACHE: '1',
  }
  const include = CORE.map((files) => `--test-coverage-include=${files}`)
  const exclude = ['--test-coverage-exclude=**/*.test.ts']
  const args = [
    '--test',
    '--experimental-test-coverage',
    ...include,
    ...exclude,
    '--test-reporter=tap',
    ...TESTS,
  ]
  const { stdout, status } = spawnSync(process.execPath, args, { env, encoding: 'utf8', maxBuffer: 2 ** 26 })
  const rows = [...stdout.matchAll(/^# +(?:\S+|all files) +\| +([\d.]+) \| +([\d.]+) \| +([\d.]+) \|.*$/gm)]
  // Functions are checked too: an uncalled function within a line affects neither line nor branch coverage.
  const incomplete = rows.filter(([, ...shares]) => shares.some((share) => Number(share) < 100))
  const [, lines, branches] = rows.at(-1) ?? []
  assert.ok(lines, `no coverage table: ${stdout.slice(-2_000)}`)
  reportFigure(t, `${lines} % of lines, ${branches} % of branches`)
  const failed = stdout.match(/^ *not ok .*$/gm)?.join('\n') ?? ''
  assert.deepEqual(
    incomplete.map(([row]) => row),
    [],
    failed,
  )
  assert.equal(status, 0, failed)
})
