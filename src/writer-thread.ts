import { parentPort, workerData } from 'node:worker_threads'
import { changes } from './changes.ts'
import { serveWrites } from './db/serve-writes.ts'

// The start of the writer thread, and all of it: db/writer.ts starts it and talks to it.
if (parentPort) serveWrites(parentPort, workerData.served, changes)
