import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { cleanup } from '../../src/testing/cleanup.ts'
import { scratchFolder } from '../../src/testing/start-app.ts'
import { needs } from './rounds.ts'

// Disks that are small, that may not be written, that lose their power, and that fail.

const IS_ROOT = process.getuid?.() === 0

/** A user who may write nothing that is not his own, and what begins a command line that is run by him. */
export const NOBODY = 65_534
export const AS_NOBODY = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups']
export const NEEDS_NOBODY = IS_ROOT ? needs('setpriv') : { skip: 'only root may become another user' }

/** For the options of a test that mounts file systems of its own. */
export function needsMounts(...programs: string[]): { skip: string | false } {
  if (!IS_ROOT || !existsSync('/dev/loop-control') || !may('unshare', '--mount', 'true')) {
    return { skip: 'only root may mount, and not in every container' }
  }
  return needs(...programs)
}

/** Whether a program does what it is told to. */
export function may(program: string, ...args: string[]): boolean {
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

/** Mounts something there, until after the test. */
function mount(t: TestContext, folder: string, ...args: string[]): void {
  mkdirSync(folder)
  run('mount', ...args, folder)
  mounted.add(folder)
  cleanup(t).defer(() => {
    mounted.delete(folder)
    // Lazily, since a service that a failed test leaves behind may still be there.
    run('umount', '--lazy', folder)
  })
}

// A test that takes too long is ended so, and its cleanup never comes.
process.once('SIGTERM', () => {
  for (const folder of [...mounted].reverse()) may('umount', '--lazy', folder)
  process.exit(1)
})

/** A disk with room for so much, such as 8m, and what takes all the room on it. */
export function smallDisk(t: TestContext, size: string, folder = join(scratchFolder(t), 'disk')) {
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
    grow: (size: string): void => run('mount', '-o', `remount,size=${size}`, folder),
  }
}

/** An ext4 that can be thrown back to what its disk holds at a moment. */
export interface PowerCutDisk {
  folder: string
  /** Empties it. Nobody may be using it. */
  format(): void
  /** Keeps what the disk holds at this moment: not what the kernel has yet to write. */
  cut(): void
  /** Makes that its content again, as a start of the machine does. Nobody may be using it. */
  restore(): void
}

export const NEEDS_POWER_CUTS = needsMounts('mkfs.ext4', 'mkfs.xfs', 'strace')

/**
 * ext4 in a file on XFS, which copies a file of any size in one moment. That moment is between two writes, so
 * the copy holds exactly what ext4 had written; what a program did not sync waits in memory, mostly for
 * seconds. A disk that forgets what it has already taken, before it is told to flush, is not shown.
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

/** A disk on which calls of a process fail as told, by libfiu; `settings` are for that process. */
export function failingDisk(t: TestContext) {
  const fifo = join(scratchFolder(t), 'fiu')
  const tell = (pid: number | undefined, commands: string[]): void => {
    const args = commands.flatMap((command) => ['-c', command])
    run('fiu-ctrl', '-f', fifo, ...args, String(pid))
  }
  return {
    settings: {
      LD_PRELOAD: '/usr/lib/fiu/fiu_run_preload.so:/usr/lib/fiu/fiu_posix_preload.so',
      FIU_CTRL_FIFO: fifo,
    },
    /** @param points libfiu's names of calls */
    fail: (pid: number | undefined, points: string[], probability: number) =>
      tell(
        pid,
        points.map((point) => `enable_random name=${point},probability=${probability}`),
      ),
    heal: (pid: number | undefined, points: string[]) =>
      tell(
        pid,
        points.map((point) => `disable name=${point}`),
      ),
  }
}
