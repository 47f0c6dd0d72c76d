import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Accounts, rememberAccounts } from './accounts.ts'

/** So many addresses have a counter each. */
const MOST = 50_000

interface Met {
  name: string
}

const remember = (): Accounts<Met> => rememberAccounts((name) => ({ name }))

function meetAddresses({ get }: Accounts<Met>, count: number): void {
  for (let met = 0; met < count; met += 1) get(`ip:${met}`)
}

test('whoever comes again is the one that was met before', () => {
  const { get, find, all } = remember()
  const first = get('key:1')

  assert.deepEqual(first, { name: 'key:1' })
  assert.equal(get('key:1'), first)
  assert.notEqual(get('key:2'), first)
  assert.equal(find('key:1'), first)
  assert.equal(find('key:3'), undefined)
  assert.deepEqual(all(), [{ name: 'key:1' }, { name: 'key:2' }], 'to look for one is not to meet it')
})

test('addresses beyond the first 50,000 share one counter, and nobody loses the own', () => {
  const callers = remember()
  meetAddresses(callers, MOST - 1)
  assert.deepEqual(callers.get('ip:last'), { name: 'ip:last' })
  const shared = callers.get('ip:one too many')

  assert.deepEqual(shared, { name: 'ip:others' })
  assert.equal(callers.get('ip:another one'), shared)
  assert.deepEqual(callers.get('ip:0'), { name: 'ip:0' })
  assert.equal(callers.all().length, MOST + 1)
})

test('the counter that the others share takes no place of an address', () => {
  const callers = remember()
  callers.get('ip:others')
  meetAddresses(callers, MOST)

  assert.equal(callers.get(`ip:${MOST - 1}`).name, `ip:${MOST - 1}`)
  callers.forget(({ name }) => name === 'ip:others')
  assert.equal(callers.get('ip:one too many').name, 'ip:others')
})

test('keys have a counter each however many addresses there are, and take no place of one', () => {
  const callers = remember()
  for (let id = 0; id < 10; id += 1) callers.get(`key:${id}`)
  meetAddresses(callers, MOST)

  assert.equal(callers.get(`ip:${MOST - 1}`).name, `ip:${MOST - 1}`)
  assert.equal(callers.get('key:10').name, 'key:10')
})

test('who is forgotten is met anew, and an address leaves its place to another one', () => {
  const callers = remember()
  const key = callers.get('key:1')
  meetAddresses(callers, MOST)
  callers.forget(({ name }) => name === 'ip:7')

  assert.equal(callers.find('ip:7'), undefined)
  assert.equal(callers.find('key:1'), key)
  assert.equal(callers.get('ip:new').name, 'ip:new')
  assert.equal(callers.get('ip:newer').name, 'ip:others')
})

test('a key that is forgotten leaves no place to an address', () => {
  const callers = remember()
  callers.get('key:1')
  meetAddresses(callers, MOST)
  callers.forget(({ name }) => name === 'key:1')

  assert.equal(callers.find('key:1'), undefined)
  assert.equal(callers.get('ip:new').name, 'ip:others')
})
