import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startConsole } from '../testing/staffed.ts'

test('a service as in production stores passwords as argon2id with 19 MiB and two passes', async (t) => {
  const { context, join } = await startConsole(t, { ownProcesses: true })
  await join()
  const { password } = await context.db.selectFrom('staff').select('password').executeTakeFirstOrThrow()
  assert.match(String(password), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
})
