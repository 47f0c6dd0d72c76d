import { hostname } from 'node:os'
import { ConfigError } from '../config.ts'
import { isPostgres } from '../db/store-url.ts'

const DEFAULT_PORT = 6379

/**
 * What REDIS_URL names, however it is written: host, port and database, without user and password. Beside a
 * database that other machines may use as well, an address of this machine names it too.
 */
export function counterStoreOf(redisUrl: string, databaseUrl: string, machine = hostname()): string {
  const { hostname: host, port, pathname, searchParams } = new URL(redisUrl)
  const database = pathname.slice(1) || searchParams.get('db') || '0'
  const store = `${host.toLowerCase()}:${port || DEFAULT_PORT}/${Number(database)}`
  return isLoopback(host) && !isHere(databaseUrl) ? `${store} on ${machine}` : store
}

function isLoopback(host: string): boolean {
  return /^(?:localhost|127\.[\d.]+|\[::1\])$/i.test(host)
}

/** A file, or a server that is reached over a socket or a loopback address. */
function isHere(databaseUrl: string): boolean {
  if (!isPostgres(databaseUrl)) return true
  const { hostname: host, searchParams } = new URL(databaseUrl)
  const name = searchParams.get('host') ?? host
  return name === '' || name.startsWith('/') || isLoopback(name)
}

/**
 * Two processes that count in different places would let through twice what they may.
 *
 * @param remembered the one to which the store belongs; null for none
 * @param configured the one that REDIS_URL names; null for none
 */
export function refuseOtherCounterStore(remembered: string | null, configured: string | null): void {
  if (remembered === configured) return
  const now = configured === null ? 'REDIS_URL is not set' : `REDIS_URL names ${configured}`
  throw new ConfigError(
    `the counters of this store are in the Redis at ${remembered}, and ${now}: set REDIS_URL to that one again, ` +
      'or stop every process of the store and run `adoptable counters move`, with which they begin anew',
  )
}
