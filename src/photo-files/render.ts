import { rm } from 'node:fs/promises'
import { ApiError } from '../errors.ts'
import { type Rendered, type RenderTask, renderProcess } from './render-process.ts'

/** So many photos wait for their turn at most; each takes a second or so. */
const MOST_WAITING = 100

/** Makes the forms of photos, one photo after the other. One that is refused does not touch the next. */
export interface Renderer {
  /** @throws {ApiError} invalid_image, service_unavailable; nothing that was made is then left */
  render(task: RenderTask): Promise<Rendered>
  /** Gets ready while a photo is still on its way. */
  warm(): void
  close(): Promise<void>
}

export function openRenderer(): Renderer {
  const reading = renderProcess()
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0

  async function inTurn(task: RenderTask): Promise<Rendered> {
    const answer = await reading.ask(task)
    if ('rendered' in answer) return answer.rendered
    await Promise.all(task.forms.map(({ file }) => rm(file, { force: true })))
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
    warm: reading.warm,
    close: reading.end,
  }
}

function refused(why: string): string {
  return `This is no picture that can be used here. ${why}`
}
