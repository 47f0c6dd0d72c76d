import { isUtf8 } from 'node:buffer'
import { yieldToEventLoop } from '../http/turns.ts'
import { RefusalError } from './report.ts'

// Finds out how the characters of a file are encoded, before anything is imported.

/** Encodings that can be chosen, by their names in the Encoding Standard, which TextDecoder knows. */
export const ENCODINGS = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1252',
  'windows-1250',
  'macintosh',
] as const
export type Encoding = (typeof ENCODINGS)[number]

export interface FoundEncoding {
  encoding: Encoding
  /** A word that shows how the file is read; undefined if there was nothing to guess. */
  example?: string
  /** Whether texts may have been damaged before, by reading UTF-8 in another encoding. */
  mayBeDamaged?: boolean
}

const MARKS: [bytes: number[], encoding: Encoding][] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
]

/**
 * Finds the encoding of a file.
 * @param isMarked whether a file without a byte order mark is UTF-8
 * @throws {RefusalError} if the characters have several meanings, with an example of each
 */
export async function findEncoding(
  bytes: () => AsyncIterable<Buffer>,
  isMarked = false,
): Promise<FoundEncoding> {
  let head = Buffer.alloc(0)
  let tail = Buffer.alloc(0)
  let [isValid, mayBeDamaged] = [true, false]
  for await (const chunk of bytes()) {
    await yieldToEventLoop()
    if (head.length < 4) head = Buffer.concat([head, chunk.subarray(0, 4)])
    const marked = head.length < 4 ? undefined : findMarked(head)
    if (marked) return { encoding: marked }
    if (isMarked && head.length >= 4) return { encoding: 'utf-8' }
    const whole = tail.length > 0 ? Buffer.concat([tail, chunk]) : chunk
    const end = endOfCharacters(whole)
    isValid = isUtf8(whole.subarray(0, end))
    if (!isValid) break
    tail = Buffer.from(whole.subarray(end))
    mayBeDamaged ||= DAMAGED_PARTS.some((part) => whole.includes(part))
  }
  const marked = findMarked(head)
  if (marked || (isValid && tail.length === 0)) return { encoding: marked ?? 'utf-8', mayBeDamaged }
  return guess(await collectWords(bytes()))
}

/** Finds the encoding by a byte order mark, or by the zeros of UTF-16 in the first characters. */
function findMarked(head: Buffer): Encoding | undefined {
  const found = MARKS.find(([mark]) => mark.every((byte, index) => head[index] === byte))
  if (found) return found[1]
  const [one, two, three, four] = head
  if (one && two === 0 && three && four === 0) return 'utf-16le'
  return one === 0 && two && three === 0 && four ? 'utf-16be' : undefined
}

/** The letters Ã, Â and â in UTF-8. */
const DAMAGED_PARTS = [0x83, 0x82, 0xa2].map((byte) => Buffer.from([0xc3, byte]))

/** The position after the last complete character of UTF-8. */
function endOfCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] as number
    if (byte < 0x80) return bytes.length
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
      return length > back ? bytes.length - back : bytes.length
    }
  }
  return bytes.length
}

/** Looks at up to this many different words. More would show nothing new. */
const MAX_WORDS = 5_000
const MAX_WORD_BYTES = 40

const isWordByte = (byte: number): boolean =>
  byte >= 0x80 || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a)

/** Collects the words with a character beyond ASCII, as Latin-1, so each character is one byte. */
async function collectWords(bytes: AsyncIterable<Buffer>): Promise<Set<string>> {
  const words = new Set<string>()
  let word: number[] = []
  let isPlain = true
  const end = () => {
    if (!isPlain) words.add(Buffer.from(word).toString('latin1'))
    word = []
    isPlain = true
  }
  for await (const chunk of bytes) {
    await yieldToEventLoop()
    for (const byte of chunk) {
      if (!isWordByte(byte) || word.length === MAX_WORD_BYTES) end()
      if (!isWordByte(byte)) continue
      word.push(byte)
      if (byte >= 0x80) isPlain = false
    }
    if (words.size >= MAX_WORDS) break
  }
  end()
  return words
}

/** The bytes of accented letters and curly quotes in UTF-8, which make no sense in other encodings. */
const UTF8_PARTS = /[\u00c2-\u00c5][\u0080-\u00bf]|\u00e2\u0080[\u0080-\u00bf]/

/** Characters that are within words only if a file is read in the wrong encoding. */
const ODD = [
  /\p{L}[ƒ†‡ˆ‰‹˜‘‚∞±≤≥¥µ∂∑∏π∫Ω√≈∆◊Æ¸˛ˇ¨˙\u0080-\u009f]|[ƒ‡ˆ‰\u0080-\u009f]\p{L}/u,
  /\p{L}[„“”•™›«»¿¡£¯¹²³·°§¶¢]\p{L}|\p{L}{3}[¹²³]|[£¥¯¼¾]\p{L}|\p{Ll}–\p{Ll}/u,
  /\p{Ll}[\p{Lu}--\p{ASCII}]/v,
  /\p{L}{3}’(?!(?:s|t|re|ve|ll|d|m|n|em|er|all)\b)\p{L}/u,
]
const isOdd = (word: string): boolean => ODD.some((pattern) => pattern.test(word))

/** The encodings of one byte per character. The first one is the most frequent. */
export const SINGLE_BYTE = ['windows-1252', 'macintosh', 'windows-1250'] as const

/** @throws {RefusalError} */
function guess(words: Set<string>): FoundEncoding {
  const all = [...words]
  if (all.some((word) => UTF8_PARTS.test(word))) {
    const message =
      'nothing was imported: some lines of the file are UTF-8 and others are not. Save the file again as UTF-8, or name its encoding with --encoding'
    throw new RefusalError({ code: 'mixed_encoding', message })
  }
  const [likely] = SINGLE_BYTE
  const odd = all.filter((word) => isOdd(decodeWord(word, likely)))
  if (odd.length === 0) return { encoding: likely, example: decodeWord(all[0] ?? '', likely) }
  const [example = ''] = odd.toSorted((one, other) => one.length - other.length)
  const readings = SINGLE_BYTE.map((encoding) => `${encoding}: ${decodeWord(example, encoding)}`)
  const message = `nothing was imported: the encoding of the file is not clear. Choose what reads well with --encoding: ${readings.join(', ')}`
  throw new RefusalError({ code: 'unclear_encoding', value: example, message })
}

/** @param word in Latin-1 */
export function decodeWord(word: string, encoding: Encoding): string {
  return new TextDecoder(encoding).decode(Buffer.from(word, 'latin1'))
}

/** Converts the bytes of a file to UTF-8. */
export async function* toUtf8(bytes: AsyncIterable<Buffer>, encoding: Encoding): AsyncGenerator<Buffer> {
  if (encoding === 'utf-8') return yield* bytes
  const decoder = new TextDecoder(encoding)
  for await (const chunk of bytes) yield Buffer.from(decoder.decode(chunk, { stream: true }))
  yield Buffer.from(decoder.decode())
}

/** Text in UTF-8 that a program has read as Windows-1252 before: "ChloÃ©". */
const MOJIBAKE = /Ã[\u0080-\u00bf‰€™ŠšŒœŸŽž]|Â[\u00a0-\u00bf]|â(?:€|\u0080)/u

/** Shows up to this many characters on each side of a damaged letter, because a text may be private. */
const MAX_AROUND = 20

/** Finds a text that was damaged before the import. @returns a short part of it, around the damage */
export function findMojibake(texts: unknown[]): string | undefined {
  const damaged = texts.find((text): text is string => typeof text === 'string' && MOJIBAKE.test(text))
  if (damaged === undefined) return undefined
  const at = damaged.search(MOJIBAKE)
  const [from, to] = [Math.max(at - MAX_AROUND, 0), at + MAX_AROUND]
  return `${from > 0 ? '…' : ''}${damaged.slice(from, to).toWellFormed()}${to < damaged.length ? '…' : ''}`
}
