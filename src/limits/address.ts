import ipaddr from 'ipaddr.js'

/** Some proxies forward an address with its port; one of IPv6 is then in brackets. */
const WITH_PORT = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/

/**
 * The name under which a client address is counted: IPv4 whole, also when written as IPv6 (::ffff:192.0.2.1);
 * IPv6 by its /64, of which one client usually has all.
 */
export function counterOfAddress(written: string | undefined): string {
  const address = written?.replace(WITH_PORT, '$1$2')
  if (address === undefined || !ipaddr.isValid(address)) return 'ip:unknown'
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return `ip:${parsed.toString()}`
  const parts = (parsed as ipaddr.IPv6).parts.slice(0, 4)
  return `ip:${parts.map((part) => part.toString(16)).join(':')}::/64`
}
