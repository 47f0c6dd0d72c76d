import pino, { type DestinationStream, type Logger } from 'pino'

/** What a reader of the log that takes nothing may cost a stop, in milliseconds. */
const FLUSH_MS = 500

/**
 * JSON lines on stderr, written a few at a time and at least every second. The lines of one turn of the event
 * loop are passed on together: for each that it gets, the stream measures all that it still holds.
 */
export function standardError(): DestinationStream & { flush(done: () => void): void } {
  let lines = ''
  const passOn = (): void => {
    if (lines) stream.write(lines)
    lines = ''
  }
  // Before the stream's own last flush.
  process.once('exit', passOn)
  const stream = pino.destination({ dest: 2, sync: false, minLength: 16_000, periodicFlush: 1_000 })
  return {
    write(line) {
      if (lines === '') setImmediate(passOn)
      lines += line
    },
    flush(done) {
      passOn()
      stream.flush(done)
    },
  }
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
