import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { changes } from '../changes.ts'
import { openForCommand } from '../db/open-database.ts'
import { runCli } from '../testing/process.ts'
import { makeKey, scratchFolder } from '../testing/start-app.ts'

const LINK = /^https:\/\/pets\.example\/console\/join\/([\w-]{43})\n$/

/** A store with a key, and a function that runs the command `staff` on it. */
async function newStore(t: TestContext) {
  const settings = {
    DATABASE_URL: `sqlite:${join(scratchFolder(t), 'test.db')}`,
    BASE_URL: 'https://pets.example/v1',
    PORT: '0',
  }
  await makeKey(settings.DATABASE_URL)
  return { settings, staff: (...args: string[]) => runCli(t, ['staff', ...args], settings) }
}

const ANA = ['--email', 'ana@shelter.example', '--name', 'Ana', '--role', 'admin']

test('staff add, list, reset and remove: manage accounts; stdout has only the link', async (t) => {
  const { staff } = await newStore(t)
  const none = await staff('list')
  assert.deepEqual(
    [none.code, none.stdout, none.stderr],
    [
      0,
      'id\temail\tname\trole\torganization\tstate\tcreated\n',
      'there are no accounts yet; `adoptable staff add` creates one\n',
    ],
  )
  const added = await staff('add', ...ANA)
  assert.match(added.stdout, LINK)
  assert.deepEqual(
    [added.code, added.stderr],
    [0, 'created account 1, role admin. The link works once, within 72 hours\n'],
  )
  assert.match((await staff('list')).stdout, /\n1\tana@shelter\.example\tAna\tadmin\t\tinvited\t\S+Z\n$/)
  const [shown] = JSON.parse((await staff('list', '--json')).stdout)
  const { createdAt, ...rest } = shown
  assert.deepEqual(rest, {
    id: 1,
    email: 'ana@shelter.example',
    name: 'Ana',
    role: 'admin',
    state: 'invited',
  })
  assert.ok(Date.parse(createdAt))

  const reset = await staff('reset', 'ANA@shelter.example')
  assert.match(reset.stdout, LINK)
  assert.notEqual(reset.stdout, added.stdout)
  assert.match(reset.stderr, /^the link for account 1 works once, [^\n]+\n$/)
  const removed = await staff('remove', 'ana@shelter.example')
  assert.deepEqual(
    [removed.code, removed.stdout],
    [0, 'removed account 1 and signed its owner out everywhere\n'],
  )
  assert.equal((await staff('list', '--json')).stdout, '[]\n')
  for (const command of ['reset', 'remove']) {
    const { code, stderr } = await staff(command, 'ana@shelter.example')
    assert.equal(code, 1)
    assert.match(stderr, /^adoptable: there is no account with the address ana@shelter\.example; [^\n]+\n$/)
  }
})

test('staff add --organization: creates an account of the organization; wrong options are reported in one line', async (t) => {
  const { settings, staff } = await newStore(t)
  const store = await openForCommand(settings.DATABASE_URL, changes)
  await store.write(changes.insertOrganization, { code: 'CO1', name: 'Hill' }, 0)
  await store.close()
  const ben = ['--email', 'ben@shelter.example', '--name', 'Ben', '--role', 'staff', '--organization']
  assert.equal((await staff('add', ...ben, 'co1')).code, 0)
  assert.match((await staff('list')).stdout, /\n1\tben@shelter\.example\tBen\tstaff\tCO1\tinvited\t/)
  const unknown = await staff('add', ...ben, 'CO9')
  assert.deepEqual(
    [unknown.code, unknown.stderr],
    [1, 'adoptable: there is no organization with the code CO9\n'],
  )
  for (const [args, message] of [
    [['add', ...ANA, '--organization', 'CO1'], /^error: --role: An admin .*\n$/],
    [['add', ...ben, 'CO1'], /^error: --email: An account with this e-mail address .*\n$/],
    [['add', ...ANA, '--email', 'ana', '--name', ''], /^error: --email: Enter .* --name: Enter .*\n$/],
    [['add', ...ANA, '--role', 'root'], /^error: option '--role <role>' argument 'root' is invalid/],
    [['add'], /^error: required option /],
    [[], /^error: staff needs a subcommand: add, list, reset, remove\n$/],
    [['ad'], /^error: unknown command 'ad' \(Did you mean add\?\)\n$/],
  ] as const) {
    const { code, stdout, stderr } = await staff(...args)
    assert.deepEqual([code, stdout], [2, ''], args.join(' '))
    assert.match(stderr, message)
  }
})

test('staff without a store: prints one line and creates no store', async (t) => {
  const settings = { DATABASE_URL: `sqlite:${join(scratchFolder(t), 'test.db')}` }
  for (const args of [['add', ...ANA], ['list'], ['reset', 'a@b.example'], ['remove', 'a@b.example']]) {
    const { code, stdout, stderr } = await runCli(t, ['staff', ...args], settings)
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /^adoptable: there is no store at [^\n]+\n$/)
  }
})
