import assert from 'node:assert/strict'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { scratchDatabase } from '../src/testing/postgres.ts'
import { scratchFolder } from '../src/testing/start-app.ts'
import { startV2 } from '../src/testing/v2.ts'
import { reportFigure } from '../torture/lab/rounds.ts'

// The original client from npm, with only the address changed.

interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: the client has no types
  data: any
  status: number
}
type ClientMethod = (...args: unknown[]) => Promise<Answer>
interface OldClient {
  authenticate: ClientMethod
  animal: { search: ClientMethod; show: ClientMethod }
  animalData: { types: ClientMethod; type: ClientMethod; breeds: ClientMethod }
  organization: { search: ClientMethod; show: ClientMethod }
}
type ClientClass = new (config: { apiKey: string; secret: string; baseUrl: string }) => OldClient

const Client: ClientClass | undefined = await import(
  resolve('checks/tools/node_modules/@petfinder/petfinder-js/dist/main.js')
)
  .then(({ default: made, Client: named }) => named ?? made.Client)
  .catch(() => undefined)
const skip = Client ? false : 'not installed: npm ci --prefix checks/tools'

for (const [engine, storeIn] of [
  ['SQLite', (t: Parameters<typeof scratchFolder>[0]) => `sqlite:${join(scratchFolder(t), 'a.db')}`],
  ['PostgreSQL', scratchDatabase],
] as const) {
  test(`every method of an unmodified client works, on ${engine}`, { skip }, async (t) => {
    const made = Client as ClientClass
    const { post, client: keys, port } = await startV2(t, { databaseUrl: await storeIn(t) })
    await post('/v1/organizations', { code: 'CO12', name: 'Hill Shelter' })
    for (let count = 0; count < 45; count += 1) {
      const breed = { primary: count % 2 ? 'Beagle' : 'Boxer' }
      const rex = { name: `Rex ${count}`, categoryId: 1, status: 'available', organizationId: 1, breed }
      assert.equal((await post('/v1/pets', rex)).status, 201)
    }
    const baseUrl = `http://127.0.0.1:${port}/v2`
    const client = new made({ apiKey: keys.id, secret: keys.secret, baseUrl })
    assert.equal((await client.authenticate()).data.expires_in, 3_600)

    const seen = new Set<number>()
    let next = true
    for (let page = 1; next; page += 1) {
      const { animals, pagination } = (await client.animal.search({ type: 'Dog', page, limit: 10 })).data
      for (const { id } of animals) seen.add(id)
      next = pagination._links?.next !== undefined
    }
    assert.equal(seen.size, 45)
    const both = { breed: ['Beagle', 'Boxer'], status: ['adoptable'] }
    assert.equal((await client.animal.search(both)).data.pagination.total_count, 45)
    assert.equal((await client.animal.show(1)).data.animal.name, 'Rex 0')
    assert.equal((await client.animalData.types()).data.types.length, 8)
    assert.equal((await client.animalData.type('Dog')).data.type.name, 'Dog')
    assert.ok((await client.animalData.breeds('Dog')).data.breeds.length > 200)
    assert.equal((await client.organization.search({ name: 'hill' })).data.organizations[0].id, 'CO12')
    assert.equal((await client.organization.show('co12')).data.organization.name, 'Hill Shelter')

    const isInvalid = ({
      invalidParams: [problem],
    }: {
      invalidParams: { path: string; message: string }[]
    }) => problem?.path === 'type' && problem.message === 'zebra is not a valid animal type.'
    await assert.rejects(client.animal.search({ type: 'zebra' }), isInvalid)
    await assert.rejects(client.animal.show(99), { status: 404 })
    await assert.rejects(new made({ apiKey: 'x', secret: 'y', baseUrl }).authenticate(), { status: 401 })
    reportFigure(t, `${seen.size} animals listed`)
  })
}
