import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../errors.ts'
import { requireGoodPassword } from './common-passwords.ts'
import { hashPassword, verifyPassword } from './passwords.ts'

const OWNER = { email: 'ana.garcia@hill-shelter.example', name: 'Ana García' }

test('a password is kept by argon2id with 19 MiB and two passes, each time with another salt', async () => {
  const kept = await hashPassword('four words of mine')
  assert.match(kept, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  assert.notEqual(await hashPassword('four words of mine'), kept)
  assert.equal(await verifyPassword('four words of mine', kept), true)
  assert.equal(await verifyPassword('four words of Mine', kept), false)
})

test('what the reference implementation of argon2 has made is verified, whatever it cost', async () => {
  // From its own tests: password, somesalt, 64 MiB.
  const kept = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
  assert.equal(await verifyPassword('password', kept), true)
  assert.equal(await verifyPassword('passwort', kept), false)
})

test('the same text is the same password, whichever code points a keyboard makes it of', async () => {
  const kept = await hashPassword('pässwörter überall')
  assert.equal(await verifyPassword('pa\u0308sswo\u0308rter u\u0308berall', kept), true)
})

test('for nobody, and for somebody without a password, no password is right', async () => {
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

test('a password that many would think of is refused', async () => {
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

test('any other of 12 to 200 characters is taken, whatever it is made of', async () => {
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
