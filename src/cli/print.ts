/**
 * Prints a line, or several, on stdout.
 *
 * @throws when it could not be written, as on a full disk
 */
export function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => reject(new Error(`stdout cannot be written: ${error.message}`))
    // Heard for good: the stream tells of the error once more after the write did.
    process.stdout.on('error', fail)
    process.stdout.write(`${text}\n`, (error) => (error ? fail(error) : resolve()))
  })
}
