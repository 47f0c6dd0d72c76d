import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { spawnCli } from '../testing/process.ts'
import { scratchFolder } from '../testing/start-app.ts'

const KEY = /adopt_live_[0-9A-Za-z]{36}/

test('serve: the first start prints an admin key on stdout, not in the log; later starts print only the address', async (t) => {
  const settings = { DATABASE_URL: `sqlite:${join(scratchFolder(t), 'data', 'test.db')}`, PORT: '0' }
  const first = spawnCli(t, ['serve'], settings)
  const address = await first.serving
  const key = KEY.exec(first.output.stdout)?.[0] ?? ''
  assert.ok(first.output.stdout.includes(`  curl -H 'Authorization: Bearer ${key}' ${address}/v1/pets\n`))
  first.child.kill('SIGTERM')
  const ended = await first.exited
  assert.equal(ended.code, 0)
  assert.ok(!ended.stderr.includes(key))

  const later = spawnCli(t, ['serve'], settings)
  await later.serving
  const known = await fetch(`${await later.serving}/v1/pets`, { headers: { authorization: `Bearer ${key}` } })
  later.child.kill('SIGINT')
  const { stdout, code } = await later.exited

  assert.equal(known.status, 200)
  assert.match(stdout, /^adoptable serves http:\/\/127\.0\.0\.1:\d+\/v1; its reference is at \S+\/docs\n$/)
  assert.equal(code, 0)
})
