/** Addresses counted one by one. Those beyond share a counter: no flood grows memory or resets anyone. */
const MAX_ADDRESSES = 50_000
const OTHER_ADDRESSES = 'ip:others'

export interface Accounts<Known> {
  /** What is known of the caller, or of those with whom it is counted. */
  get(name: string): Known
  find(name: string): Known | undefined
  all(): Known[]
  /** @returns whether any was forgotten */
  forget(isOver: (known: Known) => boolean): boolean
}

/**
 * What this process remembers of callers, by their names.
 *
 * @param meet what is known of one that was never met
 */
export function rememberAccounts<Known>(meet: (name: string) => Known): Accounts<Known> {
  const callers = new Map<string, Known>()
  let addresses = 0

  function get(name: string): Known {
    const found = callers.get(name)
    if (found) return found
    if (isCounted(name) && addresses >= MAX_ADDRESSES) return get(OTHER_ADDRESSES)
    const known = meet(name)
    callers.set(name, known)
    if (isCounted(name)) addresses += 1
    return known
  }

  return {
    get,
    find: (name) => callers.get(name),
    all: () => [...callers.values()],
    forget(isOver) {
      const before = callers.size
      for (const [name, known] of callers) {
        if (!isOver(known)) continue
        callers.delete(name)
        if (isCounted(name)) addresses -= 1
      }
      return callers.size < before
    },
  }
}

/** The counter that the others share is none of them. */
function isCounted(name: string): boolean {
  return name.startsWith('ip:') && name !== OTHER_ADDRESSES
}
