import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type TestContext, test } from 'node:test'
import { cleanup } from '../testing/cleanup.ts'
import { makeKey, scratchFolder } from '../testing/start-app.ts'

/** As root, run commands as an unprivileged user, because permissions do not apply to root. */
const UNPRIVILEGED = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

function run(args: string[], cwd: string, settings: Record<string, string> = {}) {
  const env = { PATH: process.env.PATH, NODE_DISABLE_COMPILE_CACHE: '1', PORT: '0', ...settings }
  const options = { cwd, env, encoding: 'utf8', ...UNPRIVILEGED } as const
  return spawnSync(process.execPath, [resolve('bin/adoptable.js'), ...args], options)
}

/**
 * A folder that this user may enter but not write to; undefined if the user cannot run the command at all.
 */
function closedFolder(t: TestContext): string | undefined {
  const folder = scratchFolder(t)
  chmodSync(folder, 0o555)
  cleanup(t).defer(() => chmodSync(folder, 0o755))
  return run(['--version'], folder).status === 0 ? folder : undefined
}

test('serve and keys create in a read-only folder: the error names the setting', (t) => {
  const folder = closedFolder(t)
  if (folder === undefined) return t.skip('needs a program that every user may run')
  for (const args of [['serve'], ['keys', 'create', '--init', '--name', 'a', '--plan', 'free']]) {
    const { status, stdout, stderr } = run(args, folder)
    assert.deepEqual([status, stdout], [1, ''])
    assert.match(
      stderr,
      /^adoptable: DATABASE_URL: cannot open the store \(EACCES: [^\n]*'data'\); name a file [^\n]+\n$/,
    )
  }
  const { stdout } = run(['doctor'], folder)
  assert.match(stdout, /✖ store +.* is not writable\n {2}→ name a file in DATABASE_URL/)
})

test('doctor and keys list without access to the store: do not report a missing store', async (t) => {
  const folder = closedFolder(t)
  if (folder === undefined) return t.skip('needs a program that every user may run')
  chmodSync(folder, 0o755)
  const data = join(folder, 'data')
  mkdirSync(data)
  const settings = { DATABASE_URL: `sqlite:${join(data, 'test.db')}` }
  await makeKey(settings.DATABASE_URL)
  chmodSync(data, 0o000)
  cleanup(t).defer(() => chmodSync(data, 0o755))

  const doctor = run(['doctor'], folder, settings)
  assert.equal(doctor.status, 1)
  assert.match(
    doctor.stdout,
    /✖ store +\S+test\.db cannot be accessed \(EACCES\)\n {2}→ run this as the user/,
  )
  const list = run(['keys', 'list'], folder, settings)
  assert.deepEqual([list.status, list.stdout], [1, ''])
  assert.match(list.stderr, /^adoptable: DATABASE_URL: cannot open the store \(EACCES: [^\n]+\n$/)
})
