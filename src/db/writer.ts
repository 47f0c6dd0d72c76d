import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { ApiError } from '../errors.ts'
import type { Once } from './once.ts'
import type { Change, Writer } from './write.ts'
import { type Job, type Outcome, unpackError } from './writer-messages.ts'

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

// biome-ignore lint/suspicious/noExplicitAny: the list holds changes of every shape; write() restores each one's own.
export type Changes = Record<string, Change<any[], any>>

/**
 * What the writer makes lives for one group, so that little is enough; V8 would let garbage grow to
 * far more.
 */
const WRITER_MEMORY = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 }

/**
 * The writer of the embedded database: a thread of its own, so that no read ever waits for a disk or a lock.
 * Changes that wait at the same moment share one transaction and one sync, and each still fails alone.
 *
 * @param thread the module the thread runs; it must know the same changes
 */
export function threadWriter(thread: URL, file: string, changes: Changes): Writer {
  const names = new Map(Object.entries(changes).map(([name, change]) => [change as unknown, name]))
  const waiting = new Map<number, Waiting>()
  let outbox: Job[] = []
  let lastId = 0
  let worker: Worker | undefined
  let onIdle: (() => void) | undefined

  function start(): Worker {
    const started = new Worker(thread, { workerData: { file }, resourceLimits: WRITER_MEMORY })
    started.on('message', (outcomes: Outcome[]) => {
      for (const outcome of outcomes) settle(outcome)
      if (waiting.size === 0) onIdle?.()
    })
    let cause: unknown
    started.on('error', (error) => {
      cause = error
    })
    started.on('exit', () => {
      // Nobody knows whether the changes under way were committed: they are answered so, and the next one
      // starts anew.
      worker = undefined
      for (const { reject } of waiting.values()) reject(new ApiError('service_unavailable', { cause }))
      waiting.clear()
      onIdle?.()
    })
    return started
  }

  function settle(outcome: Outcome): void {
    const waiter = waiting.get(outcome.id)
    waiting.delete(outcome.id)
    if ('failure' in outcome) waiter?.reject(unpackError(outcome.failure))
    else waiter?.resolve(outcome.value)
  }

  function send(): void {
    const jobs = outbox
    outbox = []
    worker ??= start()
    worker.postMessage(jobs)
  }

  // biome-ignore lint/suspicious/noExplicitAny: as in Changes
  function ask(change: Change<any[], any>, args: unknown[], once: Once | undefined): Promise<any> {
    const name = names.get(change)
    if (name === undefined) throw new Error(`the change ${change.name} is missing in the list of changes`)
    lastId += 1
    const id = lastId
    // One message a turn of the event loop, whatever arrives in it.
    if (outbox.push({ id, change: name, args, once }) === 1) setImmediate(send)
    return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }))
  }

  return {
    write: (change, ...args) => ask(change, args, undefined),
    writeOnce: (once, change, ...args) => ask(change, args, once),
    async close() {
      if (waiting.size > 0) {
        await new Promise<void>((resolve) => {
          onIdle = resolve
        })
      }
      if (!worker) return
      const ended = once(worker, 'exit')
      worker.postMessage(null)
      await ended
    },
  }
}
