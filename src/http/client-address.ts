import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Network = [Address, number]

/** As the framework has it. */
const LOOPBACK = ['127.0.0.1/8', '::1/128']

/**
 * Reads the address of a request's client as `request.ip` has it, where there is no such request yet: that of
 * the connection, or behind proxies that are trusted the last one that no such proxy has.
 *
 * @param trusted addresses and networks, as TRUST_PROXY has them
 */
export function addressReader(trusted: string[]): (request: IncomingMessage) => string | undefined {
  const networks = trusted.flatMap((one) => (one === 'loopback' ? LOOPBACK : [one])).map(networkOf)
  const isTrusted = (written: string | undefined): boolean => {
    if (written === undefined || !ipaddr.isValid(written)) return false
    const address = ipaddr.process(written)
    return networks.some(([network, bits]) => isIn(address, network, bits))
  }
  return ({ socket, headers }) => {
    const forwarded = networks.length > 0 ? headers['x-forwarded-for'] : undefined
    if (!forwarded) return socket.remoteAddress
    // The nearest is last.
    const further = [forwarded].flat().join(',').split(',').reverse()
    let address = socket.remoteAddress
    for (const one of further.map((text) => text.trim()).filter(Boolean)) {
      if (!isTrusted(address)) return address
      address = one
    }
    return address
  }
}

function networkOf(written: string): Network {
  if (written.includes('/')) return ipaddr.parseCIDR(written)
  const address = ipaddr.process(written)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

/** An IPv4 address is in no network of IPv6 addresses, except in one of those that stand for IPv4. */
function isIn(address: Address, network: Address, bits: number): boolean {
  if (address.kind() === network.kind()) return address.match(network, bits)
  if (address.kind() === 'ipv6' || bits < 96 || !(network as ipaddr.IPv6).isIPv4MappedAddress()) return false
  return (address as ipaddr.IPv4).toIPv4MappedAddress().match(network, bits)
}
