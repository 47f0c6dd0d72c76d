/** Tells whether all bytes so far are UTF-8: a file may have U+FFFD of its own. */
export function utf8Of(input: AsyncIterable<Buffer>): {
  bytes: AsyncIterable<Buffer>
  isUtf8: () => boolean
} {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let isUtf8 = true
  async function* bytes(): AsyncGenerator<Buffer> {
    for await (const chunk of input) {
      try {
        if (isUtf8) decoder.decode(chunk, { stream: true })
      } catch {
        isUtf8 = false
      }
      yield chunk
    }
  }
  return { bytes: bytes(), isUtf8: () => isUtf8 }
}
