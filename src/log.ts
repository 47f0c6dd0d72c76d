import pino, { type DestinationStream, type Logger } from 'pino'

/** What a reader of the log that takes nothing may cost a stop, in milliseconds, and the memory, in bytes. */
const FLUSH_MS = 500
const MAX_WAITING_BYTES = 16 * 2 ** 20
const WARN = 40

/**
 * JSON lines on stderr, written a few at a time and at least every second. The lines of one turn of the event
 * loop are passed on together: for each that it gets, the stream measures all that it still holds. What finds
 * no room, because a reader takes nothing or a disk is full, is dropped; a line says how much when there is
 * room again.
 */
export function standardError(
  fd = 2,
  maxLength = MAX_WAITING_BYTES,
): DestinationStream & { flush(done: () => void): void } {
  let lines = ''
  let count = 0
  let dropped = 0
  let isFull = false
  let isFailing = false
  let isEnded = false
  const passOn = (): void => {
    if (lines === '' || isEnded) return
    isFull = false
    stream.write(dropped > 0 ? droppedLine(dropped) + lines : lines)
    dropped = isFull ? dropped + count : 0
    lines = ''
    count = 0
  }
  // Before the stream's own last flush.
  process.once('exit', passOn)
  const stream = pino.destination({
    dest: fd,
    sync: false,
    minLength: 16_000,
    maxLength,
    periodicFlush: 1_000,
  })
  stream.on('drop', () => {
    isFull = true
  })
  stream.on('error', () => {
    isFailing = true
  })
  stream.on('write', () => {
    isFailing = false
  })
  return {
    write(line) {
      if (lines === '') setImmediate(passOn)
      lines += line
      count += 1
    },
    flush(done) {
      passOn()
      stream.flush(() => {
        // Its own last flush would try for ever, and the process not end.
        if (isFailing && !isEnded) {
          isEnded = true
          stream.destroy()
        }
        done()
      })
    },
  }
}

function droppedLine(count: number): string {
  const msg = `${count} lines of the log were dropped: nobody took them`
  return `${JSON.stringify({ level: WARN, msg })}\n`
}

/**
 * Resolves when the log has been written, or cannot be. What is left to the end of the process is tried for
 * ever where the reader has gone meanwhile, and the process then never ends.
 */
export async function flushed(logger: Logger): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, FLUSH_MS)
  logger.flush(() => resolve())
  await promise
  clearTimeout(timer)
}
