import { type ChildProcess, fork } from 'node:child_process'
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

/** The process in which pictures are read: one at a time, started when needed and ended when idle. */
export function renderProcess() {
  let child: ChildProcess | undefined
  let idle: NodeJS.Timeout | undefined

  function start(): ChildProcess {
    const started = fork(CHILD, {
      // Nothing that this service knows: no setting is passed on, and no open file. What glibc's malloc gave
      // for the pixels of one photo goes back to the machine, and is not added to what the next one takes.
      env: { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '1048576', MALLOC_TRIM_THRESHOLD_: '1048576' },
      execArgv: ['--max-old-space-size=64'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    started.once('exit', () => {
      if (child === started) child = undefined
    })
    return started
  }

  function end(): Promise<void> {
    const ending = child
    child = undefined
    clearTimeout(idle)
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return Promise.resolve()
    return new Promise((done) => {
      ending.once('exit', () => done()).ref()
      ending.kill('SIGKILL')
    })
  }

  /** While nothing is asked of it, it does not keep this process alive. */
  function rest(resting: ChildProcess): void {
    clearTimeout(idle)
    idle = setTimeout(() => void end(), IDLE_MS).unref()
    resting.unref()
    resting.channel?.unref()
  }

  return {
    end,
    /** Starts it while a photo is still on its way. */
    warm(): void {
      if (child) return
      child = start()
      rest(child)
    },
    async ask(task: RenderTask): Promise<Answer> {
      clearTimeout(idle)
      child ??= start()
      const asked = child
      asked.ref()
      asked.channel?.ref()
      const { promise, resolve } = Promise.withResolvers<Answer>()
      const late = setTimeout(() => {
        resolve({ refusal: 'It takes too long to read.' })
        void end()
      }, MOST_MS)
      const onExit = (code: number | null, signal: string | null) => resolve(endedWith(code, signal))
      const onError = (error: Error) => resolve({ failure: error.message })
      asked.once('message', resolve).once('exit', onExit).once('error', onError)
      asked.send(task, (error) => error && resolve({ failure: error.message }))
      try {
        return await promise
      } finally {
        clearTimeout(late)
        asked.off('message', resolve).off('exit', onExit).off('error', onError)
        rest(asked)
      }
    },
  }
}

/** What it means that the process ended over a picture. */
function endedWith(code: number | null, signal: string | null): Answer {
  if (code === OUT_OF_MEMORY) return { refusal: 'It takes too much memory to read.' }
  // The library fell over the picture, or the machine has no memory left and took this process first.
  if (signal !== null && signal !== 'SIGTERM') return { refusal: 'It cannot be read.' }
  return { failure: `the process that reads photos ended with ${code ?? signal}` }
}
