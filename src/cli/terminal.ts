import { Console } from 'node:console'
import type { Readable, Writable } from 'node:stream'

// What commands show on a terminal.

/** The streams that a command reads and writes: those of its process, or others that a test gives. */
export interface Streams {
  stdin: Readable
  stdout: Output
  stderr: Output
}

/** A stream that may be a terminal, which is so many columns wide. */
export type Output = Writable & { isTTY?: boolean; columns?: number }

/**
 * Prints a line, or several. A reader that has enough, such as head, is no failure.
 *
 * @throws when it could not be written, as on a full disk
 */
export function print(stdout: Output, text: string): Promise<void> {
  return printForReader(stdout, text).catch((error: NodeJS.ErrnoException) => {
    if ((error.cause as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  })
}

/** @throws also when nobody reads it */
export function printForReader(stdout: Output, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void =>
      reject(new Error(`stdout cannot be written: ${cause.message}`, { cause }))
    // Heard for good: the stream tells of the error once more after the write did.
    stdout.on('error', fail)
    stdout.write(`${text}\n`, (error) => (error ? fail(error) : resolve()))
  })
}

/** Prints a line for a person beside the output. A reader that has gone is no failure. */
export function note(stderr: Output, text: string): void {
  new Console(stderr, stderr).error(text)
}

/** Lines of which each column is as wide as its widest cell; the last one is not filled up. */
export function alignedLines(rows: string[][]): string[] {
  const widths: number[] = []
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length)
  }
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

const WIDTH = 24

/** @param share that is done, from 0 to 1 */
export function bar(share: number): string {
  const filled = Math.round(Math.min(share, 1) * WIDTH)
  return '█'.repeat(filled) + '░'.repeat(WIDTH - filled)
}

/** With its thousands told apart. */
export function whole(count: number): string {
  return count.toLocaleString('en')
}

const REDRAWN_MS = 100
const ERASE_LINE = '\r\x1b[2K'

export interface DrawnLine {
  /** @param isLast whether it is drawn however short ago the one before was */
  draw(lineOf: () => string, isLast?: boolean): void
  clear(): void
}

/** One line that is drawn over and over; nothing where nobody looks at it. */
export function drawnLine(terminal: Output): DrawnLine {
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
