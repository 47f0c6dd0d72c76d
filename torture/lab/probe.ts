import { writeSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

// Loaded into a process before anything else. On SIGWINCH, of which the service knows nothing, it tells on a line of
// stderr what the main thread did since the last time, and begins anew.

/** Of the main thread alone, in milliseconds: what other processes and threads do does not count. */
function busyMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

function listen(): void {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  let [before, longestMs, mostBytes] = [busyMs(), 0, 0]
  setInterval(() => {
    const now = busyMs()
    longestMs = Math.max(longestMs, now - before)
    before = now
    mostBytes = Math.max(mostBytes, process.memoryUsage.rss())
  }, 1).unref()
  process.on('SIGWINCH', () => {
    collectGarbage()
    const { heapUsed, external } = process.memoryUsage()
    writeSync(2, `probe ${JSON.stringify({ longestMs, mostBytes, keptBytes: heapUsed + external })}\n`)
    ;[before, longestMs, mostBytes] = [busyMs(), 0, 0]
  })
}

if (isMainThread) listen()
