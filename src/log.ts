import type { Writable } from 'node:stream'
import { styleText } from 'node:util'
import pino, { type DestinationStream, type Logger } from 'pino'

/** How long a shutdown waits for a log that is not read, and how much of the log stays in memory. */
const FLUSH_MS = 500
const MAX_WAITING_BYTES = 16 * 2 ** 20
const [INFO, WARN] = [30, 40]

/**
 * Writes JSON lines to stderr in batches, at least every second. All lines of one event-loop turn reach the
 * stream together, because the stream measures its whole buffer on each write. Lines that do not fit, because
 * the log is not read or the disk is full, are dropped. A later line reports how many.
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
  const writeLines = (): void => {
    if (lines === '' || isEnded) return
    isFull = false
    stream.write(dropped > 0 ? droppedLine(dropped) + lines : lines)
    dropped = isFull ? dropped + count : 0
    lines = ''
    count = 0
  }
  // This listener must run before the stream's own final flush, so it is registered first.
  process.once('exit', writeLines)
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
      if (lines === '') setImmediate(writeLines)
      lines += line
      count += 1
    },
    flush(done) {
      writeLines()
      stream.flush(() => {
        // The stream's own final flush would retry forever and keep the process alive.
        if (isFailing && !isEnded) {
          isEnded = true
          stream.destroy()
        }
        done()
      })
    },
  }
}

/** Writes the log as text for people. */
export function readableLog(terminal: Writable): DestinationStream {
  return {
    write(line) {
      const { level, time, msg, err, ...details } = JSON.parse(line)
      const label = styleText(level > INFO ? 'red' : 'green', pino.levels.labels[level] ?? '')
      const values = Object.entries(details).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
      const text = [new Date(time).toLocaleTimeString(), label, msg, ...values].join(' ')
      terminal.write(`${text}\n${err ? `${err.stack}\n` : ''}`)
    },
  }
}

function droppedLine(count: number): string {
  const msg = `${count} log lines were dropped because the log was not read`
  return `${JSON.stringify({ level: WARN, msg })}\n`
}

/**
 * Resolves when the log is written, or after a time limit. Without the limit, the process would never end
 * after the reader of the log has gone, because the stream would retry its last lines forever.
 */
export async function flushLog(logger: Logger): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, FLUSH_MS)
  logger.flush(() => resolve())
  await promise
  clearTimeout(timer)
}
