import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { cleanup } from '../src/testing/cleanup.ts'
import { scratchFolder } from '../src/testing/start-app.ts'
import { needs, reached } from './given.ts'
import { copyTo, pack, run } from './supply-chain-packages.ts'

/** Points that systemd gives for each freedom that a service has and may not need; 10 is all of them. */
const MOST_EXPOSED = 1.5

test('the package, installed as a command, serves without a build', async (t) => {
  const [source, prefix, place] = [scratchFolder(t), scratchFolder(t), scratchFolder(t)]
  copyTo(source)
  const tarball = pack(source)
  run('npm', ['install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', tarball], place)
  const command = join(prefix, 'bin', 'adoptable')
  // The Node that runs this, whichever is installed beside it.
  const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, PORT: '0' }

  const child = spawn(command, ['serve'], { cwd: place, env, stdio: ['ignore', 'pipe', 'ignore'] })
  cleanup(t).defer(async () => {
    child.kill('SIGTERM')
    await once(child, 'exit')
  })
  let greeting = ''
  for await (const line of createInterface({ input: child.stdout })) {
    greeting += `${line}\n`
    if (line.includes('curl')) break
  }
  const [, address = ''] = /serves (http:\S+)\/v1,/.exec(greeting) ?? []
  const [key = ''] = /adopt_live_\w+/.exec(greeting) ?? []
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'Rex', categoryId: 1 })
  const created = await fetch(`${address}/v1/pets`, { method: 'POST', headers, body })
  assert.deepEqual([created.status, await created.json()], [201, { id: 1, name: 'Rex', categoryId: 1 }])
  assert.equal((await fetch(`${address}/docs`)).status, 200)
  assert.equal((await fetch(`${address}/readyz`)).status, 200)
  reached(t, `${Math.round(readFileSync(tarball).length / 1_024)} KiB`)
})

test(
  'the unit of systemd is valid, and leaves the service little that it does not need',
  needs('systemd-analyze'),
  (t) => {
    const unit = join(scratchFolder(t), 'adoptable.service')
    // The command need not be installed here.
    writeFileSync(
      unit,
      readFileSync('deploy/adoptable.service', 'utf8').replace('/usr/local/bin/adoptable', '/bin/true'),
    )
    assert.equal(run('systemd-analyze', ['verify', unit]), '')
    const told = run('systemd-analyze', ['security', '--offline=true', '--no-pager', unit])
    const exposed = Number(/Overall exposure level for \S+ ([\d.]+)/.exec(told)?.[1])
    reached(t, `exposure ${exposed} of 10`)
    assert.ok(exposed <= MOST_EXPOSED, told)
  },
)
