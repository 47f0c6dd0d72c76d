import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { runCli } from '../testing/process.ts'
import { scratchFolder, startApp, type TestApp, UNLIMITED } from '../testing/start-app.ts'
import { storedBytes } from '../testing/stored-bytes.ts'

const ADA = { name: 'Ada Asker', email: 'Ada.Asker@example.org' }
const BEN = { name: 'Ben Beside', email: 'ben@example.org' }

const erase = (t: TestContext, databaseUrl: string, email = 'ada.asker@EXAMPLE.org') =>
  runCli(t, ['people', 'erase', '--email', email], { DATABASE_URL: databaseUrl })

/** Orders 1 of Ada and 2 of Ben, both cancelled; applications 1 to 3 of Ada, and 4 of Ben. */
async function fill(app: TestApp): Promise<void> {
  const { post, patch } = app
  for (const adopter of [ADA, BEN]) {
    const { body } = await post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'available' })
    const order = await post('/v1/store/orders', { petId: body.id, adopter })
    await patch(`/v1/store/orders/${order.body.id}`, { status: 'cancelled' })
  }
  for (const [index, applicant] of [ADA, ADA, ADA, BEN].entries()) {
    const message = `It is ${applicant.name} who writes.`
    await post(
      '/v1/applications',
      { petId: 1, applicant, message },
      { 'idempotency-key': `application-${index}` },
    )
  }
  await patch('/v1/applications/2', { status: 'declined', note: 'Ada Asker has no time.' })
}

test('people erase on SQLite beside a service waits until that has written the file anew', async (t) => {
  const databaseUrl = `sqlite:${join(scratchFolder(t), 'test.db')}`
  const app = await startApp(t, {
    databaseUrl,
    key: UNLIMITED,
    now: Date.now(),
    steady: () => performance.now(),
  })
  await fill(app)

  const { code, stdout } = await erase(t, databaseUrl)

  assert.deepEqual([code, stdout.split(';')[0]], [0, 'erased 1 order and 3 applications'])
  assert.doesNotMatch(await storedBytes(databaseUrl), /Ada[ .]Asker/i)
})
