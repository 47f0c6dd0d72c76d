import { hash } from 'node:crypto'
import { hashOf } from '../places/gazetteer.ts'
import type { Line } from './animal.ts'
import { isBlank } from './table.ts'

/**
 * Recognizes the lines of files without ids by their content, so a second import of a file updates its
 * animals and adds only new lines. The key of a line depends on nothing that a person chooses for the import.
 */
export class RowKeys {
  readonly #seen = new IdSet()
  readonly #counts = new Map<string, number>()

  /** Lines with the same content get different keys. */
  keyOf({ cells, value }: Line): string {
    // Spreadsheet programs add empty cells, and people move columns.
    const content = cells
      ? cells
          .filter((cell) => !isBlank([cell]))
          .sort()
          .join('\n')
      : stringify(value)
    const key = hash('sha256', content, 'base64url').slice(0, KEY_LENGTH)
    if (this.#seen.add(key)) return key
    const count = (this.#counts.get(key) ?? 1) + 1
    this.#counts.set(key, count)
    return `${key}-${count}`
  }
}

const KEY_LENGTH = 24

/** Writes JSON. A function for each value makes this slow, so only values with bigints use one. */
function stringify(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return JSON.stringify(value, withBigints)
  }
}

const withBigints = (_name: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value

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
