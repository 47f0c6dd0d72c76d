import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { changes } from '../db/change.ts'
import { untilScrubbed } from '../testing/jobs.ts'
import { startApp } from '../testing/start-app.ts'
import { storedBytes } from '../testing/stored-bytes.ts'

test('removeStaff leaves no byte of the name and address in the store', async (t) => {
  const app = await startApp(t)
  const { context } = app.service
  const person = { email: 'quentin.ixtlan@shelter.example', name: 'Quentin Ixtlan', role: 'staff' } as const
  await context.write(changes.inviteStaff, person, undefined, hash('sha256', 'link'), app.clock.now)
  const { id } = await context.db.selectFrom('staff').select('id').executeTakeFirstOrThrow()
  await context.write(changes.updateStaff, id, { name: 'Quentin Ixtlan-Bayou' }, undefined)
  assert.match(await storedBytes(app.databaseUrl), /ixtlan/i)

  await context.write(changes.removeStaff, id, undefined, app.clock.now)
  await untilScrubbed(app)
  await app.stop()

  assert.doesNotMatch(await storedBytes(app.databaseUrl), /ixtlan/i)
})
