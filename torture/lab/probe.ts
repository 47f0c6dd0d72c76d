import { writeSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

// Preloaded into a process. On SIGWINCH, which the service does not use, it writes a line to stderr with what
// the main thread did since the previous SIGWINCH.

/** Processor time of the main thread in milliseconds, without other threads and processes. */
function busyMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

function listen(): void {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  let [before, longestMs, maxBytes] = [busyMs(), 0, 0]
  setInterval(() => {
    const now = busyMs()
    longestMs = Math.max(longestMs, now - before)
    before = now
    maxBytes = Math.max(maxBytes, process.memoryUsage.rss())
  }, 1).unref()
  process.on('SIGWINCH', () => {
    collectGarbage()
    const { heapUsed, external } = process.memoryUsage()
    writeSync(2, `probe ${JSON.stringify({ longestMs, maxBytes, retainedBytes: heapUsed + external })}\n`)
    ;[before, longestMs, maxBytes] = [busyMs(), 0, 0]
  })
}

if (isMainThread) listen()
