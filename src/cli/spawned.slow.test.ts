import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { readConfig } from '../config.ts'
import { freePort } from '../testing/port.ts'
import { spawnCli } from '../testing/process.ts'
import { scratchFolder } from '../testing/start-app.ts'
import { commandsOf } from './program.ts'

// Runs each command once as a separate process, which has to end by itself, and checks each exit code.
// Everything else about commands is tested within the process of the tests.

const KEY = /adopt_live_[0-9A-Za-z]{36}/

interface Run {
  args: string[]
  code?: number
  stdout: RegExp
  stderr?: RegExp
  /** Text for the standard input. */
  stdin?: string
}

/** Runs one after another, in a folder with a file `.env` that names the store. */
const RUNS: Run[] = [
  {
    args: ['keys', 'create', '--init', '--name', 'a', '--plan', 'free'],
    stdout: /^adopt_live_[0-9A-Za-z]{36}\n$/,
    stderr:
      /^created the store \S+test\.db\ncreated key 1, "a": plan free, access write\. It is shown only once\n$/,
  },
  { args: ['sample', '--animals', '2'], stdout: /^(\{"name":.+\}\n){2}$/ },
  {
    args: ['import', '-', '--format', 'ndjson'],
    // Looking up the place starts a thread, which must end too.
    stdin: '{"name":"Rex","category":"Dog","place":{"city":"Utrecht","country":"NL"}}',
    stdout: /^added 1, updated 0, unchanged 0, refused 0 \(/,
  },
  {
    args: ['export'],
    stdout: /^\{"id":1,"name":"Rex",.+"latitude":52\.0908.+\}\n$/,
    stderr: /^exported 1 animals\n$/,
  },
  { args: ['breeds'], stdout: /^added 0 breeds and 0 colors\n$/ },
  {
    args: ['people', 'export', '--email', 'nobody@example.org'],
    stdout: /^\{\n {2}"orders": \[\],\n {2}"applications": \[\],\n {2}"animals": \[\]\n\}\n$/,
    stderr: /^no order, application or animal has this address\n$/,
  },
  {
    args: ['staff', 'list'],
    stdout: /^id\temail\t[^\n]+\n$/,
    stderr: /^there are no accounts yet; `adoptable staff add` creates one\n$/,
  },
  {
    args: ['follow', 'list'],
    stdout: /^id\turl\tstate\t[^\n]+\n$/,
    stderr: /^no installation is followed; `adoptable follow add` adds one\n$/,
  },
  { args: ['demo', '--remove'], stdout: /^removed the demo\n$/ },
  { args: ['backup', 'copy.tar'], stdout: /^copy\.tar: \d+ bytes, animals: 1, photos: 0, missing: 0\n$/ },
  {
    args: ['copy', '--from', 'sqlite:test.db', '--to', 'sqlite:other.db', '--json'],
    stdout: /^\{\n {2}"equal": true,/,
  },
  { args: ['counters', 'move'], stdout: /^rate limit counters now start from zero in the process\n$/ },
  { args: ['openapi'], stdout: /^\{\n {2}"openapi": "3\.1\.0",/ },
  { args: ['doctor'], stdout: /^✔ settings +all valid; production\n/ },
  {
    args: ['keys', 'revoke', '7'],
    code: 1,
    stdout: /^$/,
    stderr: /^adoptable: there is no valid key 7; [^\n]+\n$/,
  },
  {
    args: ['serv'],
    code: 2,
    stdout: /^$/,
    stderr: /^error: unknown command 'serv' \(Did you mean serve\?\)\n$/,
  },
]

test('each command as a process: reports its result and exits with 0, with 1 after a failure, with 2 after misuse', async (t) => {
  const folder = scratchFolder(t)
  writeFileSync(join(folder, '.env'), 'DATABASE_URL=sqlite:test.db\nPORT=0\n', { mode: 0o600 })
  for (const { args, code = 0, stdout, stderr = /^$/, stdin } of RUNS) {
    const through = stdin === undefined ? [] : ['bash', '-c', `echo '${stdin}' | "$0" "$@"`]
    const exit = await spawnCli(t, args, {}, folder, { through }).exited
    assert.equal(exit.code, code, `${args.join(' ')}: ${exit.stderr}`)
    assert.match(exit.stdout, stdout, args.join(' '))
    assert.match(exit.stderr, stderr, args.join(' '))
  }
})

test('serve with --port, --host and --database: the options override the environment; the service prints a first key', async (t) => {
  const [folder, port] = [scratchFolder(t), await freePort()]
  const file = join(folder, 'typed.db')
  const settings = { PORT: '1', HOST: 'nowhere.invalid', DATABASE_URL: `sqlite:${join(folder, 'set.db')}` }
  const typed = ['--port', String(port), '--host', '127.0.0.1', '--database', `sqlite:${file}`]
  const { child, exited, output, serving } = spawnCli(t, ['serve', ...typed], settings)
  const address = await serving
  assert.equal(address, `http://127.0.0.1:${port}`)
  assert.deepEqual([existsSync(file), existsSync(join(folder, 'set.db'))], [true, false])

  const [key = ''] = KEY.exec(output.stdout) ?? []
  const { status } = await fetch(`${address}/v1/pets`, { headers: { authorization: `Bearer ${key}` } })
  child.kill('SIGINT')
  const { code, stdout, stderr } = await exited
  assert.deepEqual([status, code], [200, 0])
  assert.ok(stdout.includes(`  curl -H 'Authorization: Bearer ${key}' ${address}/v1/pets\n`))
  assert.match(stdout, new RegExp(`^ {2}${address}/console/join/[\\w-]{43}$`, 'm'))
  assert.ok(!stderr.includes(key))
})

test('the list above has every command and every exit code', () => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const context = { settings: () => readConfig({}), environment: {}, stdin, stdout, stderr }
  const names = commandsOf(context).commands.map((command) => command.name())
  const succeeding = RUNS.filter(({ code = 0 }) => code === 0).map(({ args }) => args[0])
  assert.deepEqual([...succeeding, 'serve'].toSorted(), names.toSorted())
  assert.deepEqual([...new Set(RUNS.map(({ code = 0 }) => code))].toSorted(), [0, 1, 2])
})

test('unreadable .env: the command prints one line and exits with code 2; doctor says what to do', async (t) => {
  const folder = scratchFolder(t)
  mkdirSync(join(folder, '.env'))
  const serving = await spawnCli(t, ['serve'], {}, folder).exited
  assert.deepEqual([serving.code, serving.stdout], [2, ''])
  assert.match(serving.stderr, /^adoptable: \.env cannot be read[^\n]*\n$/)

  const { code, stdout } = await spawnCli(t, ['doctor'], {}, folder).exited
  assert.equal(code, 1)
  assert.match(stdout, /\.env\s+it cannot be read \(EISDIR\)/)
})
