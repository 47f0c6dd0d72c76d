import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Form } from './sizes.ts'

/** A picture in a file, and the files to make of it. */
export interface RenderTask {
  source: string
  forms: { form: Form; file: string }[]
}

/** Of the largest form, in pixels. */
export interface Rendered {
  width: number
  height: number
}

/** The picture is at fault, or the service. */
export type Answer = { rendered: Rendered } | { refusal: string } | { failure: string }

/** With this code the process ends itself over a picture that takes more memory than there is for it. */
export const OUT_OF_MEMORY = 77

const MOST_MS = 10_000
/** So long the process is kept for the next photo. */
const IDLE_MS = 30_000

const CHILD = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './render-child.ts' : './render-child.js', import.meta.url),
)

/** So much of what it wrote last is told when it fails: where the library or Node.js says why. */
const MOST_LAST_WORDS = 1_024
/** How a library ends that falls over a picture. */
const FAULTS = ['SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGILL', 'SIGFPE']

interface Child {
  running: ChildProcess
  /** The end of what it wrote to standard error. */
  lastWords: string
}

function forkChild(): Child {
  const running = fork(CHILD, {
    // Nothing that this service knows: no setting is passed on, and no open file. What glibc's malloc gave
    // for the pixels of one photo goes back to the machine, and is not added to what the next one takes.
    env: { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '1048576', MALLOC_TRIM_THRESHOLD_: '1048576' },
    execArgv: ['--max-old-space-size=64'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const child: Child = { running, lastWords: '' }
  running.stderr?.setEncoding('utf8').on('data', (text: string) => {
    child.lastWords = (child.lastWords + text).slice(-MOST_LAST_WORDS)
  })
  return child
}

/** The process in which pictures are read: one at a time, started when needed and ended when idle. */
export function renderProcess() {
  let child: Child | undefined
  let idle: NodeJS.Timeout | undefined

  function start(): Child {
    const made = forkChild()
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
      child ??= start()
      const asked = child
      for (const handle of handlesOf(asked)) handle.ref()
      const { promise, resolve } = Promise.withResolvers<Answer>()
      const late = setTimeout(() => {
        resolve({ refusal: 'It takes too long to read.' })
        void end()
      }, MOST_MS)
      // Not exit: what it wrote last may come after that.
      const onClose = (code: number | null, signal: string | null) => resolve(endedWith(code, signal, asked))
      const onError = (error: Error) => resolve({ failure: error.message })
      asked.running.once('message', resolve).once('close', onClose).once('error', onError)
      asked.running.send(task, (error) => error && !isEnding(asked) && resolve({ failure: error.message }))
      try {
        return await promise
      } finally {
        clearTimeout(late)
        asked.running.off('message', resolve).off('close', onClose).off('error', onError)
        rest(asked)
      }
    },
  }
}

/** What keeps this process alive for another one. */
function handlesOf({ running }: Child): { ref(): void; unref(): void }[] {
  return [running, running.channel, running.stderr as Socket | null].filter((handle) => handle != null)
}

/** Whether it was started and will tell how it ended. */
const isEnding = ({ running }: Child): boolean => running.pid !== undefined

/** What it means that the process ended over a picture. */
function endedWith(code: number | null, signal: string | null, { lastWords }: Child): Answer {
  if (code === OUT_OF_MEMORY) return { refusal: 'It takes too much memory to read.' }
  if (signal !== null && FAULTS.includes(signal)) return { refusal: 'It cannot be read.' }
  // SIGKILL is our own, or the machine has no memory left: the picture may be as sound as any.
  const said = lastWords.trim()
  return { failure: `the process that reads photos ended with ${code ?? signal}${said && `: ${said}`}` }
}
