import { hashOf } from '../places/gazetteer.ts'

/** Remembers up to this many ids. A million of them take 37 MB. */
const MAX_IDS = 10_000_000
/** Remembers up to this many repeated ids. */
const MAX_REPEATED = 100_000

/** A set of ids that takes less memory than their texts: it keeps the hash of each id. */
export class IdSet {
  readonly #hashes = new Set<number>()
  /** The hashes of ids that were added again. */
  readonly again = new Set<number>()

  /** @returns false if the id was added before */
  add(id: string): boolean {
    const hash = hashOf(id)
    if (!this.#hashes.has(hash)) {
      if (this.#hashes.size < MAX_IDS) this.#hashes.add(hash)
      return true
    }
    if (this.again.size < MAX_REPEATED) this.again.add(hash)
    return false
  }
}
