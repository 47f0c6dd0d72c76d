/**
 * Prints a line, or several, on stdout. A reader that has enough, such as head, is no failure.
 *
 * @throws when it could not be written, as on a full disk
 */
export function print(text: string): Promise<void> {
  return printForReader(text).catch((error: NodeJS.ErrnoException) => {
    if ((error.cause as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  })
}

/** @throws also when nobody reads it */
export function printForReader(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void =>
      reject(new Error(`stdout cannot be written: ${cause.message}`, { cause }))
    // Heard for good: the stream tells of the error once more after the write did.
    process.stdout.on('error', fail)
    process.stdout.write(`${text}\n`, (error) => (error ? fail(error) : resolve()))
  })
}
