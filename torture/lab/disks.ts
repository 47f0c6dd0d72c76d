import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { cleanup } from '../../src/testing/cleanup.ts'
import { scratchFolder } from '../../src/testing/start-app.ts'
import { needs } from './rounds.ts'

// Disks that are small, read-only, lose their power, or fail.

const IS_ROOT = process.getuid?.() === 0

/** Test options: skip a test that mounts file systems if that is not allowed or a program is missing. */
export function needsMounts(...programs: string[]): { skip: string | false } {
  if (!IS_ROOT || !existsSync('/dev/loop-control') || !succeeds('unshare', '--mount', 'true')) {
    return { skip: 'needs root that may mount; some containers do not allow it' }
  }
  return needs(...programs)
}

/** Whether a command ends with code 0. */
function succeeds(program: string, ...args: string[]): boolean {
  try {
    run(program, ...args)
    return true
  } catch {
    return false
  }
}

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
}

const mounted = new Set<string>()

/** Mounts a file system on a folder until after the test. */
function mount(t: TestContext, folder: string, ...args: string[]): void {
  mkdirSync(folder)
  run('mount', ...args, folder)
  mounted.add(folder)
  cleanup(t).defer(() => {
    mounted.delete(folder)
    // Lazily, because after a failed test a service may still use it.
    run('umount', '--lazy', folder)
  })
}

// The test runner ends a test that takes too long with SIGTERM, without its cleanup.
process.once('SIGTERM', () => {
  for (const folder of [...mounted].reverse()) succeeds('umount', '--lazy', folder)
  process.exit(1)
})

/** A disk of this size, such as 8m, with functions that fill and free it. */
export function smallDisk(t: TestContext, size: string) {
  const folder = join(scratchFolder(t), 'disk')
  mount(t, folder, '-t', 'tmpfs', '-o', `size=${size},mode=777`, 'tmpfs')
  const filler = join(folder, 'filler')
  return {
    folder,
    fill(): void {
      const descriptor = openSync(filler, 'w')
      const page = Buffer.alloc(4_096)
      try {
        for (;;) writeSync(descriptor, page)
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
      } finally {
        closeSync(descriptor)
      }
    },
    free: (): void => rmSync(filler, { force: true }),
  }
}

/** An ext4 file system that can be reset to what was on its disk at one moment. */
export interface PowerCutDisk {
  folder: string
  /** Empties the disk, which must not be in use. */
  format(): void
  /** Copies the disk's content at this moment, without what the kernel has yet to write. */
  cut(): void
  /** Restores the copy, as after a restart of the machine. The disk must not be in use. */
  restore(): void
}

export const NEEDS_POWER_CUTS = needsMounts('mkfs.ext4', 'mkfs.xfs', 'strace')

/**
 * ext4 in a file on XFS, which copies a file of any size atomically. The copy has exactly what ext4 had
 * written; data that a program has not synced stays in memory, usually for seconds. This does not simulate a
 * disk that loses its own write cache.
 */
export function powerCutDisk(t: TestContext): PowerCutDisk {
  const base = scratchFolder(t)
  const [ram, images, folder] = [join(base, 'ram'), join(base, 'images'), join(base, 'data')]
  const [image, copy] = [join(images, 'image'), join(images, 'copy')]
  mount(t, ram, '-t', 'tmpfs', '-o', 'size=1g', 'tmpfs')
  run('truncate', '--size=400M', join(ram, 'xfs'))
  run('mkfs.xfs', '-q', join(ram, 'xfs'))
  mount(t, images, '-o', 'loop', join(ram, 'xfs'))
  makeImage()
  mount(t, folder, '-o', 'loop', image)

  function makeImage(): void {
    rmSync(image, { force: true })
    run('truncate', '--size=64M', image)
    run('mkfs.ext4', '-q', '-F', image)
  }

  function exchange(prepare: () => void): void {
    run('umount', folder)
    prepare()
    run('mount', '-o', 'loop', image, folder)
  }

  return {
    folder,
    format: () => exchange(makeImage),
    cut: () => run('cp', '--reflink=always', image, copy),
    restore: () => exchange(() => run('mv', copy, image)),
  }
}

/** Uses libfiu to make disk calls of a process fail. Start the process with `settings`. */
export function failingDisk(t: TestContext) {
  const fifo = join(scratchFolder(t), 'fiu')
  const control = (pid: number | undefined, commands: string[]): void => {
    const args = commands.flatMap((command) => ['-c', command])
    run('fiu-ctrl', '-f', fifo, ...args, String(pid))
  }
  return {
    settings: {
      LD_PRELOAD: '/usr/lib/fiu/fiu_run_preload.so:/usr/lib/fiu/fiu_posix_preload.so',
      FIU_CTRL_FIFO: fifo,
    },
    /** @param points names of calls in libfiu */
    fail: (pid: number | undefined, points: string[], probability: number) =>
      control(
        pid,
        points.map((point) => `enable_random name=${point},probability=${probability}`),
      ),
    heal: (pid: number | undefined, points: string[]) =>
      control(
        pid,
        points.map((point) => `disable name=${point}`),
      ),
  }
}
