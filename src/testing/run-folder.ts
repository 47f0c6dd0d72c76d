import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const GUARD = new URL('guard.ts', import.meta.url).pathname

/**
 * Makes the folder in which everything of this run lies that is temporary, also of the processes it starts.
 *
 * @returns what ends the rest of the run and removes the folder; a guard does it for a run that is killed
 */
export function openRunFolder(): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), `adoptable-run-${process.pid}-`))
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
