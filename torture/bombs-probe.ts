import { writeFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

// Loaded into the service before anything else. On SIGWINCH, of which the service knows nothing, it writes, to the
// file that BOMBS_PROBE names, what the main thread did since the last time, and begins anew.

/** Of the main thread alone, in milliseconds: what other processes and threads do does not count. */
function busyMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

let before = busyMs()
let longestMs = 0
let mostBytes = 0

setInterval(() => {
  const now = busyMs()
  longestMs = Math.max(longestMs, now - before)
  before = now
  mostBytes = Math.max(mostBytes, process.memoryUsage.rss())
}, 1).unref()

let reports = 0
process.on('SIGWINCH', () => {
  reports += 1
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  const told = { reports, longestMs, mostBytes, keptBytes: heapUsed + external }
  writeFileSync(process.env.BOMBS_PROBE ?? '', JSON.stringify(told))
  before = busyMs()
  longestMs = 0
  mostBytes = 0
})
