import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { bareEnvironment, runCli, spawnCli } from '../testing/process.ts'
import { until } from '../testing/redis.ts'
import { scratchFolder } from '../testing/start-app.ts'

const KEY = /adopt_live_[0-9A-Za-z]{36}/

test('serve on a store made by keys create: prints one admin key, and only once', async (t) => {
  const settings = { DATABASE_URL: `sqlite:${join(scratchFolder(t), 'test.db')}`, PORT: '0' }
  await runCli(t, ['keys', 'create', '--name', 'a', '--plan', 'free', '--init'], settings)
  const greetingOf = async () => {
    const { child, serving, exited } = spawnCli(t, ['serve'], settings)
    await serving
    child.kill('SIGTERM')
    return (await exited).stdout
  }
  assert.match(await greetingOf(), KEY)
  assert.equal((await runCli(t, ['keys', 'revoke', '2'], settings)).code, 0)
  assert.doesNotMatch(await greetingOf(), KEY)
})

test('commands piped into head treat the closed pipe as no error', async (t) => {
  const settings = { DATABASE_URL: `sqlite:${join(scratchFolder(t), 'test.db')}` }
  const env = { ...bareEnvironment(), ...settings }
  await runCli(t, ['keys', 'create', '--name', 'a', '--plan', 'free', '--init'], settings)
  for (const words of [
    '--help',
    'export --help',
    'sample --animals 100000',
    'openapi',
    'keys list',
    'keys list --json',
    'export',
    'doctor',
  ]) {
    // The reading end of the pipe is closed before the command prints anything.
    const pipe = `set -o pipefail; { sleep 0.05; exec '${process.execPath}' bin/adoptable.js ${words}; } | true`
    const { status, stderr } = spawnSync('bash', ['-c', pipe], { env })
    assert.doesNotMatch(String(stderr), /EPIPE|stdout|Error/, words)
    if (words !== 'doctor') assert.equal(status, 0, `${words}: ${stderr}`)
  }
})

test('serve keeps running when its greeting is not read', async (t) => {
  const settings = { DATABASE_URL: `sqlite:${join(scratchFolder(t), 'test.db')}`, PORT: '0' }
  const { child, output, exited } = spawnCli(t, ['serve'], settings)
  child.stdout?.destroy()
  const addressInLog = () => /Server listening at (http:[\w.:/]+)/.exec(output.stderr)?.[1]
  await Promise.race([until(() => addressInLog() !== undefined), exited])
  assert.equal((await fetch(`${addressInLog()}/livez`)).status, 200)
  child.kill('SIGTERM')
  const { code, stderr } = await exited
  assert.equal(code, 0)
  assert.doesNotMatch(stderr, /EPIPE/)
})
