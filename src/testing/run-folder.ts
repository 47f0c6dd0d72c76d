import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'

const GUARD = new URL('guard.ts', import.meta.url).pathname

/** A folder in memory on Linux, where a sync takes no time. */
const IN_MEMORY = '/dev/shm'
const MIN_FREE_BYTES = 4 * 2 ** 30

/** The folder for temporary files: TMPDIR if set, otherwise memory if there is enough. */
function baseFolder(): string {
  const isFit = process.env.TMPDIR === undefined && existsSync(IN_MEMORY) && hasRoom() && runsPrograms()
  return isFit ? IN_MEMORY : tmpdir()
}

function hasRoom(): boolean {
  const { bavail, bsize } = statfsSync(IN_MEMORY)
  return Math.min(bavail * bsize, freemem()) > MIN_FREE_BYTES
}

/**
 * Whether programs in /dev/shm can run. Some tests write programs there, but containers often mount it with
 * noexec.
 */
function runsPrograms(): boolean {
  const folder = mkdtempSync(join(IN_MEMORY, 'adoptable-probe-'))
  try {
    const program = join(folder, 'program')
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 })
    return spawnSync(program).status === 0
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/**
 * Creates the folder for all temporary files of this test run and its processes.
 *
 * @returns a function that ends the remaining processes and removes the folder; if the run is killed, a guard
 *   does so
 */
export function openRunFolder(): () => Promise<void> {
  const folder = mkdtempSync(join(baseFolder(), `adoptable-run-${process.pid}-`))
  // If root runs the tests, PostgreSQL runs as another user, who must be able to enter the folder.
  chmodSync(folder, 0o755)
  // Detaches the guard, so Ctrl-C at the terminal does not end it.
  const guard = spawn(process.execPath, [GUARD, folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  const ended = once(guard, 'exit')
  process.env.TMPDIR = folder
  return async () => {
    guard.stdin.end()
    await ended
  }
}
