import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../errors.ts'
import { hashPassword, requireGoodPassword, verifyPassword } from './passwords.ts'

const OWNER = { email: 'ana.garcia@hill-shelter.example', name: 'Ana García' }

test('hashPassword uses argon2id with 19 MiB, two passes and a new salt each time', async () => {
  const stored = await hashPassword('four words of mine')
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  assert.notEqual(await hashPassword('four words of mine'), stored)
  assert.equal(await verifyPassword('four words of mine', stored), true)
  assert.equal(await verifyPassword('four words of Mine', stored), false)
})

test('verifyPassword accepts a hash of the argon2 reference implementation at another cost', async () => {
  // A test vector of the reference implementation: password, somesalt, 64 MiB.
  const stored = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
  assert.equal(await verifyPassword('password', stored), true)
  assert.equal(await verifyPassword('passwort', stored), false)
})

test('verifyPassword treats composed and decomposed characters as the same password', async () => {
  const stored = await hashPassword('pässwörter überall')
  assert.equal(await verifyPassword('pa\u0308sswo\u0308rter u\u0308berall', stored), true)
})

test('verifyPassword without a stored hash returns false', async () => {
  assert.equal(await verifyPassword('', undefined), false)
  assert.equal(await verifyPassword('four words of mine', null), false)
})

async function isRefused(password: string): Promise<boolean> {
  try {
    await requireGoodPassword(password, OWNER)
    return false
  } catch (error) {
    assert.ok(error instanceof ApiError)
    assert.deepEqual([error.code, error.details?.[0]?.pointer], ['validation_failed', '/password'])
    return true
  }
}

test('requireGoodPassword refuses short, long, common, repeated, sequential and personal passwords', async () => {
  for (const password of [
    'short',
    'elevencharx',
    'x'.repeat(13),
    'qwerty123456',
    'Motherfucker',
    '1q2w3e4r5t6y',
    'password2026!',
    '!!Password123',
    'iloveyou20262026',
    'passwordpassword',
    'DragonDragon1',
    'abcabcabcabcabc',
    '123456789012',
    '987654321098',
    'abcdefghijklmn',
    'qwertyuiopasdf',
    'aaaaaaaaaaaaaaaa',
    'adoptable2026',
    'ana.garcia@hill-shelter.example',
    'Hill-Shelter99',
    'garcia1234567',
    'long enough '.repeat(20),
  ]) {
    assert.equal(await isRefused(password), true, password)
  }
})

test('requireGoodPassword accepts any other password of 12 to 200 characters', async () => {
  for (const password of [
    'correct horse battery staple',
    'alllowercase words',
    '493817265094',
    'ñandúes en la pampa',
    '犬は猫と友達になりたいです',
    ' leading and trailing ',
    '🐕🐈🐇🐎🐄🐖🐓🦆🐢🐍🦎🐹',
    `${'long enough '.repeat(16)}12345678`,
  ]) {
    assert.equal(await isRefused(password), false, password)
  }
})
