import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

// A process that cleans up after a test run: `guard.ts FOLDER`. Its stdin ends when the run ends, even after
// SIGKILL. The guard then ends the remaining processes of the run and removes the folder.

const PATIENCE_MS = 5_000

const folder = process.argv[2] ?? ''
process.stdin.resume().once('close', async () => {
  const since = performance.now()
  // Sends SIGINT first, so PostgreSQL releases its shared memory.
  for (let signal: NodeJS.Signals = 'SIGINT'; endAll(signal); await pause(20)) {
    const patience = performance.now() - since
    if (patience > 2 * PATIENCE_MS) break
    signal = patience > PATIENCE_MS ? 'SIGKILL' : 'SIGCONT'
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
})

/** Sends a signal to all processes of the run. @returns whether any process was left */
function endAll(signal: NodeJS.Signals): boolean {
  // Without /proc, as on macOS, the guard ends no processes. PostgreSQL ends soon after its folder is
  // removed.
  const all = existsSync('/proc/self') ? readdirSync('/proc').map(Number).filter(isOfRun) : []
  for (const pid of all) {
    try {
      process.kill(pid, signal)
    } catch {
      // The process has just ended.
    }
  }
  return all.length > 0
}

/**
 * Whether a process belongs to the run. Servers have their working directory in the folder; tests and their
 * child processes have TMPDIR in it.
 */
function isOfRun(pid: number): boolean {
  if (!pid || pid === process.pid) return false
  try {
    if (`${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`)) return true
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`TMPDIR=${folder}`)
  } catch {
    // The process has just ended, or belongs to another user.
    return false
  }
}
