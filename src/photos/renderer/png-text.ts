import { closeSync, openSync, readSync } from 'node:fs'

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
/** Length and type, in front of the data; a checksum of four bytes is behind it. */
const HEAD_BYTES = 8
const TEXTS = ['tEXt', 'zTXt', 'iTXt']
/** So many parts are looked at: a picture has hundreds, and what has more is too much of it. */
const MAX_PARTS = 20_000

/**
 * How many bytes of text a PNG holds beside its picture, by the heads of its parts (section 5.3), without
 * inflating any. Infinity for one of very many parts; 0 for what is no PNG.
 */
export function textBytes(path: string): number {
  const file = openSync(path, 'r')
  const head = Buffer.alloc(HEAD_BYTES)
  try {
    if (readSync(file, head, 0, HEAD_BYTES, 0) < HEAD_BYTES || !head.equals(SIGNATURE)) return 0
    let [at, sum] = [HEAD_BYTES, 0]
    for (let part = 0; part < MAX_PARTS; part += 1) {
      if (readSync(file, head, 0, HEAD_BYTES, at) < HEAD_BYTES) return sum
      const length = head.readUInt32BE(0)
      if (TEXTS.includes(head.toString('latin1', 4))) sum += length
      at += HEAD_BYTES + length + 4
    }
    return Number.POSITIVE_INFINITY
  } finally {
    closeSync(file)
  }
}
