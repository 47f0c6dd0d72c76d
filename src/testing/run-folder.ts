import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'

const GUARD = new URL('guard.ts', import.meta.url).pathname

/** Linux keeps it in memory, where a sync takes no time. */
const IN_MEMORY = '/dev/shm'
const MIN_FREE_BYTES = 4 * 2 ** 30

/** The folder for temporary files: TMPDIR, or memory if it has room for them. */
function baseFolder(): string {
  const isFit = process.env.TMPDIR === undefined && existsSync(IN_MEMORY) && hasRoom() && runsPrograms()
  return isFit ? IN_MEMORY : tmpdir()
}

function hasRoom(): boolean {
  const { bavail, bsize } = statfsSync(IN_MEMORY)
  return Math.min(bavail * bsize, freemem()) > MIN_FREE_BYTES
}

/** Containers often mount it so that nothing in it can be executed; some tests write programs. */
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
 * Makes the folder in which everything of this run lies that is temporary, also of the processes it starts.
 *
 * @returns what ends the rest of the run and removes the folder; a guard does it for a run that is killed
 */
export function openRunFolder(): () => Promise<void> {
  const folder = mkdtempSync(join(baseFolder(), `adoptable-run-${process.pid}-`))
  // As root PostgreSQL runs as a user of its own, who has to get in.
  chmodSync(folder, 0o755)
  // In a group of its own: a Ctrl-C at the terminal is not meant for it.
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
