import { once } from 'node:events'
import type { DatabaseSync } from 'node:sqlite'
import { type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { ApiError, type ErrorCode, type ErrorDetail } from '../errors.ts'
import { type Changes, changeName, changes } from './change.ts'
import { isDiskFailure, isReadOnly } from './engine-errors.ts'
import { type IdempotentRequest, runOnce } from './once.ts'
import {
  openCheckpointed,
  requireInPlace,
  type ServedFile,
  scrubSqlite,
  type Writable,
} from './open-sqlite.ts'
import type { Db } from './tables.ts'
import { finishTransaction, getChange, type Writer } from './write.ts'

// The writer of SQLite, in three parts: the service's side, the messages, and the thread (serveWrites).

/** Resolves or rejects the promise of a change that was sent. */
interface Waiter {
  resolve(value: unknown): void
  reject(error: Error): void
}

const MAX_MESSAGE_JOBS = 16

/** Limits the memory, which V8 would fill with garbage. Flags on the command line take precedence. */
const WRITER_MEMORY = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 64 }

interface Listener {
  onOutcomes(outcomes: Outcome[]): void
  /** @param cause why the writer ended; undefined after `end` */
  onExit(cause: unknown): void
}

/** Runs `serveWrites` in its own thread. Most tests run it in the main thread instead. */
interface WriterHost {
  /** @throws if an argument of a change cannot be cloned */
  post(jobs: Job[]): void
  /** Resolves when all posted jobs are done and the file is closed. */
  end(): Promise<void>
}

export type StartWriter = (served: ServedFile, listener: Listener) => WriterHost

/**
 * Creates the writer of SQLite. It has its own thread, so reads never wait for the disk or a lock. Changes
 * that wait at the same time share one transaction and one sync. If one of them fails, the others still
 * succeed.
 * @param startWriter called with the first change
 * @param committed called after each commit, before the promises of its changes resolve
 */
export function fileWriter(
  startWriter: StartWriter,
  served: ServedFile,
  committed: () => void = () => undefined,
): Writer & { scrub(): Promise<void> } {
  const waiting = createSlots<Waiter>()
  const outbox = createOutbox((jobs) => {
    host ??= start()
    host.post(jobs)
  }, refuse)
  let host: WriterHost | undefined
  /** Set by `close`. */
  let onIdle: (() => void) | undefined
  /** Whether the disk or the thread has failed since the last successful write. */
  let inDoubt = false

  function start(): WriterHost {
    return startWriter(served, {
      onOutcomes(outcomes) {
        committed()
        outcomes.forEach(resolveWaiter)
        if (waiting.isEmpty()) onIdle?.()
      },
      onExit(cause) {
        // Fails the pending changes with a 503, because it is unknown whether they were committed.
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
  function ask(name: string, args: unknown[] = [], once?: IdempotentRequest): Promise<any> {
    if (onIdle) return Promise.reject(closed())
    return new Promise((resolve, reject) => {
      outbox.add({ id: waiting.put({ resolve, reject }), change: name, args, once })
    })
  }

  return {
    write: (change, ...args) => ask(changeName(change), args),
    writeOnce: (once, change, ...args) => ask(changeName(change), args, once),
    scrub: () => ask(SCRUB),
    async ready() {
      if (inDoubt) await ask(changeName(changes.probeWrite))
    },
    async close() {
      const idle = Promise.withResolvers<void>()
      onIdle = idle.resolve
      if (!waiting.isEmpty()) await idle.promise
      await host?.end()
    },
  }
}

/** A change after `close` must not start the thread again, which would keep the process alive. */
const closed = () => new ApiError('service_unavailable', { cause: new Error('the store was closed') })

/** Sends a message per turn of the event loop, or for 16 waiting jobs, so both threads work at once. */
function createOutbox(
  post: (jobs: Job[]) => void,
  refuse: (job: Job, error: Error) => void,
): { add(job: Job): void; clear(): void } {
  const jobs: Job[] = []
  function send(): void {
    if (jobs.length > 0) deliver(jobs.splice(0))
  }
  /** If an argument cannot be cloned, only that job fails. */
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
 * A table that stores values under numbers, and reuses the numbers. A Map would leak half a kilobyte per
 * change for a while, because V8 chains the tables of a Map that is rehashed again and again.
 */
function createSlots<Value>() {
  const slots: (Value | undefined)[] = []
  const free: number[] = []
  return {
    put(value: Value): number {
      const slot = free.pop() ?? slots.length
      slots[slot] = value
      return slot
    },
    take(slot: number): Value | undefined {
      const value = slots[slot]
      slots[slot] = undefined
      free.push(slot)
      return value
    },
    isEmpty: () => free.length === slots.length,
    /** Empties the table. @returns the values that were still in it */
    clear(): Value[] {
      free.length = 0
      return slots.splice(0).filter((value) => value !== undefined)
    },
  }
}

/** @param module the entry file of the thread, which must know the list of changes */
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

/** A message to the writer thread that names a change. All members must be structured-cloneable. */
interface Job {
  id: number
  change: string
  args: unknown[]
  /** Undefined for a change without an Idempotency-Key. */
  once: IdempotentRequest | undefined
}

/** The name of a job that is not a change, because the job cannot run in a transaction. */
const SCRUB = 'scrub'

type Outcome = { id: number; value: unknown } | { id: number; failure: Failure }

type Failure =
  | {
      kind: 'api'
      code: ErrorCode
      message: string
      details: ErrorDetail[] | undefined
      headers: Record<string, string>
      cause: Failure | undefined
    }
  | { kind: 'other'; message: string; stack: string | undefined; errcode: number | undefined }

/** Converts an error for another thread: structured cloning drops the class and added members. */
export function packError(error: unknown): Failure {
  if (error instanceof ApiError) {
    const { code, message, details, headers } = error
    const cause = error.cause === undefined ? undefined : packError(error.cause)
    return { kind: 'api', code, message, details, headers, cause }
  }
  const { message, stack, errcode } = error as Error & { errcode?: number }
  return { kind: 'other', message, stack, errcode }
}

export function unpackError(failure: Failure): Error {
  if (failure.kind === 'api') {
    const { code, message, details, headers, cause } = failure
    const why = cause && { cause: unpackError(cause) }
    return new ApiError(code, { message, headers, ...(details && { details }), ...why })
  }
  const error: Error & { errcode?: number } = new Error(failure.message)
  if (failure.stack) error.stack = failure.stack
  if (failure.errcode !== undefined) error.errcode = failure.errcode
  return error
}

/** The maximum number of changes in one transaction. Limits how long a change waits for the others. */
const MAX_GROUP_SIZE = 512

/** Runs the writer thread: it runs the waiting jobs in one transaction, and answers. `null` ends it. */
export function serveWrites(port: MessagePort, served: ServedFile, changes: Changes): void {
  const queue: Job[] = []
  let store: Writable | undefined
  let busy = false

  /** @returns the outcomes of `work`, or a failure for each job if the store did not open or commit */
  async function attempt(
    jobs: Job[],
    work: (open: Writable) => Promise<Outcome[]> | Outcome[],
  ): Promise<Outcome[]> {
    try {
      requireInPlace(served)
      store ??= await openCheckpointed(served.file)
      return await work(store)
    } catch (error) {
      // After a disk failure, the content of the log is unknown, so the writer opens the file again with a
      // checkpoint. A file that was read-only may also be writable then.
      if (isDiskFailure(error) || isReadOnly(error)) {
        store?.database.close()
        store = undefined
      }
      const failure = packError(error)
      return jobs.map(({ id }) => ({ id, failure }))
    }
  }

  async function runJobs(jobs: Job[]): Promise<void> {
    const scrubs = jobs.filter(({ change }) => change === SCRUB)
    const others = jobs.filter(({ change }) => change !== SCRUB)
    if (others.length > 0)
      port.postMessage(await attempt(others, (open) => commitGroup(open, changes, others)))
    for (const job of scrubs) port.postMessage(await attempt([job], (open) => [scrubbed(open, job)]))
  }

  port.on('message', async (message: Job[] | null) => {
    if (message === null) {
      store?.database.close()
      return port.close()
    }
    queue.push(...message)
    if (busy) return
    busy = true
    while (queue.length > 0) {
      for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port))
        queue.push(...next.message)
      await runJobs(queue.splice(0, MAX_GROUP_SIZE))
    }
    busy = false
  })
}

function scrubbed({ database }: Writable, { id }: Job): Outcome {
  scrubSqlite(database)
  return { id, value: undefined }
}

/** Runs jobs in one transaction. A job that throws is undone alone. If the commit fails, all jobs fail. */
async function commitGroup({ db, database }: Writable, changes: Changes, jobs: Job[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  try {
    database.exec('begin immediate')
    for (const job of jobs) outcomes.push(await runAlone(db, database, changes, job))
    const names = jobs.map(({ change }) => change)
    await finishTransaction(db, changes, names)
    database.exec('commit')
    return outcomes
  } catch (error) {
    if (database.isTransaction) database.exec('rollback')
    throw error
  }
}

async function runAlone(db: Db, database: DatabaseSync, changes: Changes, job: Job): Promise<Outcome> {
  const change = getChange(changes, job.change)
  database.exec('savepoint job')
  try {
    const run = () => change(db, ...job.args)
    const value = job.once ? await runOnce(db, job.once, run) : await run()
    database.exec('release job')
    return { id: job.id, value }
  } catch (error) {
    // A full or broken disk ends the whole transaction, which includes the jobs before this one.
    if (!database.isTransaction || isReadOnly(error)) throw error
    database.exec('rollback to job; release job')
    return { id: job.id, failure: packError(error) }
  }
}
