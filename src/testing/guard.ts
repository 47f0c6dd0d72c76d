import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

// A process beside a run of tests: `guard.ts FOLDER`. Its input ends with the run, however that ends, also by
// SIGKILL. Then it ends what the run has left behind, and removes its folder.

const PATIENCE_MS = 5_000

const folder = process.argv[2] ?? ''
process.stdin.resume().once('close', async () => {
  const since = performance.now()
  // First as a person would, so that PostgreSQL gives its shared memory back.
  for (let signal: NodeJS.Signals = 'SIGINT'; endAll(signal); await pause(20)) {
    const patience = performance.now() - since
    if (patience > 2 * PATIENCE_MS) break
    signal = patience > PATIENCE_MS ? 'SIGKILL' : 'SIGCONT'
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
})

/** @returns whether there was any */
function endAll(signal: NodeJS.Signals): boolean {
  // Elsewhere than on Linux a server is left alone; PostgreSQL soon ends by itself without its folder.
  const all = existsSync('/proc/self') ? readdirSync('/proc').map(Number).filter(isOfRun) : []
  for (const pid of all) {
    try {
      process.kill(pid, signal)
    } catch {
      // It has just ended.
    }
  }
  return all.length > 0
}

/** Servers work inside of the folder; the tests, and what they start, have their temporary files there. */
function isOfRun(pid: number): boolean {
  if (!pid || pid === process.pid) return false
  try {
    if (`${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`)) return true
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`TMPDIR=${folder}`)
  } catch {
    // It has just ended, or is another user's.
    return false
  }
}
