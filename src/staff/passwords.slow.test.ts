import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiError } from '../errors.ts'
import { startConsole } from '../testing/staffed.ts'
import { verifyPassword } from './passwords.ts'

test('40 passwords are verified at once: 34 get an answer, 6 get service_unavailable', async () => {
  const tried = await Promise.allSettled(Array.from({ length: 40 }, () => verifyPassword('x', undefined)))
  const refused = tried.filter((one) => one.status === 'rejected')
  assert.equal(refused.length, 40 - 2 - 32)
  for (const { reason } of refused) assert.equal((reason as ApiError).code, 'service_unavailable')
  assert.equal(await verifyPassword('x', undefined), false, 'the next password is verified')
})

test('a service as in production stores passwords as argon2id with 19 MiB and two passes', async (t) => {
  const { context, join } = await startConsole(t, { ownProcesses: true })
  await join()
  const { password } = await context.db.selectFrom('staff').select('password').executeTakeFirstOrThrow()
  assert.match(String(password), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
})
