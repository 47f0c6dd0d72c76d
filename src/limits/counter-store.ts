import { hostname } from 'node:os'
import { ConfigError } from '../config.ts'
import { isPostgres } from '../db/store-url.ts'

const DEFAULT_PORT = 6379

/**
 * Identifies the Redis of a URL by host, port and database, without credentials. If other machines may use
 * the same database, a loopback address is followed by the machine's name.
 */
export function counterStoreOf(redisUrl: string, databaseUrl: string, machine = hostname()): string {
  const { hostname: host, port, pathname, searchParams } = new URL(redisUrl)
  const database = pathname.slice(1) || searchParams.get('db') || '0'
  const store = `${host.toLowerCase()}:${port || DEFAULT_PORT}/${Number(database)}`
  return isLoopback(host) && !isLocalDatabase(databaseUrl) ? `${store} on ${machine}` : store
}

function isLoopback(host: string): boolean {
  return /^(?:localhost|127\.[\d.]+|\[::1\])$/i.test(host)
}

/** Checks whether the URL names a file, or a server reached over a socket or a loopback address. */
function isLocalDatabase(databaseUrl: string): boolean {
  if (!isPostgres(databaseUrl)) return true
  const { hostname: host, searchParams } = new URL(databaseUrl)
  const name = searchParams.get('host') ?? host
  return name === '' || name.startsWith('/') || isLoopback(name)
}

/**
 * Throws if the settings name another Redis than the store records. Two processes that count in different
 * places would together allow twice the limit.
 * @param remembered the Redis that the store records; null for none
 * @param configured the Redis of REDIS_URL; null for none
 * @throws {ConfigError}
 */
export function refuseOtherCounterStore(remembered: string | null, configured: string | null): void {
  if (remembered === configured) return
  const actual = configured === null ? 'REDIS_URL is not set' : `REDIS_URL names ${configured}`
  throw new ConfigError(
    `the counters of this store are in the Redis at ${remembered}, but ${actual}: set REDIS_URL to that Redis again, ` +
      'or stop all processes of the store and run `adoptable counters move`, which resets the counters',
  )
}
