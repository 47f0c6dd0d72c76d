import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { spawnCli } from '../src/testing/process.ts'
import { scratchFolder } from '../src/testing/start-app.ts'
import { needs, reached } from '../torture/lab/rounds.ts'
import { client } from '../torture/lab/service.ts'
import { copyTo, pack, run } from './supply-chain-packages.ts'

/** Points that systemd gives for each freedom that a service has and may not need; 10 is all of them. */
const MAX_EXPOSED = 1.5

test('the package, installed as a command, serves without a build', async (t) => {
  const [source, prefix, place] = [scratchFolder(t), scratchFolder(t), scratchFolder(t)]
  copyTo(source)
  const tarball = pack(source)
  run('npm', ['install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', tarball], place)
  // As a shell runs it, with the Node that runs this, whichever is installed beside it.
  const path = `${dirname(process.execPath)}:${process.env.PATH}`
  const through = ['sh', '-c', `exec "${join(prefix, 'bin', 'adoptable')}" "$2"`]
  const { serving, output, child, exited } = spawnCli(t, ['serve'], { PATH: path, PORT: '0' }, place, {
    through,
  })
  const address = await serving
  const [key = ''] = /adopt_live_\w+/.exec(output.stdout) ?? []
  const ask = client(t, address, key)
  const created = await ask('/v1/pets', { body: { name: 'Rex', categoryId: 1 } })
  assert.deepEqual([created.status, created.body], [201, { id: 1, name: 'Rex', categoryId: 1 }])
  for (const path of ['/docs', '/readyz']) assert.equal((await ask(path)).status, 200)
  child.kill('SIGTERM')
  await exited
  reached(t, `${Math.round(readFileSync(tarball).length / 1_024)} KiB`)
})

const UNIT = 'the unit of systemd is valid, and leaves the service little that it does not need'
test(UNIT, needs('systemd-analyze'), (t) => {
  const unit = join(scratchFolder(t), 'adoptable.service')
  // The command need not be installed here.
  const text = readFileSync('deploy/adoptable.service', 'utf8')
  writeFileSync(unit, text.replace('/usr/local/bin/adoptable', '/bin/true'))
  assert.equal(run('systemd-analyze', ['verify', unit]), '')
  const told = run('systemd-analyze', ['security', '--offline=true', '--no-pager', unit])
  const exposed = Number(/Overall exposure level for \S+ ([\d.]+)/.exec(told)?.[1])
  reached(t, `exposure ${exposed} of 10`)
  assert.ok(exposed <= MAX_EXPOSED, told)
})
