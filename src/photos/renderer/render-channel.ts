import type { Socket } from 'node:net'
import { FULL_SIDE, type Rendition } from '../storage/renditions.ts'

// What the service and the process that reads pictures say to each other.

/** A picture in a file, and the files to make of it. */
export interface RenderTask {
  source: string
  renditions: { rendition: Rendition; file: string }[]
}

/** The file descriptor over which it gets tasks and answers them, a line of JSON each. */
export const CHANNEL = 3

/** With this code the process ends itself over a picture that takes more memory than there is for it. */
export const OUT_OF_MEMORY = 77

/** The size of the largest rendition, in pixels. */
export interface Rendered {
  width: number
  height: number
}

/** The picture is at fault, or the service. */
export type Answer = { rendered: Rendered } | { refusal: string } | { failure: string }

/** What the process says of a photo: the answer, and how many bytes of memory it holds after it. */
export type Told = Answer & { bytes: number }

/** An answer is a line of JSON, and none is longer. */
const MAX_LENGTH = 2_048

/**
 * Hears what the process that reads photos says. Whoever took that over may write anything: what is no answer
 * is undefined. Node.js's own channel between processes would throw at it where nobody can catch that.
 */
export function hearAnswers(channel: Socket, hear: (told: Told | undefined) => void): void {
  let text = ''
  channel.setEncoding('utf8').on('data', (piece: string) => {
    text += piece
    if (!piece.includes('\n') && text.length <= MAX_LENGTH) return
    hear(text.length <= MAX_LENGTH ? readAnswer(text) : undefined)
    text = ''
  })
  // How the process ended tells more than that it cannot be written to.
  channel.on('error', () => undefined)
}

function readAnswer(text: string): Told | undefined {
  try {
    const { rendered, refusal, failure, bytes = 0 } = JSON.parse(text)
    if (typeof bytes !== 'number') return undefined
    if (typeof refusal === 'string') return { refusal, bytes }
    if (typeof failure === 'string') return { failure, bytes }
    const { width, height } = rendered
    return isSide(width) && isSide(height) ? { rendered: { width, height }, bytes } : undefined
  } catch {
    return undefined
  }
}

const isSide = (pixels: unknown): boolean =>
  Number.isInteger(pixels) && Number(pixels) > 0 && Number(pixels) <= FULL_SIDE
