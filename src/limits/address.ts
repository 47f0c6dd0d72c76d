import ipaddr from 'ipaddr.js'

/**
 * The name under which a client address is counted: IPv4 whole, also when written as IPv6 (::ffff:192.0.2.1);
 * IPv6 by its /64, of which one client usually has all.
 */
export function counterOfAddress(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return 'ip:unknown'
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return `ip:${parsed.toString()}`
  const parts = (parsed as ipaddr.IPv6).parts.slice(0, 4)
  return `ip:${parts.map((part) => part.toString(16)).join(':')}::/64`
}
