import assert from 'node:assert/strict'
import { test } from 'node:test'
import { counterOfAddress } from './address.ts'

test('an address has one counter in all its spellings, a /64 has one, and what is no address shares one', () => {
  for (const [address, counter] of [
    ['192.0.2.1', 'ip:192.0.2.1'],
    ['::ffff:192.0.2.1', 'ip:192.0.2.1'],
    ['::ffff:c000:201', 'ip:192.0.2.1'],
    ['2001:db8:1:2::1', 'ip:2001:db8:1:2::/64'],
    ['2001:0DB8:1:2:ffff:ffff:ffff:ffff', 'ip:2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'ip:fe80:0:0:0::/64'],
    ['9.9.9.9:1234', 'ip:9.9.9.9'],
    ['[2001:db8:1:2::1]:22', 'ip:2001:db8:1:2::/64'],
    ['[2001:db8:1:2::1]', 'ip:2001:db8:1:2::/64'],
    ['[::ffff:192.0.2.1]:1', 'ip:192.0.2.1'],
    ['nobody', 'ip:unknown'],
    ['nobody:1', 'ip:unknown'],
    ['[nobody]:1', 'ip:unknown'],
    ['[]:1', 'ip:unknown'],
    ['9.9.9.9:', 'ip:unknown'],
    [undefined, 'ip:unknown'],
  ] as const) {
    assert.equal(counterOfAddress(address), counter, String(address))
  }
})
