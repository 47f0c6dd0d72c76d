import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

// Loaded into a service before anything else. On SIGWINCH, of which the service knows nothing, it tells how late its
// event loop was at most since the last time, and begins anew.

/** Between two looks; what the histogram counts includes it. */
const RESOLUTION_MS = 2

if (isMainThread) {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  process.on('SIGWINCH', () => {
    console.log(histogram.max / 1e6 - RESOLUTION_MS)
    histogram.reset()
  })
}
