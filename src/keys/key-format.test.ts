import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { generateKey, hashKey, isKeyOf } from './key-format.ts'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The CRC-32 of zip and gzip, bit by bit, in six base62 digits. */
function checksum(text: string): string {
  let rest = 0xffff_ffff
  for (const byte of Buffer.from(text)) {
    rest ^= byte
    for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ 0xedb8_8320 : rest >>> 1
  }
  const crc = BigInt((rest ^ 0xffff_ffff) >>> 0)
  return [5n, 4n, 3n, 2n, 1n, 0n].map((index) => DIGITS[Number((crc / 62n ** index) % 62n)]).join('')
}

const withChecksum = (body: string): string => body + checksum(body)
const LIVE = withChecksum(`adopt_live_${'0aZ9k'.repeat(6)}`)
const TEST = withChecksum(`adopt_test_${'0aZ9k'.repeat(6)}`)

test('generateKey returns a prefix, 30 random base62 characters, and their checksum in 6 characters', () => {
  for (const [environment, form] of [
    ['production', /^adopt_live_[0-9A-Za-z]{36}$/],
    ['staging', /^adopt_test_[0-9A-Za-z]{36}$/],
  ] as const) {
    for (let made = 0; made < 200; made += 1) {
      const key = generateKey(environment)
      assert.match(key, form)
      assert.equal(key, withChecksum(key.slice(0, -6)))
      assert.ok(isKeyOf(environment, key))
    }
  }
})

test('randomBase62 returns all 62 characters equally often', () => {
  const counts = new Map<string, number>()
  for (let made = 0; made < 10_000; made += 1) {
    for (const character of generateKey('production').slice(11, 41)) {
      counts.set(character, (counts.get(character) ?? 0) + 1)
    }
  }
  // A biased character would be a quarter more frequent. Chance explains 1.4 %.
  const expected = 300_000 / 62
  assert.deepEqual([...counts.keys()].sort().join(''), [...DIGITS].sort().join(''))
  for (const [character, count] of counts) assert.ok(Math.abs(count / expected - 1) < 0.12, character)
})

test('isKeyOf accepts a key only in its own environment', () => {
  assert.ok(isKeyOf('production', LIVE))
  assert.ok(isKeyOf('staging', TEST))
  assert.ok(!isKeyOf('production', TEST))
  assert.ok(!isKeyOf('staging', LIVE))
})

test('isKeyOf returns false for another format, even with a correct checksum', () => {
  const [body, random] = ['adopt_live_', '0aZ9k'.repeat(6)]
  for (const text of [
    '',
    withChecksum(''),
    withChecksum(body),
    withChecksum(body + random.slice(1)),
    withChecksum(`${body}${random}0`),
    withChecksum(`${body}${random.slice(1)}_`),
    withChecksum(`${body}${random.slice(1)}é`),
    withChecksum(body + withChecksum(body + random)),
    withChecksum(`${body}\n${body}${random}`),
    `${LIVE}\n`,
    ` ${LIVE}`,
  ]) {
    assert.ok(!isKeyOf('production', text), JSON.stringify(text))
  }
})

test('isKeyOf returns false for any other checksum', () => {
  const body = LIVE.slice(0, -6)
  for (let index = 0; index < 6; index += 1) {
    for (const digit of DIGITS) {
      const sum = [...LIVE.slice(-6)].with(index, digit).join('')
      assert.equal(isKeyOf('production', body + sum), body + sum === LIVE)
    }
  }
})

test('hashKey returns SHA-256 in hexadecimal', () => {
  assert.equal(hashKey(LIVE), createHash('sha256').update(LIVE).digest('hex'))
})
