import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { scratchFolder } from './start-app.ts'

test('a run with a test that fails ends with 1, one without ends with 0', (t) => {
  const file = join(scratchFolder(t), 'sample.test.mjs')
  // Without its mark a run inside of a run would only report to the outer one.
  const { NODE_TEST_CONTEXT, ...env } = process.env
  for (const [body, code] of [
    ['throw new Error()', 1],
    ['', 0],
  ] as const) {
    writeFileSync(file, `import { test } from 'node:test'\ntest('sample', () => { ${body} })`)
    const args = ['--test', '--test-global-setup=src/testing/setup.ts', file]
    assert.equal(spawnSync(process.execPath, args, { env }).status, code)
  }
})
