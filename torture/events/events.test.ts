import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { openForCommand } from '../../src/db/open-database.ts'
import { recordEvents } from '../../src/events/log.ts'
import type { Event } from '../../src/events/schema.ts'
import { cleanup } from '../../src/testing/cleanup.ts'
import { scratchDatabase } from '../../src/testing/postgres.ts'
import { startReceiver } from '../../src/testing/receiver.ts'
import { UNLIMITED } from '../../src/testing/start-app.ts'
import { findNextPage, startCreators } from '../lab/creators.ts'
import { retryUnavailable, times, waitFor } from '../lab/parallel.ts'
import { randomOf, reportFigure, rounds } from '../lab/rounds.ts'
import { newService, type Service, startService } from '../lab/service.ts'
import { type StoreContext, testOnEachStore, withStore } from '../lab/stores.ts'

const ROUNDS = rounds(100)
const ADMIN = { ...UNLIMITED, access: 'admin' } as const

/**
 * Reads the feed from a page on, until the service has no more. A busy machine may answer some requests with
 * 503.
 *
 * @returns the page to ask for later
 */
async function readFeed(service: Service, from: string, onEvent: (event: Event) => void): Promise<string> {
  for (let page = from; ; ) {
    const answer = await retryUnavailable(() => service.ask(page))
    assert.equal(answer.status, 200, answer.text)
    for (const event of answer.body) onEvent(event)
    const next = findNextPage(answer) as string
    if (next === page) return page
    page = next
  }
}

const READERS = 8
const WRITERS = 8
const TRANSACTIONS_PER_ROUND = 5
const MAX_OPEN_MS = 20

/** Adds events in transactions that stay open for a while. Some are rolled back. @returns those committed */
async function writeSlowly(t: TestContext, databaseUrl: string, writer: number): Promise<number[]> {
  const { db, close } = await openForCommand(databaseUrl)
  cleanup(t).defer(close)
  const random = randomOf(100 + writer)
  const committed: number[] = []
  for (let number = 0; number < ROUNDS * TRANSACTIONS_PER_ROUND; number += 1) {
    const ids = times(random.integer(1, 3), (part) => (number * 3 + part) * WRITERS + writer)
    const transaction = await db.startTransaction().execute()
    for (const petId of ids) {
      const event = {
        type: 'pet.updated',
        audience: 'public',
        organizationId: null,
        data: { petId },
      } as const
      await recordEvents(transaction, [event], Date.now())
      await pause(random.integer(0, MAX_OPEN_MS))
    }
    const isCommitted = random.chance(0.8)
    await (isCommitted ? transaction.commit() : transaction.rollback()).execute()
    if (isCommitted) committed.push(...ids)
  }
  return committed
}

test('8 readers of the feed under 8 slow writers on PostgreSQL: each gets every event once, in order', async (t) => {
  const DATABASE_URL = await scratchDatabase(t)
  const service = await startService(t, { settings: { DATABASE_URL }, key: ADMIN })
  const { db, close } = await openForCommand(DATABASE_URL)
  cleanup(t).defer(close)
  let isWriting = true
  const written = Promise.all(times(WRITERS, (writer) => writeSlowly(t, DATABASE_URL, writer))).finally(
    () => {
      isWriting = false
    },
  )
  const readers = times(READERS, async (reader) => {
    const seen: Event[] = []
    let page = `/v1/events?limit=${[1, 3, 10, 1_000][reader % 4]}`
    for (let isLast = false; !isLast; ) {
      isLast = !isWriting
      page = await readFeed(service, page, (event) => seen.push(event))
    }
    return seen
  })
  // The control: a reader that takes the greatest visible id for the end of the log.
  const naive: number[] = []
  for (let isLast = false; !isLast; ) {
    isLast = !isWriting
    const { rows } = await sql<{ id: string }>`
      select id from event where id > ${naive.at(-1) ?? 0} order by id
    `.execute(db)
    naive.push(...rows.map(({ id }) => Number(id)))
  }

  const committed = (await written).flat().toSorted((one, other) => one - other)
  for (const seen of await Promise.all(readers)) {
    const ids = seen.map(({ id }) => id)
    assert.deepEqual(ids, [...new Set(ids)].toSorted())
    assert.deepEqual(
      seen.map(({ data }) => Number(data.petId)).toSorted((one, other) => one - other),
      committed,
    )
  }
  const missed = committed.length - naive.length
  assert.ok(missed > 0, 'the writers never committed out of order')
  const counts = `${committed.length} events, ${READERS} readers, ${WRITERS} writers`
  reportFigure(t, `${counts}: 0 missed, 0 twice; the control missed ${missed}`)
})

const LEASE_MS = 60_000
const MAX_DELIVERIES_PER_LIFE = 20

/** Ends the leases of a process that was killed, because a test cannot wait a minute for each. */
const expireLeases = (databaseUrl: string) =>
  withStore(databaseUrl, ({ db }) =>
    db
      .updateTable('delivery')
      .set(({ eb }) => ({ leased_until: eb('leased_until', '-', LEASE_MS) }))
      .where('leased_until', '>', 0)
      .execute(),
  )

async function killAtDeliveries(t: TestContext, { stores, part }: StoreContext): Promise<void> {
  const random = randomOf(200 + part)
  const settings = { ...stores, WEBHOOK_ALLOW_NETWORKS: 'loopback' }
  const service = await newService(t, { settings, key: ADMIN })
  /** The `webhook-id` of every delivery, by event. */
  const messages = new Map<string, string[]>()
  let left = 0
  const { url } = await startReceiver(t, ({ body, headers }) => {
    const { eventId } = JSON.parse(body).data
    messages.set(eventId, [...(messages.get(eventId) ?? []), String(headers['webhook-id'])])
    left -= 1
    if (left !== 0) return {}
    service.process.child.kill('SIGKILL')
    return random.chance(0.5) ? 'hang' : {}
  })
  await service.start()
  const added = await retryUnavailable(() => service.ask('/v1/webhooks', { body: { url: url() } }))
  assert.equal(added.status, 201, added.text)
  const creators = startCreators(t, service, { clients: 4, pauseMs: 10 })
  for (let round = 0; round < ROUNDS; round += 1) {
    left = random.integer(1, MAX_DELIVERIES_PER_LIFE)
    await waitFor(t, () => !service.alive())
    await expireLeases(stores.DATABASE_URL)
    await service.start()
  }
  const animals = (await creators.stop()).size
  const events: string[] = []
  await readFeed(service, '/v1/events?limit=1000', ({ id }) => events.push(id))
  await waitFor(t, () => events.every((id) => messages.has(id)))

  assert.equal(events.length, animals)
  for (const [id, sent] of messages) assert.deepEqual([...new Set(sent)], [`evt_${id}`])
  const again = [...messages.values()].filter(({ length }) => length > 1).length
  assert.ok(again > 0, 'no process was killed before it noted a delivery')
  reportFigure(t, `${ROUNDS} kills, ${events.length} events: 0 lost, ${again} sent again under the same id`)
}

testOnEachStore(
  'kill -9 at a delivery: no event is lost, and a repeated event keeps its webhook-id',
  killAtDeliveries,
)
