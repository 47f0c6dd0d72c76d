import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCli } from '../testing/process.ts'
import { scratchFolder } from '../testing/start-app.ts'
import { alignedLines } from './terminal.ts'

const [BASH, ZSH] = ['bash', 'zsh'].map((shell) => spawnSync(shell, ['--version']).status === 0)
const FISH = 'fish'

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

test('completion offers files in bash where a command takes one, and its options once one is begun', async (t) => {
  if (!BASH) return t.skip('needs bash')
  const { stdout } = await runCli(t, ['completion', 'bash'], {})
  for (const command of ['import', 'export', 'backup'])
    assert.deepEqual(offered(stdout, command, ''), [''], 'nothing of ours: bash goes on with files')
  assert.deepEqual(offered(stdout, 'import', '--f'), ['--format', '--from'])
  assert.deepEqual(offered(stdout, 'import', 'a.csv', '--dry'), ['--dry-run'])
  assert.deepEqual(offered(stdout, 'keys', 'revoke', ''), ['--help'])
})

/** What the script hands to zsh for the last of the words; only a shell that somebody types in would show it. */
const ZSH_ASKS = `
  compdef() {}
  compadd() { shift; print -r -- $* }
  _files() { print -r -- files }
  source $1
  words=("\${@[2,-1]}") CURRENT=$(($# - 1)) PREFIX=$argv[-1]
  _adoptable`

test('completion offers files in zsh where a command takes one, and only there', async (t) => {
  if (!ZSH) return t.skip('needs zsh')
  const script = join(scratchFolder(t), 'script')
  writeFileSync(script, (await runCli(t, ['completion', 'zsh'], {})).stdout)
  const asked = (...words: string[]) =>
    execFileSync('zsh', ['-fc', ZSH_ASKS, 'zsh', script, 'adoptable', ...words])
      .toString()
      .trim()
  for (const command of ['import', 'export', 'backup']) assert.equal(asked(command, ''), 'files', command)
  assert.match(asked('import', '--f'), /^--format --from .*--help$/)
  assert.equal(asked('import', '--rejects', ''), 'files')
  assert.equal(asked('keys', ''), 'create list revoke rotate --help')
  assert.equal(asked('keys', 'revoke', ''), '--help')
  assert.equal(asked('completion', ''), 'bash zsh fish --help')
})

test('completion offers files in fish where a command takes one, and only there', async (t) => {
  if (spawnSync(FISH, ['--version']).status !== 0) return t.skip('needs fish')
  const folder = scratchFolder(t)
  writeFileSync(join(folder, 'animals.csv'), '')
  writeFileSync(join(folder, 'script'), (await runCli(t, ['completion', 'fish'], {})).stdout)
  const offers = (line: string) =>
    execFileSync(FISH, ['--no-config', '-c', `source ./script; complete -C '${line}'`], { cwd: folder })
      .toString()
      .trim()
      .split('\n')
      .map((offer) => offer.split('\t')[0])
  for (const command of ['import', 'export', 'backup'])
    assert.ok(offers(`adoptable ${command} `).includes('animals.csv'), command)
  assert.deepEqual(offers('adoptable keys '), ['create', 'list', 'revoke', 'rotate'])
  assert.deepEqual(offers('adoptable completion '), ['bash', 'fish', 'zsh'])
  assert.deepEqual(offers('adoptable keys revoke '), [''])
})

test('completion --help has the line for each shell', async (t) => {
  const { stdout } = await runCli(t, ['completion', '--help'], {})
  for (const line of ['source <(adoptable completion bash)', 'source <(adoptable completion zsh)'])
    assert.ok(stdout.includes(line))
  assert.match(stdout, /adoptable completion fish \| source/)
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
