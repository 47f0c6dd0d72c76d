import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { changes } from '../changes.ts'
import { openForCommand } from '../db/open-database.ts'
import { runCli } from '../testing/process.ts'
import { makeKey, scratchFolder } from '../testing/start-app.ts'

test('keys list without keys: says how to create one', async (t) => {
  const settings = { DATABASE_URL: `sqlite:${join(scratchFolder(t), 'test.db')}` }
  await (await openForCommand(settings.DATABASE_URL)).close()
  const { code, stdout, stderr } = await runCli(t, ['keys', 'list'], settings)
  assert.deepEqual([code, stdout], [0, 'id\tname\tplan\taccess\tcreated\tstate\n'])
  assert.equal(stderr, 'there are no keys yet; `adoptable keys create` creates one\n')
  assert.equal((await runCli(t, ['keys', 'list', '--json'], settings)).stdout, '[]\n')
})

const ADVICE = 'start the service once, or set DATABASE_URL to another one'

test('keys list, revoke and rotate without a store: print one line and create no store', async (t) => {
  const file = join(scratchFolder(t), 'data', 'test.db')
  const settings = { DATABASE_URL: `sqlite:${file}` }
  for (const args of [['list'], ['list', '--json'], ['revoke', '1'], ['rotate', '1']]) {
    const { code, stdout, stderr } = await runCli(t, ['keys', ...args], settings)
    assert.deepEqual([code, stdout], [1, ''])
    assert.equal(stderr, `adoptable: there is no store at ${file}; ${ADVICE}\n`)
  }
  assert.ok(!existsSync(dirname(file)))
})

test('keys create without a store: creates a store only with --init, and reports this on stderr', async (t) => {
  const file = join(scratchFolder(t), 'test.db')
  const settings = { DATABASE_URL: `sqlite:${file}` }
  const create = ['keys', 'create', '--name', 'a', '--plan', 'free']
  const refused = await runCli(t, create, settings)
  assert.deepEqual([refused.code, refused.stdout], [1, ''])
  assert.equal(
    refused.stderr,
    `adoptable: there is no store at ${file}; ${ADVICE}; use --init to create one there\n`,
  )
  assert.ok(!existsSync(file))
  const first = await runCli(t, [...create, '--init'], settings)
  assert.equal(first.code, 0)
  assert.match(first.stdout, /^adopt_live_\w{36}\n$/)
  const made = (id: number) => `created key ${id}, "a": plan free, access write. It is shown only once\n`
  assert.equal(first.stderr, `created the store ${file}\n${made(1)}`)
  assert.equal((await runCli(t, create, settings)).stderr, made(2))
})

test('keys create --organization: creates a key of the organization, and refuses admin access', async (t) => {
  const settings = { DATABASE_URL: `sqlite:${join(scratchFolder(t), 'test.db')}` }
  const store = await openForCommand(settings.DATABASE_URL, changes)
  await store.write(changes.insertOrganization, { code: 'CO1', name: 'Hill' }, 0)
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

test('keys create and rotate with --json: print the key and the fields of keys list', async (t) => {
  const settings = { DATABASE_URL: `sqlite:${join(scratchFolder(t), 'test.db')}` }
  await makeKey(settings.DATABASE_URL, { name: 'other' })
  const limits = ['--plan', 'enterprise', '--per-minute', '5', '--per-day', '9']
  const created = await runCli(t, ['keys', 'create', '--name', 'feed', ...limits, '--json'], settings)
  const rotated = await runCli(t, ['keys', 'rotate', '2', '--json'], settings)
  const [, listed] = JSON.parse((await runCli(t, ['keys', 'list', '--json'], settings)).stdout)
  assert.deepEqual([listed.name, listed.perMinute], ['feed', 5])
  const printedKeys = [created, rotated].map(({ code, stdout, stderr }) => {
    assert.equal(code, 0)
    assert.match(stderr, /^[^\n]*key 2, "feed"[^\n]+\n$/)
    const { key, ...shown } = JSON.parse(stdout)
    assert.deepEqual(shown, listed)
    assert.match(key, /^adopt_live_\w{36}$/)
    return key
  })
  assert.notEqual(printedKeys[0], printedKeys[1])
})
