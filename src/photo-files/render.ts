import { ApiError } from '../errors.ts'
import { type Rendered, type RenderTask, renderProcess } from './render-process.ts'

/** So many photos wait for their turn at most; each takes a second or so, and ten at most. */
const MOST_WAITING = 20

/** Makes the forms of photos, one photo after the other. One that is refused does not touch the next. */
export interface Renderer {
  /** @throws {ApiError} invalid_image, service_unavailable; files may be left of it then */
  render(task: RenderTask): Promise<Rendered>
  /** Gets ready while a photo is still on its way. */
  warm(): void
  close(): Promise<void>
}

export function openRenderer(): Renderer {
  const reading = renderProcess()
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  let closed = false

  async function inTurn(task: RenderTask): Promise<Rendered> {
    // It would start a process that nobody ends.
    if (closed) throw new ApiError('service_unavailable', { cause: new Error('the service stops') })
    const answer = await reading.ask(task)
    if ('rendered' in answer) return answer.rendered
    if ('refusal' in answer) throw new ApiError('invalid_image', { message: refused(answer.refusal) })
    throw new ApiError('service_unavailable', { cause: new Error(answer.failure) })
  }

  return {
    async render(task) {
      if (waiting >= MOST_WAITING)
        throw new ApiError('service_unavailable', { cause: new Error('too many photos wait') })
      waiting += 1
      const made = last.then(() => inTurn(task)).finally(() => (waiting -= 1))
      last = made.catch(() => undefined)
      return made
    },
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
