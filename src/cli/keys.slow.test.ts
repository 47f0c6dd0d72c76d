import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { bareEnvironment, runCli } from '../testing/process.ts'
import { makeKey, scratchFolder } from '../testing/start-app.ts'

/** The program that emulates a terminal, if it is installed. */
const PROGRAM = 'script'
const TERMINAL = spawnSync(PROGRAM, ['--version']).status === 0

/** Returns the output of a command on a terminal. */
function onTerminal(args: string, settings: Record<string, string>): string {
  const command = `'${process.execPath}' bin/adoptable.js ${args}`
  const env = { ...bareEnvironment(), TERM: 'xterm', ...settings }
  return spawnSync(PROGRAM, ['-qec', command, '/dev/null'], { env }).stdout.toString().replaceAll('\r', '')
}

const NO_FULL = !existsSync('/dev/full') && 'there is no /dev/full here'

test('keys list and doctor: columns and colors on a terminal, plain lines in a pipe', async (t) => {
  if (!TERMINAL) return t.skip('needs script')
  const settings = { DATABASE_URL: `sqlite:${join(scratchFolder(t), 'test.db')}`, PORT: '0' }
  await makeKey(settings.DATABASE_URL, { name: 'a long name', plan: 'free' })
  await makeKey(settings.DATABASE_URL, { name: 'b' })

  const [head = '', ...lines] = onTerminal('keys list', settings).trim().split('\n')
  assert.equal(head, '\u001b[1mid  name         plan      access  created                   state\u001b[22m')
  assert.deepEqual(lines, [
    '1   a long name  free      write   1970-01-01T00:00:00.000Z  valid',
    '2   b            business  write   1970-01-01T00:00:00.000Z  valid',
  ])
  assert.ok(onTerminal('doctor', settings).startsWith('\u001b[32m✔\u001b[39m settings '))
  const plain = { ...settings, NO_COLOR: '1' }
  assert.ok(!(onTerminal('doctor', plain) + onTerminal('keys list', plain)).includes('\u001b'))

  const { stdout } = await runCli(t, ['keys', 'list'], { ...settings, FORCE_COLOR: '' })
  assert.deepEqual(stdout.split('\n').slice(0, 2), [
    'id\tname\tplan\taccess\tcreated\tstate',
    '1\ta long name\tfree\twrite\t1970-01-01T00:00:00.000Z\tvalid',
  ])
})

test('keys create that cannot print the key: reports its id', { skip: NO_FULL }, async (t) => {
  const settings = { DATABASE_URL: `sqlite:${join(scratchFolder(t), 'test.db')}` }
  await makeKey(settings.DATABASE_URL)
  const full = openSync('/dev/full', 'w')
  t.after(() => closeSync(full))
  const env = { ...bareEnvironment(), ...settings }
  for (const args of [
    ['create', '--name', 'b', '--plan', 'free'],
    ['rotate', '2'],
  ]) {
    const command = ['bin/adoptable.js', 'keys', ...args]
    const { status, stderr } = spawnSync(process.execPath, command, { env, stdio: ['ignore', full, 'pipe'] })
    assert.equal(status, 1)
    assert.match(
      String(stderr),
      /^adoptable: a secret of key 2 was created but could not be shown: revoke or rotate the key\. .+\n$/,
    )
  }
})
