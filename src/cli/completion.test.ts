import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCli } from '../testing/process.ts'
import { scratchFolder } from '../testing/start-app.ts'
import { alignedLines } from './table.ts'

const BASH = spawnSync('bash', ['--version']).status === 0

/** What bash would offer for the last of the words. */
function offered(script: string, ...words: string[]): string[] {
  const asked = `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _adoptable; echo "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['-c', asked, 'bash', 'adoptable', ...words])
    .toString()
    .trim()
    .split(' ')
}

test('completion offers commands, their options, and the values that an option may have', async (t) => {
  if (!BASH) return t.skip('needs bash')
  const { code, stdout } = await runCli(t, ['completion', 'bash'], {})
  assert.equal(code, 0)

  assert.deepEqual(offered(stdout, 'ke'), ['keys'])
  assert.deepEqual(offered(stdout, 'keys', ''), ['create', 'list', 'revoke', 'rotate', '--help'])
  assert.deepEqual(offered(stdout, 'keys', 'create', '--name', 'x', '--p'), [
    '--plan',
    '--per-minute',
    '--per-day',
  ])
  assert.deepEqual(offered(stdout, 'keys', 'create', '--plan', ''), ['free', 'pro', 'business', 'enterprise'])
  assert.deepEqual(offered(stdout, 'keys', 'create', '--name', 'keys', '--ac'), ['--access'])
  assert.deepEqual(offered(stdout, 'completion', ''), ['bash', 'zsh', 'fish', '--help'])
  assert.deepEqual(offered(stdout, 'backup', 'da'), [''], 'nothing of ours: bash goes on with files')
})

test('completion of each shell names every command, and of no other shell', async (t) => {
  const [help, zsh, fish, none] = await Promise.all([
    runCli(t, ['--help'], {}),
    runCli(t, ['completion', 'zsh'], {}),
    runCli(t, ['completion', 'fish'], {}),
    runCli(t, ['completion', 'tcsh'], {}),
  ])
  const commands = [...help.stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name)
  assert.ok(commands.length >= 7)
  for (const name of commands.filter((command) => command !== 'help')) {
    assert.match(zsh.stdout, new RegExp(`\\(.*' ${name}'.*\\) at=`), name)
    assert.match(fish.stdout, new RegExp(`-n "__adoptable_at ''" -a ${name} -d '`), name)
  }
  const folder = scratchFolder(t)
  assert.match(fish.stdout, /at ' keys create'" -l plan -x -a 'free pro business enterprise' -d 'plan'\n/)
  for (const [shell, script] of [
    ['zsh', zsh.stdout],
    ['fish', fish.stdout],
  ] as const) {
    if (spawnSync(shell, ['--version']).status !== 0) continue
    // As a file: what spawnSync gives as input is a socket, which fish cannot open.
    const file = join(folder, shell)
    writeFileSync(file, script)
    assert.equal(spawnSync(shell, ['-n', file]).status, 0, `${shell} reads it`)
  }
  assert.equal(none.code, 2)
  assert.match(none.stderr, /bash, zsh, fish/)
})

test('columns are as wide as their widest cell', () => {
  assert.deepEqual(
    alignedLines([
      ['id', 'name', ''],
      ['10', 'a', 'b'],
    ]),
    ['id  name', '10  a     b'],
  )
  assert.deepEqual(alignedLines([]), [])
})
