import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { cleanup } from '../testing/cleanup.ts'
import { spawnCli } from '../testing/process.ts'
import { scratchFolder } from '../testing/start-app.ts'

const CAN_MOUNT = spawnSync('unshare', ['--mount', 'true']).status === 0

test('serve on a full disk: prints the same message for every failure; starts once there is space', {
  skip: !CAN_MOUNT && 'only root can mount a small disk',
}, async (t) => {
  const disk = join(scratchFolder(t), 'disk')
  mkdirSync(disk)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4k', 'tmpfs', disk])
  cleanup(t).defer(() => void execFileSync('umount', ['--lazy', disk]))
  const settings = { DATABASE_URL: `sqlite:${join(disk, 'pets.db')}`, PORT: '0' }
  const message = `adoptable: DATABASE_URL: the disk of ${disk} is full; free some space, then try again\n`

  for (const kibibytes of [4, 8, 16, 40, 64, 100, 160, 200]) {
    execFileSync('mount', ['-o', `remount,size=${kibibytes}k`, disk])
    const { code, stderr } = await spawnCli(t, ['serve'], settings).exited
    assert.deepEqual([code, stderr], [1, message], `${kibibytes} KiB`)
  }
  execFileSync('mount', ['-o', 'remount,size=8m', disk])
  const { child, serving, exited } = spawnCli(t, ['serve'], settings)
  await serving
  child.kill('SIGTERM')
  assert.equal((await exited).code, 0)
})
