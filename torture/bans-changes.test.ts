import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openForCommand } from '../src/db/database.ts'
import * as keys from '../src/keys/store.ts'
import { PLANS } from '../src/plans.ts'
import { UNLIMITED } from '../src/testing/start-app.ts'
import { asker, type Outcome, type Seen, startPlaces } from './bans-places.ts'
import { makeKeys } from './exact-services.ts'
import { randomOf, reached, rounds } from './given.ts'
import { STORES } from './stores.ts'

const TURNS = rounds(30)
const CLIENTS = 16
const OF_THE_KEY: Outcome[] = ['served', 'rate_limit_exceeded', 'api_key_banned']
/** By then a change holds in every process, in milliseconds. */
const HOLDS_AFTER = 1_000

for (const [part, stores] of STORES.entries()) {
  const { skip } = stores
  const title = `after a second a revoked key serves nothing more and a new plan holds, on ${stores.name}`
  test(title, { skip }, async (t) => {
    const random = randomOf(part)
    const opened = await stores.open(t)
    const places = await startPlaces(t, part === 0 ? 1 : 4, opened)
    const ask = asker(t, places)
    const store = await openForCommand(opened.DATABASE_URL)
    t.after(() => store.close())
    const toFree = (id: number) =>
      store.db
        .updateTable('api_key')
        .set({ plan: 'free', per_minute: null, per_day: null })
        .where('id', '=', id)
        .execute()

    let [latest, requests, stopped] = [0, 0, false]
    t.after(() => {
      stopped = true
    })
    for (let turn = 0; turn < TURNS; turn += 1) {
      const [key = ''] = await makeKeys(opened.DATABASE_URL, [UNLIMITED])
      const id = (await keys.list(store.db)).at(-1)?.id ?? 0
      const seen: Seen[] = []
      stopped = false
      const client = async (): Promise<void> => {
        while (!stopped) seen.push(await ask(random.pick(places), key))
      }
      const load = Promise.all(Array.from({ length: CLIENTS }, client))
      // Told below; until then nobody waits for it.
      load.catch(() => undefined)
      await pause(random.whole(50, 300))
      await toFree(id)
      const plannedAt = Date.now()
      await pause(HOLDS_AFTER + random.whole(100, 300))
      await store.write(keys.revokeKey, id, Date.now())
      const revokedAt = Date.now()
      await pause(HOLDS_AFTER + random.whole(100, 300))
      stopped = true
      await load

      assert.ok(seen.some(({ outcome, sentAt }) => outcome === 'served' && sentAt < plannedAt))
      for (const { outcome, limit, sentAt } of seen) {
        const [planned, revoked] = [sentAt - plannedAt, sentAt - revokedAt]
        // Of all others the headers tell of the address.
        if (!OF_THE_KEY.includes(outcome)) continue
        latest = Math.max(latest, revoked, limit > PLANS.free.perDay ? planned : 0)
        assert.ok(
          limit <= PLANS.free.perDay || planned < HOLDS_AFTER,
          `the old plan ${planned} ms after its end`,
        )
        assert.ok(revoked < HOLDS_AFTER, `${outcome} ${revoked} ms after the end`)
      }
      assert.ok(seen.some(({ outcome }) => outcome === 'invalid_api_key'))
      requests += seen.length
    }
    reached(
      t,
      `${TURNS} changes and revocations under ${requests} requests: the latest seen after ${latest} ms`,
    )
  })
}
