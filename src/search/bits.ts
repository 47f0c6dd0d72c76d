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

export const isEmpty = (bits: Bits): boolean => bits.every((word) => word === 0)

export function countBits(bits: Bits): number {
  let count = 0
  for (const word of bits) count += bitsIn(word)
  return count
}

/** How many ids two sets share. */
export function countShared(bits: Bits, others: Bits): number {
  let count = 0
  for (let word = 0; word < WORDS; word += 1)
    count += bitsIn((bits[word] as number) & (others[word] as number))
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

/** As the store keeps it: a list of offsets while that is shorter than the bits. */
export function encodeBits(bits: Bits): Buffer {
  const count = countBits(bits)
  if (count * 2 >= WHOLE_BYTES) {
    const whole = Buffer.alloc(WHOLE_BYTES)
    for (let word = 0; word < WORDS; word += 1) whole.writeUInt32LE(bits[word] as number, word * 4)
    return whole
  }
  const list = Buffer.alloc(count * 2)
  let at = 0
  for (const offset of offsetsIn(bits)) at = list.writeUInt16LE(offset, at)
  return list
}

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
