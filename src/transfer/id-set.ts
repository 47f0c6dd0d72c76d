import { hashOf } from '../places/gazetteer.ts'

/** Remembers up to this many repeated ids. */
const MAX_REPEATED = 100_000

/** A set of ids that takes little memory: it keeps the hash of each id. */
export class IdSet {
  #slots = new Float64Array(2 ** 12)
  #size = 0
  /** The hashes of ids that were added again. */
  readonly again = new Set<number>()

  /** @returns false if the id was added before */
  add(id: string): boolean {
    if (this.#size * 2 >= this.#slots.length) this.#grow()
    const hash = hashOf(id)
    if (!this.#put(hash)) {
      if (this.again.size < MAX_REPEATED) this.again.add(hash)
      return false
    }
    this.#size += 1
    return true
  }

  #grow(): void {
    const old = this.#slots
    this.#slots = new Float64Array(old.length * 2)
    for (const slot of old) if (slot !== 0) this.#put(slot - 1)
  }

  #put(hash: number): boolean {
    // An empty slot is 0.
    const value = hash + 1
    // The low bits of similar ids are similar too.
    const mixed = Math.imul(hash ^ Math.floor(hash / 2 ** 21), 0x9e37_79b1) >>> 7
    for (let at = mixed % this.#slots.length; ; at = (at + 1) % this.#slots.length) {
      if (this.#slots[at] === value) return false
      if (this.#slots[at] === 0) {
        this.#slots[at] = value
        return true
      }
    }
  }
}
