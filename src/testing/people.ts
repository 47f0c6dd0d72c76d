import type { TestContext } from 'node:test'
import { runCli } from './process.ts'
import type { TestApp } from './start-app.ts'

// Two people, and what a store has of them.

export const ADA = { name: 'Ada Asker', email: 'Ada.Asker@example.org' }
export const BEN = { name: 'Ben Beside', email: 'ben@example.org' }

export const erase = (t: TestContext, databaseUrl: string, email = 'ada.asker@EXAMPLE.org') =>
  runCli(t, ['people', 'erase', '--email', email], { DATABASE_URL: databaseUrl })

/** Orders 1 of Ada and 2 of Ben, both cancelled; applications 1 to 3 of Ada, and 4 of Ben. */
export async function fill(app: TestApp): Promise<void> {
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
