import { ApiError } from '../../errors.ts'
import type { Rendered } from './render-channel.ts'
import { type RenderTask, renderProcess } from './render-process.ts'
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
