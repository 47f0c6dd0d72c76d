import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { spawnCli } from '../src/testing/process.ts'
import { scratchFolder } from '../src/testing/start-app.ts'
import { needs, reportFigure } from '../torture/lab/rounds.ts'
import { createClient } from '../torture/lab/service.ts'
import { copyTo, pack, run } from './supply-chain-packages.ts'

/** Highest exposure level in systemd's analysis, which goes from 0 to 10. */
const MAX_EXPOSED = 1.5

test('the installed package serves without a build', async (t) => {
  const [source, prefix, place] = [scratchFolder(t), scratchFolder(t), scratchFolder(t)]
  copyTo(source)
  const tarball = pack(source)
  run('npm', ['install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', tarball], place)
  // Runs the command through a shell with this process's Node.
  const path = `${dirname(process.execPath)}:${process.env.PATH}`
  const through = ['sh', '-c', `exec "${join(prefix, 'bin', 'adoptable')}" "$2"`]
  const { serving, output, child, exited } = spawnCli(t, ['serve'], { PATH: path, PORT: '0' }, place, {
    through,
  })
  const address = await serving
  const [key = ''] = /adopt_live_\w+/.exec(output.stdout) ?? []
  const ask = createClient(t, address, key)
  const created = await ask('/v1/pets', { body: { name: 'Rex', categoryId: 1 } })
  assert.deepEqual([created.status, created.body], [201, { id: 1, name: 'Rex', categoryId: 1 }])
  for (const path of ['/docs', '/readyz']) assert.equal((await ask(path)).status, 200)
  child.kill('SIGTERM')
  await exited
  reportFigure(t, `${Math.round(readFileSync(tarball).length / 1_024)} KiB`)
})

const UNIT = 'the systemd unit is valid and has a low exposure level'
test(UNIT, needs('systemd-analyze'), (t) => {
  const unit = join(scratchFolder(t), 'adoptable.service')
  // The command is not installed on this machine.
  const text = readFileSync('deploy/adoptable.service', 'utf8')
  writeFileSync(unit, text.replace('/usr/local/bin/adoptable', '/bin/true'))
  assert.equal(run('systemd-analyze', ['verify', unit]), '')
  const report = run('systemd-analyze', ['security', '--offline=true', '--no-pager', unit])
  const exposed = Number(/Overall exposure level for \S+ ([\d.]+)/.exec(report)?.[1])
  reportFigure(t, `exposure ${exposed} of 10`)
  assert.ok(exposed <= MAX_EXPOSED, report)
})
