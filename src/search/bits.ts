/*
 * Which animals of a block have something: a bit for each id. A block is as many ids in a row as fit well
 * into one row of the store; docs/decisions/0027-search.md has what was measured.
 */

export const BLOCK_IDS = 16_384
const WORD_BITS = 32
const WORDS = BLOCK_IDS / WORD_BITS
/** Of a block with all its bits; a list of fewer ids is shorter, with two bytes for each. */
const WHOLE_BYTES = BLOCK_IDS / 8

export type Bits = Uint32Array

export const blockOf = (id: number): number => Math.floor(id / BLOCK_IDS)
export const firstIdOf = (block: number): number => block * BLOCK_IDS

export const noBits = (): Bits => new Uint32Array(WORDS)

/** @param offset of the id in its block */
export function setBit(bits: Bits, offset: number): void {
  bits[offset >>> 5] = (bits[offset >>> 5] as number) | (1 << (offset & 31))
}

export function clearBit(bits: Bits, offset: number): void {
  bits[offset >>> 5] = (bits[offset >>> 5] as number) & ~(1 << (offset & 31))
}

export function hasBit(bits: Bits, offset: number): boolean {
  return ((bits[offset >>> 5] as number) & (1 << (offset & 31))) !== 0
}

export function intersect(bits: Bits, others: Bits): void {
  for (let word = 0; word < WORDS; word += 1) bits[word] = (bits[word] as number) & (others[word] as number)
}

export function subtract(bits: Bits, others: Bits): void {
  for (let word = 0; word < WORDS; word += 1) bits[word] = (bits[word] as number) & ~(others[word] as number)
}

export function isEmpty(bits: Bits): boolean {
  for (const word of bits) if (word !== 0) return false
  return true
}

export function countBits(bits: Bits): number {
  let count = 0
  for (const word of bits) count += bitsIn(word)
  return count
}

/** Adds up pairs of bits, then fours, then bytes (Warren, Hacker's Delight, section 5-1). */
function bitsIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return (((fours + (fours >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24
}

/** Offsets of the ids, lowest first. */
export function* offsetsIn(bits: Bits): Generator<number> {
  for (let word = 0; word < WORDS; word += 1) {
    for (let rest = bits[word] as number; rest !== 0; rest &= rest - 1)
      yield word * WORD_BITS + (31 - Math.clz32(rest & -rest))
  }
}

/** The same, highest first. */
export function* offsetsDown(bits: Bits): Generator<number> {
  for (let word = WORDS - 1; word >= 0; word -= 1) {
    for (let rest = bits[word] as number; rest !== 0; ) {
      const bit = 31 - Math.clz32(rest)
      yield word * WORD_BITS + bit
      rest &= ~(1 << bit)
    }
  }
}

/** The ids of a block that are in a set, lowest first. */
export const idsIn = (block: number, bits: Bits): number[] =>
  [...offsetsIn(bits)].map((offset) => firstIdOf(block) + offset)

/** As the store keeps it: a list of offsets while that is shorter than the bits. */
export function encodeBits(bits: Bits): Uint8Array {
  const count = countBits(bits)
  if (count * 2 >= WHOLE_BYTES) {
    const whole = new DataView(new ArrayBuffer(WHOLE_BYTES))
    for (let word = 0; word < WORDS; word += 1) whole.setUint32(word * 4, bits[word] as number, true)
    return new Uint8Array(whole.buffer)
  }
  const list = new DataView(new ArrayBuffer(count * 2))
  let at = 0
  for (let word = 0; word < WORDS; word += 1) {
    for (let rest = bits[word] as number; rest !== 0; rest &= rest - 1) {
      list.setUint16(at, word * WORD_BITS + (31 - Math.clz32(rest & -rest)), true)
      at += 2
    }
  }
  return new Uint8Array(list.buffer)
}

/**
 * What the store keeps, with more offsets behind its last one: most tokens of a block are those of few
 * animals, and new animals have higher ids.
 *
 * @param offsets lowest first
 * @returns undefined where it takes the bits to tell
 */
export function appended(encoded: Uint8Array | undefined, offsets: number[]): Uint8Array | undefined {
  const known = encoded?.byteLength ?? 0
  const length = known + offsets.length * 2
  if (known >= WHOLE_BYTES || length >= WHOLE_BYTES || offsets.length === 0) return undefined
  if (encoded && (offsets[0] as number) <= lastOf(encoded)) return undefined
  const list = new Uint8Array(length)
  if (encoded) list.set(encoded)
  let at = known
  for (const offset of offsets) {
    list[at] = offset & 255
    list[at + 1] = offset >>> 8
    at += 2
  }
  return list
}

const lastOf = (encoded: Uint8Array): number => (encoded.at(-2) as number) | ((encoded.at(-1) as number) << 8)

/** Adds what the store keeps to a set. */
export function addEncoded(bits: Bits, encoded: Uint8Array): void {
  const bytes = new DataView(encoded.buffer, encoded.byteOffset, encoded.byteLength)
  if (encoded.byteLength === WHOLE_BYTES) {
    for (let word = 0; word < WORDS; word += 1)
      bits[word] = (bits[word] as number) | bytes.getUint32(word * 4, true)
    return
  }
  for (let at = 0; at < encoded.byteLength; at += 2) setBit(bits, bytes.getUint16(at, true))
}

/** Leaves of a set what the store keeps, too. @returns whether that is anything */
export function keepEncoded(bits: Bits, encoded: Uint8Array): boolean {
  const bytes = new DataView(encoded.buffer, encoded.byteOffset, encoded.byteLength)
  let any = 0
  if (encoded.byteLength === WHOLE_BYTES) {
    for (let word = 0; word < WORDS; word += 1) {
      const both = (bits[word] as number) & bytes.getUint32(word * 4, true)
      bits[word] = both
      any |= both
    }
    return any !== 0
  }
  // The list is in order: a word is done when the first offset behind it comes.
  let [done, mask] = [0, 0]
  for (let at = 0; at < encoded.byteLength; at += 2) {
    const offset = bytes.getUint16(at, true)
    if (offset >>> 5 !== done) {
      any |= bits[done] = (bits[done] as number) & mask
      bits.fill(0, done + 1, offset >>> 5)
      done = offset >>> 5
      mask = 0
    }
    mask |= 1 << (offset & 31)
  }
  any |= bits[done] = (bits[done] as number) & mask
  bits.fill(0, done + 1)
  return any !== 0
}

/** How many of a set are in what the store keeps, and the last of them. */
export function sharedWith(bits: Bits, encoded: Uint8Array): { count: number; last: number } {
  const bytes = new DataView(encoded.buffer, encoded.byteOffset, encoded.byteLength)
  let [count, last] = [0, -1]
  if (encoded.byteLength !== WHOLE_BYTES) {
    for (let at = 0; at < encoded.byteLength; at += 2) {
      const offset = bytes.getUint16(at, true)
      if (!hasBit(bits, offset)) continue
      count += 1
      last = offset
    }
    return { count, last }
  }
  for (let word = 0; word < WORDS; word += 1) {
    const both = (bits[word] as number) & bytes.getUint32(word * 4, true)
    if (both === 0) continue
    count += bitsIn(both)
    last = word * WORD_BITS + (31 - Math.clz32(both))
  }
  return { count, last }
}
