import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { scratchFolder } from '../testing/start-app.ts'

const ROUNDS = 40
const OPENERS = 4

/** A thread that opens each file at the same moment as the others, and closes it when all have opened it. */
const OPENER = `
  import { parentPort, workerData } from 'node:worker_threads'
  const { openFile } = await import(workerData.module)
  const arrived = new Int32Array(workerData.arrived)
  const meet = (at, count) => {
    Atomics.add(arrived, at, 1)
    while (Atomics.load(arrived, at) < count);
  }
  for (const [round, file] of workerData.files.entries()) {
    meet(2 * round, workerData.openers)
    const database = openFile(file, 'write')
    const mode = database.prepare('pragma journal_mode').get().journal_mode
    meet(2 * round + 1, workerData.openers)
    database.close()
    parentPort.postMessage(mode)
  }
`

test(`${OPENERS} threads switch a new file to WAL at once, and all succeed`, async (t) => {
  const folder = scratchFolder(t)
  const files = Array.from({ length: ROUNDS }, (_, round) => join(folder, `${round}.db`))
  const arrived = new SharedArrayBuffer(2 * ROUNDS * Int32Array.BYTES_PER_ELEMENT)
  const module = new URL('./sqlite.ts', import.meta.url).href
  const code = new URL(`data:text/javascript,${encodeURIComponent(OPENER)}`)
  const modes: string[] = []
  const threads = Array.from({ length: OPENERS }, () => {
    const thread = new Worker(code, { workerData: { module, arrived, files, openers: OPENERS } })
    return thread.on('message', (mode) => modes.push(mode))
  })
  t.after(() => Promise.all(threads.map((thread) => thread.terminate())))

  await Promise.all(threads.map((thread) => once(thread, 'exit')))

  assert.deepEqual(modes, Array(ROUNDS * OPENERS).fill('wal'))
})
