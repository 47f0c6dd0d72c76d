import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { reportFigure } from '../torture/lab/rounds.ts'

const STRYKER = 'checks/tools/node_modules/@stryker-mutator/core/bin/stryker.js'
const MIN_PERCENT = 95

interface Report {
  files: Record<
    string,
    { mutants: { status: string; mutatorName: string; location: { start: { line: number } } }[] }
  >
}

test(`mutations of the rules: at least ${MIN_PERCENT} % make a test fail`, {
  skip: !existsSync(STRYKER) && 'not installed: npm ci --prefix checks/tools',
}, (t) => {
  // With this variable the inner tests would report to this test, not to Stryker.
  const { NODE_TEST_CONTEXT, ...env } = process.env
  const args = [STRYKER, 'run', 'checks/tools/stryker.config.json']
  const { status, stdout } = spawnSync(process.execPath, args, { env, encoding: 'utf8', maxBuffer: 2 ** 26 })
  assert.equal(status, 0, stdout)
  const { files } = JSON.parse(readFileSync('checks/tools/reports/mutation.json', 'utf8')) as Report
  const counts = { noticed: 0, missed: 0 }
  const missed: string[] = []
  for (const [file, { mutants }] of Object.entries(files)) {
    for (const { status: end, mutatorName, location } of mutants) {
      if (end === 'Killed' || end === 'Timeout') counts.noticed += 1
      else if (end === 'Survived' || end === 'NoCoverage') {
        counts.missed += 1
        missed.push(`${file}:${location.start.line} ${mutatorName} (${end})`)
      }
    }
  }
  const percent = (100 * counts.noticed) / (counts.noticed + counts.missed)
  reportFigure(t, `${percent.toFixed(1)} % of ${counts.noticed + counts.missed} noticed`)
  assert.ok(percent >= MIN_PERCENT, `${percent.toFixed(1)} %; not noticed:\n${missed.join('\n')}`)
})
