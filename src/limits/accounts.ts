import ipaddr from 'ipaddr.js'

/** Some proxies forward an address with its port. IPv6 is then in brackets. */
const WITH_PORT = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/

/**
 * The counter name of a client address. IPv4-mapped IPv6 (::ffff:192.0.2.1) counts as IPv4. Other IPv6 counts
 * by its /64, because one client usually controls the whole /64.
 */
export function counterOfAddress(text: string | undefined): string {
  const address = text?.replace(WITH_PORT, '$1$2')
  if (address === undefined || !ipaddr.isValid(address)) return 'ip:unknown'
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return `ip:${parsed.toString()}`
  const parts = (parsed as ipaddr.IPv6).parts.slice(0, 4)
  return `ip:${parts.map((part) => part.toString(16)).join(':')}::/64`
}

/** Further addresses share one counter, so a flood of them neither fills memory nor resets counters. */
const MAX_ADDRESSES = 50_000
const OTHER_ADDRESSES = 'ip:others'

export interface Accounts<Account> {
  /** Returns the state of a caller, or of the counter that it shares. Creates the state on first use. */
  get(name: string): Account
  find(name: string): Account | undefined
  all(): Account[]
  /** @returns whether any account was forgotten */
  forget(isExpired: (account: Account) => boolean): boolean
}

/** Stores the state of each caller by counter name. @param create makes the state of a new caller */
export function createAccounts<Account>(create: (name: string) => Account): Accounts<Account> {
  const accounts = new Map<string, Account>()
  let addresses = 0

  function get(name: string): Account {
    const existing = accounts.get(name)
    if (existing) return existing
    if (hasOwnCounter(name) && addresses >= MAX_ADDRESSES) return get(OTHER_ADDRESSES)
    const created = create(name)
    accounts.set(name, created)
    if (hasOwnCounter(name)) addresses += 1
    return created
  }

  return {
    get,
    find: (name) => accounts.get(name),
    all: () => [...accounts.values()],
    forget(isExpired) {
      const sizeBefore = accounts.size
      for (const [name, account] of accounts) {
        if (!isExpired(account)) continue
        accounts.delete(name)
        if (hasOwnCounter(name)) addresses -= 1
      }
      return accounts.size < sizeBefore
    },
  }
}

/** Checks whether the name counts towards MAX_ADDRESSES. */
function hasOwnCounter(name: string): boolean {
  return name.startsWith('ip:') && name !== OTHER_ADDRESSES
}
