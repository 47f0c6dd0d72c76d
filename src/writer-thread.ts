import { parentPort, workerData } from 'node:worker_threads'
import { changes } from './changes.ts'
import { serveWrites } from './db/writer.ts'
import { useSourceNames } from './source-names.ts'

// Entry file of the writer thread, which db/writer.ts starts.
useSourceNames()
if (parentPort) serveWrites(parentPort, workerData.served, changes)
