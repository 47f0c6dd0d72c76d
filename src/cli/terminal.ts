import { Console } from 'node:console'
import type { Readable, Writable } from 'node:stream'
import { styleText } from 'node:util'

/** The streams of a command: of the process, or of a test. */
export interface Streams {
  stdin: Readable
  stdout: Output
  stderr: Output
}

/** A stream that may be a terminal with a width. */
export type Output = Writable & { isTTY?: boolean; columns?: number }

/** Ignores pipes that a reader such as `head` has closed, which would end the process with a stack trace. */
export function ignoreClosedPipes({ stdout, stderr }: Pick<Streams, 'stdout' | 'stderr'>): void {
  for (const stream of [stdout, stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      const isHandled = stream.listenerCount('error') > 1
      if (error.code !== 'EPIPE' && !isHandled) throw error
    })
}

/** Prints lines. A closed pipe is not an error. @throws if writing fails, for example on a full disk */
export function print(stdout: Output, text: string): Promise<void> {
  return printForReader(stdout, text).catch((error: NodeJS.ErrnoException) => {
    if ((error.cause as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  })
}

/** Like `print`. @throws also if the reader has closed the pipe */
export function printForReader(stdout: Output, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void =>
      reject(new Error(`stdout cannot be written: ${cause.message}`, { cause }))
    // Keeps the listener, because the stream emits the error again after the callback of the write.
    stdout.on('error', fail)
    stdout.write(`${text}\n`, (error) => (error ? fail(error) : resolve()))
  })
}

/** Prints a message on stderr. A closed pipe is not an error. */
export function note(stderr: Output, text: string): void {
  new Console(stderr, stderr).error(text)
}

/** Aligns cells, without trailing spaces. @param figures columns that are aligned to the right */
export function alignColumns(rows: string[][], figures: number[] = []): string[] {
  const widths: number[] = []
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length)
  }
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0
        return figures.includes(column) ? cell.padStart(width) : cell.padEnd(width)
      })
      .join('  ')
      .trimEnd(),
  )
}

/** Formats a table: aligned on a terminal, otherwise separated by tabs for programs. */
export function formatList(rows: string[][], stdout: Output): string {
  if (!stdout.isTTY) return rows.map((cells) => cells.join('\t')).join('\n')
  const [head = '', ...lines] = alignColumns(rows)
  return [styleText('bold', head, { stream: stdout }), ...lines].join('\n')
}

const WIDTH = 24

/** A progress bar. @param share from 0 to 1 */
export function formatBar(share: number): string {
  const filled = Math.round(Math.min(share, 1) * WIDTH)
  return '█'.repeat(filled) + '░'.repeat(WIDTH - filled)
}

export function formatCount(count: number): string {
  return count.toLocaleString('en')
}

const REDRAWN_MS = 100
const ERASE_LINE = '\r\x1b[2K'

export interface StatusLine {
  /** @param isLast true draws the line even if it was drawn just before */
  draw(lineOf: () => string, isLast?: boolean): void
  clear(): void
}

/** A line that is redrawn on a terminal; draws nothing elsewhere. */
export function openStatusLine(terminal: Output): StatusLine {
  if (!terminal.isTTY) return { draw: () => undefined, clear: () => undefined }
  let drawnAt = Number.NEGATIVE_INFINITY
  return {
    draw(lineOf, isLast = false) {
      const now = performance.now()
      if (now - drawnAt < REDRAWN_MS && !isLast) return
      drawnAt = now
      terminal.write(ERASE_LINE + lineOf().slice(0, (terminal.columns || 80) - 1))
    },
    clear: () => terminal.write(ERASE_LINE),
  }
}
