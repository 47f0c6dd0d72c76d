import type { TestContext } from 'node:test'
import { runCli } from './process.ts'
import type { TestApp } from './start-app.ts'

// Two people, Ada and Ben, and their data in a store.

export const ADA = { name: 'Ada Asker', email: 'Ada.Asker@example.org' }
export const BEN = { name: 'Ben Bell', email: 'ben@example.org' }

export const erase = (t: TestContext, databaseUrl: string, email = 'ada.asker@EXAMPLE.org') =>
  runCli(t, ['people', 'erase', '--email', email], { DATABASE_URL: databaseUrl })

/**
 * Adds orders and applications. Ada has order 1 and applications 1 to 3; Ben has order 2 and application 4.
 * Both orders are cancelled.
 */
export async function addPeople(app: TestApp): Promise<void> {
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

/**
 * Adds four animals with contacts. Ada was the contact of the first animal, with and without her e-mail
 * address; now Ben is. Ada is the contact of the second. She was the contact of the third, which is deleted.
 * The contact of the fourth has an e-mail address that ends like Ada's. Texts mention Ada too.
 */
export async function fillContacts(app: TestApp): Promise<void> {
  const { post, patch } = app
  const add = async (contact: object, once?: string) =>
    (
      await post(
        '/v1/pets',
        { name: 'Rex', categoryId: 1, contact },
        once === undefined ? {} : { 'idempotency-key': once },
      )
    ).body.id
  const phone = '06-1234-ADA'
  const one = await add({ name: ADA.name, phone }, 'contact-1')
  await patch(`/v1/pets/${one}`, { contact: { email: ADA.email } }, { 'idempotency-key': 'contact-2' })
  await patch(`/v1/pets/${one}`, { contact: { email: null } })
  await patch(`/v1/pets/${one}`, { contact: { name: 'Ben Bell', phone: null, email: BEN.email } })
  const two = await add({ ...ADA, phone })
  const staff = { notes: `Came from\n${ADA.email}.`, kennel: 'B2' }
  const description = `Write to ${ADA.email.toUpperCase()}, or to bada.asker@example.org!`
  const tags = ['calm', ADA.email]
  await patch(`/v1/pets/${two}`, { staff, description, tags, externalId: `${ADA.email}/7` })
  const three = await add({ ...ADA, phone })
  await patch(`/v1/pets/${three}`, { contact: null })
  await app.delete(`/v1/pets/${three}`)
  await add({ name: 'Bada', email: 'bada.asker@example.org' })
  await patch('/v1/applications/4', { note: `Knows ${ADA.email} well.` })
}
