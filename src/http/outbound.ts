import type { LookupAddress } from 'node:dns'
import dns from 'node:dns/promises'
import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

// Requests to addresses that other people chose (OWASP, Server Side Request Forgery Prevention). Only public
// addresses are allowed, and networks that the operator has opened.

/** Addresses and networks that requests may reach although they are not public: 10.0.0.0/8, loopback. */
export type OpenNetworks = readonly string[]

/** Opens all networks. The metadata services of clouds stay closed. */
export const ALL_NETWORKS: OpenNetworks = ['0.0.0.0/0', '::/0']

/** Thrown if an address is not allowed. The message says why. */
export class ClosedAddressError extends Error {}

/**
 * Metadata services of clouds (AWS and others, AWS containers, Azure, Alibaba, Oracle; AWS, Google and
 * OpenStack with IPv6), which may reveal secrets.
 */
const METADATA: OpenNetworks = [
  ...['169.254.169.0/24', '169.254.170.0/24', '168.63.129.16', '100.100.100.200', '192.0.0.192'],
  ...['fd00:ec2::/32', 'fd20:ce::254', 'fe80::a9fe:a9fe'],
]
/** The only assigned range of public IPv6 addresses (RFC 4291, section 2.4). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** Excludes private, loopback and other special ranges, and checks an IPv4 address inside IPv6. */
function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST)
}

/** Whether an address is in one of the networks: addresses, CIDR ranges or `loopback`. */
export const isInside = (address: ipaddr.IPv4 | ipaddr.IPv6, networks: OpenNetworks): boolean =>
  networks.some((network) => {
    if (network === 'loopback') return address.range() === 'loopback'
    const [base, bits] = ipaddr.parseCIDR(network.includes('/') ? network : wholeAddress(network))
    return base.kind() === address.kind() && address.match(base, bits)
  })

const wholeAddress = (host: string): string => `${host}/${ipaddr.parse(host).kind() === 'ipv4' ? 32 : 128}`

/** Ranges whose addresses contain an IPv4 address, to which a router may translate them, and its bytes. */
const TRANSLATED: [network: string, bytes: number[], mask?: number][] = [
  // IPv4-compatible, SIIT (RFC 2765), NAT64 (RFC 6052, RFC 8215), 6to4 (RFC 3056).
  ...['::/96', '::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48'].map((network): [string, number[]] => [
    network,
    [12, 13, 14, 15],
  ]),
  ['64:ff9b:1::/48', [6, 7, 9, 10]],
  ['2002::/16', [2, 3, 4, 5]],
  // Teredo (RFC 4380) inverts the bits.
  ['2001::/32', [12, 13, 14, 15], 0xff],
]

/** Lists an address, and the IPv4 addresses that it contains. */
function targetsOf(address: ipaddr.IPv4 | ipaddr.IPv6): (ipaddr.IPv4 | ipaddr.IPv6)[] {
  const own = address.toByteArray()
  const contained = TRANSLATED.filter(([network]) => isInside(address, [network])).map(
    ([, bytes, mask = 0]) => new ipaddr.IPv4(bytes.map((index) => (own[index] ?? 0) ^ mask)),
  )
  return [address, ...contained]
}

/** @param host an IP address */
function isAllowed(host: string, networks: OpenNetworks, isSecure: boolean): boolean {
  const address = ipaddr.process(host)
  if (targetsOf(address).some((target) => isInside(target, METADATA))) return false
  return (isSecure && isPublic(address)) || isInside(address, networks)
}

export const PRIVATE_ADDRESS = 'The address belongs to this machine or its network, or is not public.'
const PLAIN_ADDRESS = 'This is not an https address.'

const refusal = (isSecure: boolean) => new ClosedAddressError(isSecure ? PRIVATE_ADDRESS : PLAIN_ADDRESS)

/** Checks an address without a lookup. Only open networks allow plain http. @throws {ClosedAddressError} */
export function parseOutbound(text: string, networks: OpenNetworks): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isSecure = url?.protocol === 'https:'
  if (!url || !(isSecure || (url.protocol === 'http:' && networks.length > 0)))
    throw new ClosedAddressError(PLAIN_ADDRESS)
  if (url.username || url.password)
    throw new ClosedAddressError('The address must not contain a user name or password.')
  // Node.js does not look up an IP address, so the lookup does not check it.
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) && !isAllowed(host, networks, isSecure)) throw refusal(isSecure)
  return url
}

/** How long a name server may take to answer each of two attempts. */
const LOOKUP_TIMEOUT_MS = 3_000

/**
 * Finds all addresses of a name. The resolver of Node.js needs no thread. The system's resolver has two
 * threads, so names whose name server hangs would delay other names, and the end of the process.
 * @throws {Error} with a code if there are none
 */
async function lookUp(name: string, networks: OpenNetworks): Promise<LookupAddress[]> {
  if (/(?:^|\.)localhost$/.test(name)) return dns.lookup(name, { all: true })
  // A new resolver reads the current settings of the system.
  const timeout = { timeout: LOOKUP_TIMEOUT_MS, maxTimeout: LOOKUP_TIMEOUT_MS, tries: 2 }
  const resolver = new dns.Resolver(timeout)
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const addresses = [four, six].flatMap((found, index) =>
    found.status === 'fulfilled'
      ? found.value.map((address) => ({ address, family: index === 0 ? 4 : 6 }))
      : [],
  )
  if (addresses.length > 0) return addresses
  const { reason } = four as PromiseRejectedResult
  // The system also knows names of its own network, such as those in its hosts file.
  if (networks.length > 0 && UNKNOWN_CODES.has(reason.code)) return dns.lookup(name, { all: true })
  throw reason
}

const UNKNOWN_CODES: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED'])

/** Whether a request has failed because its name is unknown. */
export const isLookupError = ({ syscall = '' }: NodeJS.ErrnoException): boolean =>
  /^(?:getaddrinfo|query)/.test(syscall)

/**
 * Sends a request to an untrusted address. Checks all addresses of its name when it connects, because a name
 * may resolve differently each time. Uses no proxy and follows no redirect.
 * @param timeoutMs the time until the response begins
 * @param options with an `agent`, requests share connections, whose addresses were checked once
 * @throws {ClosedAddressError} @throws {Error} when there is no response
 */
export function sendOutbound(
  url: URL,
  networks: OpenNetworks,
  { timeoutMs, body, ...options }: http.RequestOptions & { timeoutMs: number; body?: string },
): Promise<http.IncomingMessage> {
  const isSecure = url.protocol === 'https:'
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>()
  const lookupAllowed: LookupFunction = (name, how, done) => {
    const check = (found: LookupAddress[]) => {
      if (!found.every(({ address }) => isAllowed(address, networks, isSecure)))
        return done(refusal(isSecure), '')
      if (how.all) done(null, found)
      else done(null, found[0]?.address ?? '', found[0]?.family)
    }
    lookUp(name, networks).then(check, (error) => done(error, ''))
  }
  const request = (isSecure ? https : http).request(url, { agent: false, ...options, lookup: lookupAllowed })
  const timeout = setTimeout(
    () => request.destroy(new Error('The server did not answer in time.')),
    timeoutMs,
  )
  request.once('response', resolve).once('error', reject)
  // Without this, Node.js would close the connection without an error.
  request.once('upgrade', ({ statusCode }, socket) => {
    socket.destroy()
    reject(new Error(`The server answered with ${statusCode}.`))
  })
  // Has no effect after a response or an error.
  request.once('close', () => reject(new Error('The server did not answer.')))
  request.end(body)
  return promise.finally(() => clearTimeout(timeout))
}
