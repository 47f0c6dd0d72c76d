import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { ApiError } from '../errors.ts'
import { changes, nameOf } from './change.ts'
import type { Once } from './once.ts'
import type { ServedFile } from './served-file.ts'
import { isDiskFailure } from './violation.ts'
import type { Writer } from './write.ts'
import { type Job, type Outcome, SCRUB, unpackError } from './writer-messages.ts'

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

const MAX_MESSAGE_JOBS = 16

/**
 * What the writer makes lives for one group, so that little is enough; V8 would let garbage grow to far more.
 * Its own flags, as the command has them, count before these.
 */
const WRITER_MEMORY = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 64 }

/** Hears what becomes of the changes that were sent. */
interface Listener {
  onOutcomes(outcomes: Outcome[]): void
  /** @param cause why it ended, if not because it was told to */
  onExit(cause: unknown): void
}

/** Runs `serveWrites`: in a thread of its own, or in most tests in the same thread. */
interface WriterHost {
  /** @throws when an argument of a change cannot be cloned */
  post(jobs: Job[]): void
  /** Resolves when all that was posted is done and the file is closed. */
  end(): Promise<void>
}

export type StartWriter = (served: ServedFile, listener: Listener) => WriterHost

/**
 * The writer of the embedded database: a thread of its own, so that no read ever waits for a disk or a lock.
 * Changes that wait at the same moment share one transaction and one sync, and each still fails alone.
 *
 * @param startWriter is called with the first change
 * @param committed is called when something was, before the change is answered
 */
export function fileWriter(
  startWriter: StartWriter,
  served: ServedFile,
  committed: () => void = () => undefined,
): Writer & { scrub(): Promise<void> } {
  const waiting = openPlaces<Waiting>()
  const outbox = openOutbox((jobs) => {
    host ??= start()
    host.post(jobs)
  }, refuse)
  let host: WriterHost | undefined
  /** Set by the close. */
  let onIdle: (() => void) | undefined
  /** Whether the disk or the thread failed, and nothing was written since. */
  let inDoubt = false

  function start(): WriterHost {
    return startWriter(served, {
      onOutcomes(outcomes) {
        committed()
        outcomes.forEach(resolveWaiter)
        if (waiting.isEmpty()) onIdle?.()
      },
      onExit(cause) {
        // Nobody knows whether the changes under way were committed: they are answered so.
        host = undefined
        inDoubt ||= cause !== undefined
        outbox.clear()
        for (const { reject } of waiting.clear()) reject(new ApiError('service_unavailable', { cause }))
        onIdle?.()
      },
    })
  }

  function refuse({ id }: Pick<Job, 'id'>, error: Error): void {
    inDoubt ||= isDiskFailure(error)
    waiting.take(id)?.reject(error)
    if (waiting.isEmpty()) onIdle?.()
  }

  function resolveWaiter(outcome: Outcome): void {
    if ('failure' in outcome) refuse(outcome, unpackError(outcome.failure))
    else {
      inDoubt = false
      waiting.take(outcome.id)?.resolve(outcome.value)
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: write() gives each change its own type
  function ask(name: string, args: unknown[] = [], once?: Once): Promise<any> {
    if (onIdle) return Promise.reject(closed())
    return new Promise((resolve, reject) => {
      outbox.add({ id: waiting.put({ resolve, reject }), change: name, args, once })
    })
  }

  return {
    write: (change, ...args) => ask(nameOf(change), args),
    writeOnce: (once, change, ...args) => ask(nameOf(change), args, once),
    scrub: () => ask(SCRUB),
    async ready() {
      if (inDoubt) await ask(nameOf(changes.nothing))
    },
    async close() {
      const idle = Promise.withResolvers<void>()
      onIdle = idle.resolve
      if (!waiting.isEmpty()) await idle.promise
      await host?.end()
    },
  }
}

/** To start the thread again for what goes on by itself would keep the process from ending. */
const closed = () => new ApiError('service_unavailable', { cause: new Error('the store was closed') })

/** One message a turn of the event loop; of many jobs the first go ahead: so both threads are at work. */
function openOutbox(
  post: (jobs: Job[]) => void,
  refuse: (job: Job, error: Error) => void,
): { add(job: Job): void; clear(): void } {
  const jobs: Job[] = []
  function send(): void {
    if (jobs.length > 0) deliver(jobs.splice(0))
  }
  /** An argument that no thread can be sent is a fault of ours: it fails alone, and ends no service. */
  function deliver(sent: Job[]): void {
    try {
      post(sent)
    } catch (error) {
      if (sent.length > 1) for (const job of sent) deliver([job])
      else for (const job of sent) refuse(job, error as Error)
    }
  }
  return {
    add(job) {
      const size = jobs.push(job)
      if (size === 1) setImmediate(send)
      else if (size === MAX_MESSAGE_JOBS) send()
    },
    clear() {
      jobs.length = 0
    },
  }
}

/**
 * Those who wait, each under a number that is given again once it is free. With a Map half a kilobyte of
 * each create outlives it: V8 links each of its tables to the next, and makes a new one all the time.
 */
function openPlaces<Held>() {
  const slots: (Held | undefined)[] = []
  const free: number[] = []
  return {
    put(held: Held): number {
      const slot = free.pop() ?? slots.length
      slots[slot] = held
      return slot
    },
    take(slot: number): Held | undefined {
      const held = slots[slot]
      slots[slot] = undefined
      free.push(slot)
      return held
    },
    isEmpty: () => free.length === slots.length,
    /** @returns those that it held */
    clear(): Held[] {
      free.length = 0
      return slots.splice(0).filter((held) => held !== undefined)
    },
  }
}

/** @param module what the thread runs; it knows the list of changes */
export function writerThread(module: URL): StartWriter {
  return (served, { onOutcomes, onExit }) => {
    const worker = new Worker(module, { workerData: { served }, resourceLimits: WRITER_MEMORY })
    let cause: unknown
    worker.on('message', onOutcomes)
    worker.on('error', (error) => {
      cause = error
    })
    worker.on('exit', () => onExit(cause))
    return {
      post: (jobs) => worker.postMessage(jobs),
      async end() {
        const ended = once(worker, 'exit')
        worker.postMessage(null)
        await ended
      },
    }
  }
}
