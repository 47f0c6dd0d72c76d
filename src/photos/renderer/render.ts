import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { ApiError } from '../../errors.ts'
import { entryOf } from '../../source-names.ts'
import { fairQueue, type RenderClient, type RenderSteps } from './fair-queue.ts'
import {
  CHANNEL,
  listenForAnswers,
  OUT_OF_MEMORY,
  OUT_OF_TIME,
  type RenderAnswer,
  type RenderedSize,
  type RenderReport,
  type RenderTask,
} from './render-channel.ts'

/** Makes the renditions of photos in a separate process, one photo at a time. */
export interface Renderer {
  /**
   * @param client absent in a command
   * @throws {ApiError} invalid_image, service_unavailable; also the errors of `fairQueue`. After an error,
   * some files may exist.
   */
  render(task: RenderTask, client?: RenderClient, steps?: RenderSteps): Promise<RenderedSize>
  /** Starts the process early, while a photo is still being received. */
  warm(): void
  close(): Promise<void>
}

const COMMAND_CLIENT: RenderClient = { party: { caller: '' }, isUpload: true }

export function openRenderer(): Renderer {
  const worker = openRenderProcess()
  const enqueue = fairQueue()
  let closed = false

  async function read(task: RenderTask): Promise<RenderedSize> {
    // No code would end a process that starts after `close`.
    if (closed) throw new ApiError('service_unavailable', { cause: new Error('the service stops') })
    const answer = await worker.render(task)
    if ('rendered' in answer) return answer.rendered
    if ('refusal' in answer) throw new ApiError('invalid_image', { message: refusalMessage(answer.refusal) })
    throw new ApiError('service_unavailable', { cause: new Error(answer.failure) })
  }

  return {
    render: (task, client = COMMAND_CLIENT, steps) => enqueue(client, () => read(task), steps),
    warm() {
      if (!closed) worker.warm()
    },
    close() {
      closed = true
      return worker.end()
    },
  }
}

function refusalMessage(reason: string): string {
  return `This picture cannot be used. ${reason}`
}

/** The maximum time for a photo. The process limits its processor time, so only a stuck one takes longer. */
const RENDER_TIMEOUT_MS = 30_000
/** The process ends after this time without a photo. */
const IDLE_MS = 30_000
/** The process may keep this much memory after a photo. With more, the next photo could run out of memory. */
const MAX_IDLE_BYTES = 128 * 1_048_576

const CHILD = fileURLToPath(entryOf('render-child', import.meta.url))

/** When the process fails, the log gets this many characters of its standard error. */
const MAX_STDERR_CHARACTERS = 1_024
/** The signals that end the process when the library crashes on a picture. */
const CRASH_SIGNALS = ['SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGILL', 'SIGFPE']

interface Child {
  running: ChildProcess
  /** Absent if the process could not be started. */
  channel: Socket | null | undefined
  /** True after the first photo of the process. */
  isUsed: boolean
  /** Receives the answer. Present while the process reads a photo. */
  onReport?: ((report: RenderReport) => void) | undefined
  /** The end of standard error. */
  stderrEnd: string
}

/** @param onInvalid is called for an invalid or unexpected answer */
function startChild(onInvalid: () => void): Child {
  const running = spawn(process.execPath, ['--max-old-space-size=64', '--expose-gc', CHILD], {
    // The process gets no settings and no open files of the service. With these values, the malloc of glibc
    // returns the pixels of a photo to the system before the next photo.
    env: { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '1048576', MALLOC_TRIM_THRESHOLD_: '1048576' },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  const channel = running.stdio?.[CHANNEL] as Socket | null | undefined
  const child: Child = { running, channel, isUsed: false, stderrEnd: '' }
  if (channel)
    listenForAnswers(channel, (report) => (report && child.onReport ? child.onReport(report) : onInvalid()))
  running.stderr?.setEncoding('utf8').on('data', (text: string) => {
    child.stderrEnd = (child.stderrEnd + text).slice(-MAX_STDERR_CHARACTERS)
  })
  return child
}

/** Runs the process that reads pictures. Starts it when needed, and ends it when idle. */
function openRenderProcess() {
  let child: Child | undefined
  let idle: NodeJS.Timeout | undefined

  function start(): Child {
    const started: Child = startChild(() => child === started && void end())
    const forget = (): void => {
      if (child === started) child = undefined
    }
    // A process that cannot be started emits `error` and no `exit`.
    started.running.once('exit', forget).on('error', forget)
    return started
  }

  function end(): Promise<void> {
    const ending = child?.running
    child = undefined
    clearTimeout(idle)
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return Promise.resolve()
    return new Promise((done) => {
      const finish = (): void => done()
      ending.once('exit', finish).once('error', finish).ref()
      ending.kill('SIGKILL')
    })
  }

  /** An idle process does not keep the service alive. */
  function letIdle(idleChild: Child): void {
    clearTimeout(idle)
    idle = setTimeout(() => void end(), IDLE_MS).unref()
    for (const handle of handlesOf(idleChild)) handle.unref()
  }

  return {
    end,
    /** Starts the process early. If that fails, the first photo tries again and reports the error. */
    warm(): void {
      if (child) return
      try {
        child = start()
        letIdle(child)
      } catch {
        // Ignores the error. The first `render` starts the process again and reports the error.
      }
    },
    async render(task: RenderTask): Promise<RenderAnswer> {
      clearTimeout(idle)
      const until = performance.now() + RENDER_TIMEOUT_MS
      const wasUsed = child?.isUsed
      const answer = await renderOnce(task, until)
      // The previous photo may have left too little memory for this photo.
      return wasUsed && 'refusal' in answer && answer.refusal === TOO_MUCH_MEMORY
        ? renderOnce(task, until)
        : answer
    },
  }

  async function renderOnce(task: RenderTask, until: number): Promise<RenderAnswer> {
    child ??= start()
    const current = child
    for (const handle of handlesOf(current)) handle.ref()
    const timeout = setTimeout(() => {
      current.onReport?.({ failure: `no photo within ${RENDER_TIMEOUT_MS} ms`, bytes: 0 })
      void end()
    }, until - performance.now())
    const { bytes, ...answer } = await waitForAnswer(current, task)
    clearTimeout(timeout)
    if (child === current) letIdle(current)
    if (child === current && bytes > MAX_IDLE_BYTES) void end()
    return answer
  }
}

/** Waits until the process answers or ends. */
async function waitForAnswer(child: Child, task: RenderTask): Promise<RenderReport> {
  const { running, channel } = child
  const { promise, resolve } = Promise.withResolvers<RenderReport>()
  // Listens to `close` instead of `exit`, because output may still arrive after `exit`.
  const onClose = (code: number | null, signal: string | null) =>
    resolve({ ...interpretExit(code, signal, child), bytes: 0 })
  const onError = (error: Error) => resolve({ failure: error.message, bytes: 0 })
  child.isUsed = true
  child.onReport = resolve
  running.once('close', onClose).once('error', onError)
  channel?.write(`${JSON.stringify(task)}\n`)
  try {
    return await promise
  } finally {
    child.onReport = undefined
    running.off('close', onClose).off('error', onError)
  }
}

/** The handles that keep the service alive while the process runs. */
function handlesOf({ running, channel }: Child): { ref(): void; unref(): void }[] {
  return [running, channel, running.stderr as Socket | null].filter((handle) => handle != null)
}

const TOO_MUCH_MEMORY = 'Reading it takes too much memory.'

/** Interprets the end of the process while it read a picture. */
function interpretExit(code: number | null, signal: string | null, { stderrEnd }: Child): RenderAnswer {
  if (code === OUT_OF_MEMORY) return { refusal: TOO_MUCH_MEMORY }
  if (code === OUT_OF_TIME) return { refusal: 'Reading it takes too long.' }
  if (signal !== null && CRASH_SIGNALS.includes(signal)) return { refusal: 'It cannot be read.' }
  // The service sends SIGKILL, or the system does when it has no memory left. The picture may be fine.
  const output = stderrEnd.trim()
  return { failure: `the process that reads photos ended with ${code ?? signal}${output && `: ${output}`}` }
}
