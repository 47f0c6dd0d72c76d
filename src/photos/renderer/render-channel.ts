import type { Socket } from 'node:net'
import { FULL_SIDE, type Rendition } from '../storage/photo-files.ts'

// The messages between the service and the photo process, which reads pictures.

/** The path of a picture, and the paths of the files to make from the picture. */
export interface RenderTask {
  source: string
  renditions: { rendition: Rendition; file: string }[]
}

/** The file descriptor for tasks and answers. Each task or answer is a line of JSON. */
export const CHANNEL = 3

/** Exit codes of the process when a picture needs more memory, or more processor time, than it may use. */
export const [OUT_OF_MEMORY, OUT_OF_TIME] = [77, 78]

/** The size of the full rendition, in pixels. */
export interface RenderedSize {
  width: number
  height: number
}

/** A `refusal` means that the picture is at fault; a `failure` means that the service is at fault. */
export type RenderAnswer = { rendered: RenderedSize } | { refusal: string } | { failure: string }

/** An answer, and the memory of the process after it, in bytes. */
export type RenderReport = RenderAnswer & { bytes: number }

/** The length of the longest answer, in characters. */
const MAX_ANSWER_LENGTH = 2_048

/**
 * Listens to the process that reads pictures. A malicious picture may control it and make it write anything,
 * so an invalid answer is undefined. The IPC channel of Node.js would throw an uncatchable error.
 */
export function listenForAnswers(
  channel: Socket,
  onReport: (report: RenderReport | undefined) => void,
): void {
  let text = ''
  channel.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    if (!chunk.includes('\n') && text.length <= MAX_ANSWER_LENGTH) return
    onReport(text.length <= MAX_ANSWER_LENGTH ? readAnswer(text) : undefined)
    text = ''
  })
  // Ignores an error of the channel, because the exit of the process says more.
  channel.on('error', () => undefined)
}

function readAnswer(text: string): RenderReport | undefined {
  try {
    const { rendered, refusal, failure, bytes = 0 } = JSON.parse(text)
    if (typeof bytes !== 'number') return undefined
    if (typeof refusal === 'string') return { refusal, bytes }
    if (typeof failure === 'string') return { failure, bytes }
    const { width, height } = rendered
    return isValidSide(width) && isValidSide(height) ? { rendered: { width, height }, bytes } : undefined
  } catch {
    return undefined
  }
}

const isValidSide = (pixels: unknown): boolean =>
  Number.isInteger(pixels) && Number(pixels) > 0 && Number(pixels) <= FULL_SIDE
