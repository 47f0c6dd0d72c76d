import { isMainThread } from 'node:worker_threads'

// Preloaded into a service, which then tells on SIGWINCH how many bytes it really holds, on a line of stderr.

if (isMainThread) {
  process.on('SIGWINCH', () => {
    globalThis.gc?.()
    const { heapUsed, external } = process.memoryUsage()
    process.stderr.write(`holds ${heapUsed + external} bytes\n`)
  })
}
