import assert from 'node:assert/strict'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import type { Command } from 'commander'
import { readConfig, SETTINGS } from '../config.ts'
import { runCli } from '../testing/process.ts'
import { scratchFolder, startApp } from '../testing/start-app.ts'
import { commandsOf } from './program.ts'

test('serve with --port, --host or --database: errors name the option', async (t) => {
  const { port } = await startApp(t)
  const folder = scratchFolder(t)
  const settings = { PORT: '1', HOST: 'nowhere.invalid', DATABASE_URL: `sqlite:${join(folder, 'set.db')}` }
  const wrong = ['--port', 'x', '--host', 'zoö', '--database', 'mysql://x']
  const { code, stderr } = await runCli(t, ['serve', ...wrong], settings)
  assert.equal(code, 2)
  assert.match(stderr, /^adoptable: --host must [^\n]+; --port must [^\n]+; --database must [^\n]+\n$/)
  const busy = await runCli(t, ['serve', '--port', String(port)], { DATABASE_URL: `sqlite:${folder}/new.db` })
  assert.match(busy.stderr, /^adoptable: --port: port \d+ is used by .+ or set --port\n$/)
})

test('serve with an invalid HOST: prints one line that says which values are allowed', () => {
  for (const HOST of [
    'zoö.example',
    'ｌocalhost',
    '[::1]',
    'a b',
    '127.0.0',
    '256.1.1.1',
    'http://a',
    '-a',
    ' ',
  ])
    assert.throws(() => readConfig({ HOST }), /^Error: HOST must be an IP address [^\n]+$/, HOST)
  for (const HOST of ['127.0.0.1', '::', '::1', 'fe80::1%eth0', 'localhost', 'a-1.example', 'pet_shop', 'a.'])
    assert.equal(readConfig({ HOST }).host, HOST)
})

/** Every command of the program, including subcommands. */
function allCommands(): Command[] {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const context = { settings: () => readConfig({}), environment: {}, stdin, stdout, stderr }
  return commandsOf(context).commands.flatMap((command) => [command, ...command.commands])
}

test('the defaults in help texts are accepted as options and have the same effect', () => {
  let seen = 0
  for (const command of allCommands()) {
    for (const { long, defaultValue, defaultValueDescription, parseArg } of command.options) {
      if (defaultValue === undefined) continue
      seen += 1
      const shown = defaultValueDescription ?? String(defaultValue)
      assert.deepEqual(
        parseArg ? parseArg(shown, undefined as never) : shown,
        defaultValue,
        `${command.name()} ${long}`,
      )
    }
  }
  assert.ok(seen >= 4, `${seen}`)
})

test('--help of a command: lists the settings that it reads; serve lists all', async (t) => {
  const help = await runCli(t, ['serve', '--help'], {})
  for (const name of Object.keys(SETTINGS)) assert.match(help.stdout, new RegExp(`^  ${name} +\\S`, 'm'))
  for (const words of [['keys', 'list'], ['import'], ['export'], ['backup'], ['openapi'], ['doctor']]) {
    const { stdout } = await runCli(t, [...words, '--help'], {})
    assert.match(
      stdout,
      /^Settings, from the environment or a file \.env:\n {2}[A-Z_]+ +\S/m,
      words.join(' '),
    )
  }
})

test('export: prints the number of animals on stderr', async (t) => {
  const folder = scratchFolder(t)
  const settings = { DATABASE_URL: `sqlite:${join(folder, 'test.db')}` }
  await runCli(t, ['keys', 'create', '--name', 'a', '--plan', 'free', '--init'], settings)
  const file = join(folder, 'all.csv')
  assert.deepEqual(await runCli(t, ['export', file], settings), {
    code: 0,
    stdout: '',
    stderr: `exported 0 animals to ${file}\n`,
  })
  assert.equal((await runCli(t, ['export'], settings)).stderr, 'exported 0 animals\n')
})
