import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { changes } from '../changes.ts'
import { openForCommand } from '../db/open-database.ts'
import { bareEnvironment, runCli } from '../testing/process.ts'
import { makeKey, scratchFolder } from '../testing/start-app.ts'

/** A terminal that nobody sits at, where the system has a program for that. */
const PROGRAM = 'script'
const TERMINAL = spawnSync(PROGRAM, ['--version']).status === 0

/** What a person would see. */
function onTerminal(args: string, settings: Record<string, string>): string {
  const command = `'${process.execPath}' bin/adoptable.js ${args}`
  const env = { ...bareEnvironment(), TERM: 'xterm', ...settings }
  return spawnSync(PROGRAM, ['-qec', command, '/dev/null'], { env }).stdout.toString().replaceAll('\r', '')
}

test('keys list and doctor show columns and colours to a person, and plain lines to a program', async (t) => {
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

test('keys list of a store without keys says how to make one', async (t) => {
  const settings = { DATABASE_URL: `sqlite:${join(scratchFolder(t), 'test.db')}` }
  await (await openForCommand(settings.DATABASE_URL)).close()
  const { code, stdout, stderr } = await runCli(t, ['keys', 'list'], settings)
  assert.deepEqual([code, stdout], [0, 'id\tname\tplan\taccess\tcreated\tstate\n'])
  assert.equal(stderr, 'there are no keys yet; `adoptable keys create` makes one\n')
  assert.equal((await runCli(t, ['keys', 'list', '--json'], settings)).stdout, '[]\n')
})

const NO_FULL = !existsSync('/dev/full') && 'there is no /dev/full here'

test('a key that could not be printed is told of, by its number', { skip: NO_FULL }, async (t) => {
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
      /^adoptable: a secret of key 2 was made, and nobody has seen it: revoke or rotate it\. .+\n$/,
    )
  }
})

const ADVICE = 'start the service once, or set DATABASE_URL to another one'

test('keys list, revoke and rotate without a store say so in one line, and make none', async (t) => {
  const file = join(scratchFolder(t), 'data', 'test.db')
  const settings = { DATABASE_URL: `sqlite:${file}` }
  for (const args of [['list'], ['list', '--json'], ['revoke', '1'], ['rotate', '1']]) {
    const { code, stdout, stderr } = await runCli(t, ['keys', ...args], settings)
    assert.deepEqual([code, stdout], [1, ''])
    assert.equal(stderr, `adoptable: there is no store at ${file}; ${ADVICE}\n`)
  }
  assert.ok(!existsSync(dirname(file)))
})

test('keys create makes a store where there is none with --init alone, and says so beside the key', async (t) => {
  const file = join(scratchFolder(t), 'test.db')
  const settings = { DATABASE_URL: `sqlite:${file}` }
  const create = ['keys', 'create', '--name', 'a', '--plan', 'free']
  const refused = await runCli(t, create, settings)
  assert.deepEqual([refused.code, refused.stdout], [1, ''])
  assert.equal(refused.stderr, `adoptable: there is no store at ${file}; ${ADVICE}; --init makes one there\n`)
  assert.ok(!existsSync(file))
  const first = await runCli(t, [...create, '--init'], settings)
  assert.equal(first.code, 0)
  assert.match(first.stdout, /^adopt_live_\w{36}\n$/)
  const made = (id: number) => `made key ${id}, "a": plan free, access write. It is shown this once\n`
  assert.equal(first.stderr, `made the store ${file}\n${made(1)}`)
  assert.equal((await runCli(t, create, settings)).stderr, made(2))
})

test('keys create --organization makes a key of one, which admin access does not go with', async (t) => {
  const settings = { DATABASE_URL: `sqlite:${join(scratchFolder(t), 'test.db')}` }
  const store = await openForCommand(settings.DATABASE_URL, changes)
  await store.write('insertOrganization', { code: 'CO1', name: 'Hill' }, 0)
  await store.close()
  const create = ['keys', 'create', '--name', 'a', '--plan', 'free', '--organization']

  const made = await runCli(t, [...create, 'co1', '--json'], settings)

  assert.equal(JSON.parse(made.stdout).organization, 'CO1')
  const { stdout } = await runCli(t, ['keys', 'list'], settings)
  assert.match(
    stdout,
    /^id\tname\tplan\taccess\tcreated\tstate\torganization\n1\ta\tfree\twrite\t.*\tvalid\tCO1\n$/,
  )
  const unknown = await runCli(t, [...create, 'CO9'], settings)
  assert.deepEqual(
    [unknown.code, unknown.stderr],
    [1, 'adoptable: there is no organization with the code CO9\n'],
  )
  const admin = await runCli(t, [...create, 'CO1', '--access', 'admin'], settings)
  assert.deepEqual([admin.code, admin.stdout], [2, ''])
})

test('keys create and rotate with --json print the key with what keys list shows of it', async (t) => {
  const settings = { DATABASE_URL: `sqlite:${join(scratchFolder(t), 'test.db')}` }
  await makeKey(settings.DATABASE_URL, { name: 'other' })
  const limits = ['--plan', 'enterprise', '--per-minute', '5', '--per-day', '9']
  const created = await runCli(t, ['keys', 'create', '--name', 'feed', ...limits, '--json'], settings)
  const rotated = await runCli(t, ['keys', 'rotate', '2', '--json'], settings)
  const [, listed] = JSON.parse((await runCli(t, ['keys', 'list', '--json'], settings)).stdout)
  assert.deepEqual([listed.name, listed.perMinute], ['feed', 5])
  const told = [created, rotated].map(({ code, stdout, stderr }) => {
    assert.equal(code, 0)
    assert.match(stderr, /^[^\n]*key 2, "feed"[^\n]+\n$/)
    const { key, ...shown } = JSON.parse(stdout)
    assert.deepEqual(shown, listed)
    assert.match(key, /^adopt_live_\w{36}$/)
    return key
  })
  assert.notEqual(told[0], told[1])
})
