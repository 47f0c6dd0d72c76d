import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { changes as allChanges } from '../changes.ts'
import { changes } from '../db/change.ts'
import { openForCommand } from '../db/open-database.ts'
import { recordEvents } from '../events/log.ts'
import { cleanup } from '../testing/cleanup.ts'
import { startWithTwo } from '../testing/deliveries.ts'
import { runDoctor } from '../testing/findings.ts'
import { until } from '../testing/redis.ts'

const DAY_MS = 86_400_000
const MAX_PENDING = 2_000
const EVENT = { type: 'pet.created', audience: 'public', organizationId: 1 } as const

/** Starts a service with a webhook that is paused, so no delivery is sent. */
async function startPaused(t: TestContext) {
  const app = await startWithTwo(t)
  const { id } = await app.add({ url: 'https://hooks.example.org/', types: ['pet.created'] })
  const { db, close } = await openForCommand(app.databaseUrl, allChanges)
  cleanup(t).defer(close)
  const paused = { paused_until: app.clock.now + DAY_MS }
  await db.updateTable('webhook').set(paused).execute()
  const rows = db.selectFrom('delivery').select(['id', 'event_id']).orderBy('id')
  return {
    ...app,
    id: id as number,
    async record(count: number): Promise<void> {
      const events = Array.from({ length: count }, (_, petId) => ({ ...EVENT, data: { petId } }))
      await db.transaction().execute((transaction) => recordEvents(transaction, events, app.clock.now))
    },
    async untilQueued(): Promise<void> {
      const log = db.selectFrom('event_log').select('queued_to')
      const { last } = await db
        .selectFrom('event')
        .select(({ fn }) => fn.max('id').as('last'))
        .executeTakeFirstOrThrow()
      await until(async () => (await log.executeTakeFirst())?.queued_to === Number(last))
    },
    countPending: async () => (await rows.where('status', '=', 'pending').execute()).length,
    /** Takes the pending deliveries for delivered, until there were so many. @returns them, oldest first */
    async deliver(count: number) {
      const pending = db.updateTable('delivery').set({ status: 'delivered' }).where('status', '=', 'pending')
      await until(async () => {
        await pending.execute()
        return (await rows.execute()).length === count
      })
      return rows.execute()
    },
    /** Removes all events, as if they were too old. */
    async removeEvents(): Promise<void> {
      while (await app.service.context.write(changes.removeOldEvents, app.clock.now + 1));
    },
  }
}

test('a webhook with many pending deliveries gets later events in order when fewer are left', async (t) => {
  const { record, untilQueued, countPending, deliver } = await startPaused(t)
  await record(MAX_PENDING + 1_500)
  await untilQueued()

  const pending = await countPending()
  assert.ok(pending > 0 && pending <= MAX_PENDING, `${pending} are pending`)
  const ids = (await deliver(MAX_PENDING + 1_500)).map((row) => Number(row.event_id))
  assert.deepEqual(
    ids,
    ids.map((_, index) => Number(ids[0]) + index),
  )
})

test('a webhook that is behind continues where it stopped after it was disabled and enabled', async (t) => {
  const { record, untilQueued, deliver, patch, id } = await startPaused(t)
  await record(MAX_PENDING + 1)
  await untilQueued()
  await patch(`/v1/webhooks/${id}`, { enabled: false })
  await record(10)
  await patch(`/v1/webhooks/${id}`, { enabled: true })
  await deliver(MAX_PENDING + 11)
})

test('a webhook that is behind is disabled if its next events were removed because of their age', async (t) => {
  const app = await startPaused(t)
  const { record, untilQueued, deliver, countPending, removeEvents, get, patch, id } = app
  await record(MAX_PENDING + 1)
  await untilQueued()
  const count = await countPending()
  await removeEvents()
  await deliver(count)
  const read = async () => (await get(`/v1/webhooks/${id}`)).body
  await until(async () => !(await read()).enabled)
  assert.equal((await read()).disabledReason, 'behind')
  await patch(`/v1/webhooks/${id}`, { enabled: true })
  await record(1)
  await untilQueued()

  assert.equal(await countPending(), 1)
  assert.equal((await read()).enabled, true)
})

test('doctor reports by how many events a webhook is behind', async (t) => {
  const { record, untilQueued, countPending, databaseUrl } = await startPaused(t)
  await record(MAX_PENDING + 1)
  await untilQueued()
  const left = MAX_PENDING + 1 - (await countPending())
  const findings = await runDoctor({ DATABASE_URL: databaseUrl })

  assert.deepEqual(
    findings.filter(({ check }) => check === 'webhooks').map(({ found }) => found),
    [`webhook 1 is up to ${left.toLocaleString('en-US')} events behind`],
  )
})

test('POST /v1/webhooks/{id}/recover of many events adds them in parts', async (t) => {
  const { record, deliver, countPending, post, patch, id, clock } = await startPaused(t)
  await patch(`/v1/webhooks/${id}`, { enabled: false })
  await record(MAX_PENDING + 500)
  const since = new Date(clock.now).toISOString()
  const first = (await post(`/v1/webhooks/${id}/recover?since=${since}`, {})).body
  const path = `/v1/webhooks/${id}/recover?since=${since}&after=${first.continueAfter}`
  const next = (await post(path, {})).body
  assert.equal(first.deliveries + next.deliveries, MAX_PENDING + 500)
  await patch(`/v1/webhooks/${id}`, { enabled: true })
  await until(async () => (await countPending()) > 0)

  assert.ok((await countPending()) <= MAX_PENDING)
  await deliver(MAX_PENDING + 500)
})
