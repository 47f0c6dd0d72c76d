import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

// Preloaded into a service. On SIGWINCH, which the service does not use, it prints the longest delay of the event
// loop since the previous SIGWINCH.

/** Sampling interval of the histogram. Each measured delay includes one interval. */
const RESOLUTION_MS = 2

if (isMainThread) {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  process.on('SIGWINCH', () => {
    console.log(histogram.max / 1e6 - RESOLUTION_MS)
    histogram.reset()
  })
}
