import { closeSync, openSync, readSync } from 'node:fs'

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
/** Length and type of a chunk, which precede its data. A checksum of four bytes follows the data. */
const CHUNK_HEADER_BYTES = 8
const TEXT_CHUNKS = ['tEXt', 'zTXt', 'iTXt']
/** Reads up to this many chunks. Real pictures have hundreds. */
const MAX_CHUNKS = 20_000

/**
 * Adds up the sizes of the text chunks of a PNG by their headers (PNG specification, section 5.3), without
 * inflating them.
 *
 * @returns bytes; 0 for other files, and Infinity beyond MAX_CHUNKS chunks
 */
export function textBytes(path: string): number {
  const file = openSync(path, 'r')
  const head = Buffer.alloc(CHUNK_HEADER_BYTES)
  try {
    if (readSync(file, head, 0, CHUNK_HEADER_BYTES, 0) < CHUNK_HEADER_BYTES || !head.equals(SIGNATURE))
      return 0
    let [offset, sum] = [CHUNK_HEADER_BYTES, 0]
    for (let chunk = 0; chunk < MAX_CHUNKS; chunk += 1) {
      if (readSync(file, head, 0, CHUNK_HEADER_BYTES, offset) < CHUNK_HEADER_BYTES) return sum
      const length = head.readUInt32BE(0)
      if (TEXT_CHUNKS.includes(head.toString('latin1', 4))) sum += length
      offset += CHUNK_HEADER_BYTES + length + 4
    }
    return Number.POSITIVE_INFINITY
  } finally {
    closeSync(file)
  }
}
