import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Accounts, counterOfAddress, createAccounts } from './accounts.ts'

/** The number of addresses with a counter of their own. */
const MAX_ADDRESSES = 50_000

interface Met {
  name: string
}

const remember = (): Accounts<Met> => createAccounts((name) => ({ name }))

function meetAddresses({ get }: Accounts<Met>, count: number): void {
  for (let met = 0; met < count; met += 1) get(`ip:${met}`)
}

test('get returns the same account for the same name', () => {
  const { get, find, all } = remember()
  const first = get('key:1')

  assert.deepEqual(first, { name: 'key:1' })
  assert.equal(get('key:1'), first)
  assert.notEqual(get('key:2'), first)
  assert.equal(find('key:1'), first)
  assert.equal(find('key:3'), undefined)
  assert.deepEqual(all(), [{ name: 'key:1' }, { name: 'key:2' }], 'find creates no account')
})

test('addresses beyond the first 50,000 share one counter, and the first 50,000 keep their own counters', () => {
  const callers = remember()
  meetAddresses(callers, MAX_ADDRESSES - 1)
  assert.deepEqual(callers.get('ip:last'), { name: 'ip:last' })
  const shared = callers.get('ip:one too many')

  assert.deepEqual(shared, { name: 'ip:others' })
  assert.equal(callers.get('ip:another one'), shared)
  assert.deepEqual(callers.get('ip:0'), { name: 'ip:0' })
  assert.equal(callers.all().length, MAX_ADDRESSES + 1)
})

test('the shared counter does not use up one of the 50,000 addresses', () => {
  const callers = remember()
  callers.get('ip:others')
  meetAddresses(callers, MAX_ADDRESSES)

  assert.equal(callers.get(`ip:${MAX_ADDRESSES - 1}`).name, `ip:${MAX_ADDRESSES - 1}`)
  callers.forget(({ name }) => name === 'ip:others')
  assert.equal(callers.get('ip:one too many').name, 'ip:others')
})

test('keys always have their own counter, and do not count towards the 50,000 addresses', () => {
  const callers = remember()
  for (let id = 0; id < 10; id += 1) callers.get(`key:${id}`)
  meetAddresses(callers, MAX_ADDRESSES)

  assert.equal(callers.get(`ip:${MAX_ADDRESSES - 1}`).name, `ip:${MAX_ADDRESSES - 1}`)
  assert.equal(callers.get('key:10').name, 'key:10')
})

test('a forgotten address is created again, and makes room for another address', () => {
  const callers = remember()
  const key = callers.get('key:1')
  meetAddresses(callers, MAX_ADDRESSES)
  callers.forget(({ name }) => name === 'ip:7')

  assert.equal(callers.find('ip:7'), undefined)
  assert.equal(callers.find('key:1'), key)
  assert.equal(callers.get('ip:new').name, 'ip:new')
  assert.equal(callers.get('ip:newer').name, 'ip:others')
})

test('a forgotten key makes no room for an address', () => {
  const callers = remember()
  callers.get('key:1')
  meetAddresses(callers, MAX_ADDRESSES)
  callers.forget(({ name }) => name === 'key:1')

  assert.equal(callers.find('key:1'), undefined)
  assert.equal(callers.get('ip:new').name, 'ip:others')
})

test('counterOfAddress returns one counter per address or /64 in any spelling, and one for invalid addresses', () => {
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
