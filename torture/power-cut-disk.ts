import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { cleanup } from '../src/testing/cleanup.ts'
import { scratchFolder } from '../src/testing/start-app.ts'
import { needs } from './given.ts'

/** For the options of a test that mounts file systems of its own. */
export function needsMounts(...programs: string[]): { skip: string | false } {
  if (process.getuid?.() !== 0 || !existsSync('/dev/loop-control') || !may('unshare', '--mount', 'true')) {
    return { skip: 'only root may mount, and not in every container' }
  }
  return needs(...programs)
}

function may(program: string, ...args: string[]): boolean {
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
export function mount(t: TestContext, folder: string, ...args: string[]): void {
  mkdirSync(folder)
  run('mount', ...args, folder)
  mounted.add(folder)
  cleanup(t).defer(() => unmount(folder))
}

/** Lazily, since a service that a failed test leaves behind may still be there. */
function unmount(folder: string): void {
  mounted.delete(folder)
  run('umount', '--lazy', folder)
}

// A test that takes too long is ended so, and its cleanup never comes.
process.once('SIGTERM', () => {
  for (const folder of [...mounted].reverse()) may('umount', '--lazy', folder)
  process.exit(1)
})

/** An ext4 that can be thrown back to what its disk holds at a moment. */
export interface Disk {
  folder: string
  /** Empties it. Nobody may be using it. */
  format(): void
  /** Keeps what the disk holds at this moment: not what the kernel has yet to write. */
  cut(): void
  /** Makes that its content again, as a start of the machine does. Nobody may be using it. */
  restore(): void
}

/**
 * ext4 in a file on XFS, which copies a file of any size in one moment. That moment is between two writes, so
 * the copy holds exactly what ext4 had written; what a program did not sync waits in memory, mostly for
 * seconds. A disk that forgets what it has already taken, before it is told to flush, is not shown.
 */
export function makeDisk(t: TestContext): Disk {
  const base = scratchFolder(t)
  const [ram, images, folder] = ['ram', 'images', 'data'].map((name) => join(base, name)) as [
    string,
    string,
    string,
  ]
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
