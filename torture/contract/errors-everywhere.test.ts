import { test } from 'node:test'
import { sql } from 'kysely'
import { assertError } from '../../src/testing/client.ts'
import { scratchDatabase } from '../../src/testing/postgres.ts'
import { startProxy } from '../../src/testing/proxy.ts'
import { startApp, UNLIMITED } from '../../src/testing/start-app.ts'
import { OPERATIONS } from '../lab/requests/description.ts'
import { reportFigure } from '../lab/rounds.ts'
import { NO_ANONYMOUS_LIMITS } from '../lab/service.ts'
import { withStore } from '../lab/stores.ts'

const BODY = {
  name: 'a',
  petId: 1,
  categoryId: 1,
  adopter: { name: 'a', email: 'a@example.org' },
  applicant: { name: 'a', email: 'a@example.org' },
  url: 'https://a.example/',
}
/** Required parameters, which let a request reach the store. */
const QUERIES: Record<string, string> = {
  listPetFacets: '?facet=status',
  recoverDeliveries: '?since=2026-12-01T00:00:00Z',
}

test('every operation without its database or with broken tables: the headers and the Error body', async (t) => {
  const url = new URL(await scratchDatabase(t))
  const proxy = await startProxy(t, { host: url.hostname, port: Number(url.port) })
  url.port = String(proxy.port)
  const app = await startApp(t, {
    databaseUrl: url.href,
    key: { ...UNLIMITED, access: 'admin' },
    settings: NO_ANONYMOUS_LIMITS,
  })
  // An empty log of events is not read.
  await app.post('/v1/categories', { name: 'a' })
  async function assertAll(expected: number, code: string, operations = OPERATIONS): Promise<void> {
    for (const operation of operations) {
      const { method, operationId, requestBody } = operation
      const path = `/v1${operation.path.replace(/\{\w+\}/g, '1')}`
      const status = /orders|applications/.test(path) ? 'approved' : 'available'
      const type = path.endsWith('/photos') ? 'image/jpeg' : 'application/json'
      const answer = await app.request(path + (QUERIES[operationId] ?? ''), {
        method,
        ...(requestBody !== undefined && { body: { ...BODY, status }, headers: { 'content-type': type } }),
      })
      assertError(answer, expected, code, operationId)
    }
  }
  proxy.cut()
  await assertAll(503, 'service_unavailable')
  proxy.restore()
  // Waits until the service has confirmed again that no other process uses the database.
  while ((await app.get('/readyz')).status !== 200);
  await dropFeatures(app.databaseUrl)
  // A stream begins before it reads events.
  const reading = OPERATIONS.filter(({ operationId }) => operationId !== 'streamEvents')
  await assertAll(500, 'internal_error', reading)
  reportFigure(
    t,
    `${OPERATIONS.length} operations, ${OPERATIONS.length + reading.length} errors: all with headers and body`,
  )
})

/** Renames a column of every table, except those with keys and limits. */
const dropFeatures = (url: string): Promise<void> =>
  withStore(url, async ({ db }) => {
    const { rows } = await sql<{ name: string; first: string }>`
      select table_name as name, column_name as first from information_schema.columns
      where table_schema = 'public' and ordinal_position = 1
    `.execute(db)
    for (const { name, first } of rows.filter(({ name }) => !/api_key|counter|secret|claim/.test(name)))
      await sql.raw(`alter table "${name}" rename column "${first}" to broken`).execute(db)
  })
