import { parentPort, workerData } from 'node:worker_threads'
import { changes } from './changes.ts'
import { serveWrites } from './db/serve-writes.ts'
import { nameSources } from './source-names.ts'

// The start of the writer thread, and all of it: db/writer.ts starts it and talks to it.
nameSources()
if (parentPort) serveWrites(parentPort, workerData.served, changes)
