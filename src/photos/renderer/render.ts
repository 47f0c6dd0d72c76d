import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { entryOf } from '../../entry.ts'
import { ApiError } from '../../errors.ts'
import {
  type Answer,
  CHANNEL,
  hearAnswers,
  OUT_OF_MEMORY,
  type Rendered,
  type RenderTask,
  type Told,
} from './render-channel.ts'
import { type Asking, takeTurns } from './turns.ts'

/** Makes the renditions of photos, one photo at a time. A refused photo does not affect the next. */
export interface Renderer {
  /**
   * @param asking who asks; in a command it is the only one
   * @param onTurn ends it before it begins, by throwing
   * @throws {ApiError} invalid_image, service_unavailable; files may be left of it then
   */
  render(task: RenderTask, asking?: Asking, onTurn?: () => Promise<void>): Promise<Rendered>
  /** Gets ready while a photo is still on its way. */
  warm(): void
  close(): Promise<void>
}

const ALONE: Asking = { caller: '', isUpload: true }

export function openRenderer(): Renderer {
  const reading = renderProcess()
  const inTurn = takeTurns()
  let closed = false

  async function read(task: RenderTask, onTurn?: () => Promise<void>): Promise<Rendered> {
    await onTurn?.()
    // It would start a process that nobody ends.
    if (closed) throw new ApiError('service_unavailable', { cause: new Error('the service stops') })
    const answer = await reading.ask(task)
    if ('rendered' in answer) return answer.rendered
    if ('refusal' in answer) throw new ApiError('invalid_image', { message: refused(answer.refusal) })
    throw new ApiError('service_unavailable', { cause: new Error(answer.failure) })
  }

  return {
    render: (task, asking = ALONE, onTurn) => inTurn(asking, () => read(task, onTurn)),
    warm() {
      if (!closed) reading.warm()
    },
    close() {
      closed = true
      return reading.end()
    },
  }
}

function refused(why: string): string {
  return `This is no picture that can be used here. ${why}`
}

const MAX_MS = 10_000
/** So long the process is kept for the next photo. */
const IDLE_MS = 30_000
/** What it holds after a photo is added to what the next one takes: with more than this it is ended. */
const MAX_RESTING = 128 * 1_048_576

const CHILD = fileURLToPath(entryOf('render-child', import.meta.url))

/** So much of what it wrote last is told when it fails: where the library or Node.js says why. */
const MAX_LAST_WORDS = 1_024
/** How a library ends that falls over a picture. */
const FAULTS = ['SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGILL', 'SIGFPE']

interface Child {
  running: ChildProcess
  /** Both ways; absent where the process could not be started. */
  channel: Socket | null | undefined
  /** Whether it has read a photo before. */
  isUsed: boolean
  /** While it reads one. */
  hear?: ((told: Told) => void) | undefined
  /** The end of what it wrote to standard error. */
  lastWords: string
}

/** @param onNonsense hears that it writes what is no answer, or answers unasked */
function startChild(onNonsense: () => void): Child {
  const running = spawn(process.execPath, ['--max-old-space-size=64', '--expose-gc', CHILD], {
    // Nothing that this service knows: no setting is passed on, and no open file. What glibc's malloc gave
    // for the pixels of one photo goes back to the machine, and is not added to what the next one takes.
    env: { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '1048576', MALLOC_TRIM_THRESHOLD_: '1048576' },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  const channel = running.stdio?.[CHANNEL] as Socket | null | undefined
  const child: Child = { running, channel, isUsed: false, lastWords: '' }
  if (channel) hearAnswers(channel, (told) => (told && child.hear ? child.hear(told) : onNonsense()))
  running.stderr?.setEncoding('utf8').on('data', (text: string) => {
    child.lastWords = (child.lastWords + text).slice(-MAX_LAST_WORDS)
  })
  return child
}

/** The process in which pictures are read: one at a time, started when needed and ended when idle. */
function renderProcess() {
  let child: Child | undefined
  let idle: NodeJS.Timeout | undefined

  function start(): Child {
    const made: Child = startChild(() => child === made && void end())
    const forget = (): void => {
      if (child === made) child = undefined
    }
    // A process that cannot be started has no exit.
    made.running.once('exit', forget).on('error', forget)
    return made
  }

  function end(): Promise<void> {
    const ending = child?.running
    child = undefined
    clearTimeout(idle)
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return Promise.resolve()
    return new Promise((done) => {
      const gone = (): void => done()
      ending.once('exit', gone).once('error', gone).ref()
      ending.kill('SIGKILL')
    })
  }

  /** While nothing is asked of it, it does not keep this process alive. */
  function rest(resting: Child): void {
    clearTimeout(idle)
    idle = setTimeout(() => void end(), IDLE_MS).unref()
    for (const handle of handlesOf(resting)) handle.unref()
  }

  return {
    end,
    /** Starts it while a photo is still on its way. Where that fails, the photo is told. */
    warm(): void {
      if (child) return
      try {
        child = start()
        rest(child)
      } catch {
        // It is tried again for the photo.
      }
    },
    async ask(task: RenderTask): Promise<Answer> {
      clearTimeout(idle)
      const until = performance.now() + MAX_MS
      const wasUsed = child?.isUsed
      const answer = await askOnce(task, until)
      // What the photo before has left there may have been too much for this one.
      return wasUsed && 'refusal' in answer && answer.refusal === TOO_MUCH ? askOnce(task, until) : answer
    },
  }

  async function askOnce(task: RenderTask, until: number): Promise<Answer> {
    child ??= start()
    const asked = child
    for (const handle of handlesOf(asked)) handle.ref()
    const late = setTimeout(() => {
      asked.hear?.({ refusal: 'It takes too long to read.', bytes: 0 })
      void end()
    }, until - performance.now())
    const { bytes, ...answer } = await answerOf(asked, task)
    clearTimeout(late)
    if (child === asked) rest(asked)
    if (child === asked && bytes > MAX_RESTING) void end()
    return answer
  }
}

/** What a process says of a photo, or its end. */
async function answerOf(child: Child, task: RenderTask): Promise<Told> {
  const { running, channel } = child
  const { promise, resolve } = Promise.withResolvers<Told>()
  // Not exit: what it wrote last may come after that.
  const onClose = (code: number | null, signal: string | null) =>
    resolve({ ...endedWith(code, signal, child), bytes: 0 })
  const onError = (error: Error) => resolve({ failure: error.message, bytes: 0 })
  child.isUsed = true
  child.hear = resolve
  running.once('close', onClose).once('error', onError)
  channel?.write(`${JSON.stringify(task)}\n`)
  try {
    return await promise
  } finally {
    child.hear = undefined
    running.off('close', onClose).off('error', onError)
  }
}

/** What keeps this process alive for another one. */
function handlesOf({ running, channel }: Child): { ref(): void; unref(): void }[] {
  return [running, channel, running.stderr as Socket | null].filter((handle) => handle != null)
}

const TOO_MUCH = 'It takes too much memory to read.'

/** What it means that the process ended over a picture. */
function endedWith(code: number | null, signal: string | null, { lastWords }: Child): Answer {
  if (code === OUT_OF_MEMORY) return { refusal: TOO_MUCH }
  if (signal !== null && FAULTS.includes(signal)) return { refusal: 'It cannot be read.' }
  // SIGKILL is our own, or the machine has no memory left: the picture may be as sound as any.
  const said = lastWords.trim()
  return { failure: `the process that reads photos ended with ${code ?? signal}${said && `: ${said}`}` }
}
