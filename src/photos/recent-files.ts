import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { PhotoStore, Span } from '../photo-files/store.ts'

/** Of all files that are held, and of each. */
const [MOST_BYTES, MOST_OF_ONE] = [8 * 1_048_576, 131_072]
/** So long nobody looks whether a file is still there. */
const SURE_MS = 10_000

interface Held {
  bytes: Buffer
  at: number
}

/**
 * Small files that somebody asked for just now, so that the pictures of a busy page are not read again for
 * each of its visitors. What is under a name never changes; it can only be gone.
 */
export function recentFiles(store: () => PhotoStore, clock: () => number) {
  const held = new Map<string, Held>()
  let total = 0

  function drop(name: string): void {
    total -= held.get(name)?.bytes.length ?? 0
    held.delete(name)
  }

  function get(name: string): Held | undefined {
    const one = held.get(name)
    if (one && Math.abs(clock() - one.at) < SURE_MS) return one
    drop(name)
    return undefined
  }

  function keep(name: string, bytes: Buffer): void {
    drop(name)
    held.set(name, { bytes, at: clock() })
    total += bytes.length
    // Those that came first go first.
    for (const first of held.keys()) {
      if (total <= MOST_BYTES) break
      drop(first)
    }
  }

  return {
    /** In bytes; undefined when there is no such file. */
    async size(name: string): Promise<number | undefined> {
      return get(name)?.bytes.length ?? store().size(name)
    },
    async read(name: string, span?: Span): Promise<Buffer | Readable | undefined> {
      const recent = get(name)?.bytes
      if (recent) return span ? recent.subarray(span.first, span.last + 1) : recent
      const reading = await store().read(name, span)
      if (!reading || span || reading.size > MOST_OF_ONE) return reading?.bytes
      const bytes = await buffer(reading.bytes)
      keep(name, bytes)
      return bytes
    },
  }
}
