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

// Each command once as a process of its own, which has to end by itself, and each exit code: all else that
// commands do is tested in the process of the tests.

const KEY = /adopt_live_[0-9A-Za-z]{36}/

interface Run {
  args: string[]
  code?: number
  stdout: RegExp
  stderr?: RegExp
  /** What comes in through a pipe. */
  stdin?: string
}

/** One after the other, in a folder with a file `.env` that names the store. */
const RUNS: Run[] = [
  {
    args: ['keys', 'create', '--init', '--name', 'a', '--plan', 'free'],
    stdout: /^adopt_live_[0-9A-Za-z]{36}\n$/,
    stderr:
      /^made the store \S+test\.db\nmade key 1, "a": plan free, access write\. It is shown this once\n$/,
  },
  { args: ['sample', '--animals', '2'], stdout: /^(\{"name":.+\}\n){2}$/ },
  {
    args: ['import', '-', '--format', 'ndjson'],
    // To find a place it starts what has to end too.
    stdin: '{"name":"Rex","category":"Dog","place":{"city":"Utrecht","country":"NL"}}',
    stdout: /^added 1, updated 0, unchanged 0, refused 0 \(/,
  },
  {
    args: ['export'],
    stdout: /^\{"id":1,"name":"Rex",.+"latitude":52\.0908.+\}\n$/,
    stderr: /^exported 1 animals\n$/,
  },
  { args: ['breeds'], stdout: /^added 0 names of breeds and 0 of colors\n$/ },
  {
    args: ['people', 'export', '--email', 'nobody@example.org'],
    stdout: /^\{\n {2}"orders": \[\],\n {2}"applications": \[\]\n\}\n$/,
    stderr: /^no order or application that is stored has this address\n$/,
  },
  {
    args: ['staff', 'list'],
    stdout: /^id\temail\t[^\n]+\n$/,
    stderr: /^there are no accounts yet; `adoptable staff add` makes one\n$/,
  },
  { args: ['demo', '--remove'], stdout: /^the demo is gone\n$/ },
  { args: ['backup', 'copy.tar'], stdout: /^copy\.tar: \d+ bytes, animals: 1, photos: 0, missing: 0\n$/ },
  {
    args: ['copy', '--from', 'sqlite:test.db', '--to', 'sqlite:other.db', '--json'],
    stdout: /^\{\n {2}"equal": true,/,
  },
  { args: ['counters', 'move'], stdout: /^the counters are in the process from now on, and begin anew\n$/ },
  { args: ['openapi'], stdout: /^\{\n {2}"openapi": "3\.1\.0",/ },
  { args: ['doctor'], stdout: /^✔ settings +each can be read; production\n/ },
  {
    args: ['keys', 'revoke', '7'],
    code: 1,
    stdout: /^$/,
    stderr: /^adoptable: there is no key 7 [^\n]+\n$/,
  },
  {
    args: ['serv'],
    code: 2,
    stdout: /^$/,
    stderr: /^error: unknown command 'serv' \(Did you mean serve\?\)\n$/,
  },
]

test('each command runs as a process, which says what it did and ends with 0, 1 for a failure, 2 for misuse', async (t) => {
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

test('serve takes --port, --host and --database before the environment, prints a first key, and ends with 0', async (t) => {
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
  child.kill('SIGTERM')
  const { code, stdout, stderr } = await exited
  assert.deepEqual([status, code], [200, 0])
  assert.ok(stdout.includes(`  curl -H 'Authorization: Bearer ${key}' ${address}/v1/pets\n`))
  assert.match(stdout, new RegExp(`^ {2}${address}/console/join/[\\w-]{43}$`, 'm'))
  assert.ok(!stderr.includes(key))
})

test('every command of the program is among these, and every exit code', () => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const context = { settings: () => readConfig({}), environment: {}, stdin, stdout, stderr }
  const names = commandsOf(context).commands.map((command) => command.name())
  const succeeding = RUNS.filter(({ code = 0 }) => code === 0).map(({ args }) => args[0])
  assert.deepEqual([...succeeding, 'serve'].toSorted(), names.toSorted())
  assert.deepEqual([...new Set(RUNS.map(({ code = 0 }) => code))].toSorted(), [0, 1, 2])
})

test('a .env that cannot be read is said in one line, with exit code 2; doctor says what to do', async (t) => {
  const folder = scratchFolder(t)
  mkdirSync(join(folder, '.env'))
  const serving = await spawnCli(t, ['serve'], {}, folder).exited
  assert.deepEqual([serving.code, serving.stdout], [2, ''])
  assert.match(serving.stderr, /^adoptable: \.env cannot be read[^\n]*\n$/)

  const { code, stdout } = await spawnCli(t, ['doctor'], {}, folder).exited
  assert.equal(code, 1)
  assert.match(stdout, /\.env\s+it cannot be read \(EISDIR\)/)
})
