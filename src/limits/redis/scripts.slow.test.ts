import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { NEEDS_REDIS, startRedis } from '../../testing/redis.ts'
import { type Lease, OWN } from './lease.ts'
import { readAnswer, reportOf } from './messages.ts'
import { RECONCILE } from './scripts.ts'

// What Redis makes of a minute that a process tells of after the others' own has ended.

const NOW = 1_800_000_000_000
const NONE: Lease = { windowId: '', startedAt: 0, used: 0, served: 0, charged: 0, cap: 0 }

async function openStore(t: TestContext) {
  const { client } = await startRedis(t)
  return async (now: number, kind: 'reconcile' | 'rebuild', minute: Partial<Lease>, id = 'a') => {
    const shares = [...reportOf({ ...NONE, ...minute }), ...reportOf(NONE)]
    const args = [id, 1, now, kind, kind === 'rebuild' ? 'loss' : '', ...shares, 0, 0, 0]
    return readAnswer((await client.eval(RECONCILE, 2, '{k}', '{k}:refusals', ...args)) as unknown[]).minute
  }
}

for (const kind of ['reconcile', 'rebuild'] as const) {
  test(
    `${kind}: a minute that was opened alone begins for the others when they hear of it`,
    NEEDS_REDIS,
    async (t) => {
      const report = await openStore(t)
      const own = { windowId: `${OWN}${NOW}`, startedAt: NOW, served: 3, cap: 10 }

      const heard = await report(NOW + 59_000, kind, own)
      assert.deepEqual([heard.windowId, heard.startedAt, heard.used], [own.windowId, NOW + 59_000, 3])
      const again = await report(NOW + 61_000, kind, own)
      assert.deepEqual([again.startedAt, again.used], [NOW + 59_000, 3], 'telling it twice changes nothing')
    },
  )

  test(`${kind}: a minute in which nobody was served is none`, NEEDS_REDIS, async (t) => {
    const report = await openStore(t)

    assert.equal(
      (await report(NOW + 59_000, kind, { windowId: `${OWN}${NOW}`, startedAt: NOW })).windowId,
      '',
    )
  })

  test(`${kind}: a minute that the store had opened goes on from its start`, NEEDS_REDIS, async (t) => {
    const report = await openStore(t)
    const known = { windowId: String(NOW), startedAt: NOW, used: 5, served: 2, charged: 2, cap: 2 }

    const heard = await report(NOW + 59_000, kind, known)
    assert.deepEqual([heard.windowId, heard.startedAt, heard.used], [known.windowId, NOW, 5])
  })

  test(
    `${kind}: a minute that others have takes in what was served alone beside it`,
    NEEDS_REDIS,
    async (t) => {
      const report = await openStore(t)
      await report(NOW, kind, {
        windowId: String(NOW),
        startedAt: NOW,
        used: 5,
        served: 5,
        charged: 5,
        cap: 5,
      })

      const own = { windowId: `${OWN}${NOW + 1}`, startedAt: NOW + 1, served: 3, cap: 10 }
      const heard = await report(NOW + 59_000, kind, own, 'b')
      assert.deepEqual([heard.used, heard.cap], [8, 10], 'it may go on, as it may not hear this')
      const late = { windowId: `${OWN}${NOW - 60_000}`, startedAt: NOW - 60_000, served: 3, cap: 10 }
      assert.equal(
        (await report(NOW + 59_000, kind, late, 'c')).used,
        8,
        'one that was over before is none of it',
      )
    },
  )
}

test(
  'what was sent over an earlier connection is stale, also where there was nothing to tell',
  NEEDS_REDIS,
  async (t) => {
    const { client } = await startRedis(t)
    const settle = async (session: number) => {
      const args = ['a', session, NOW, 'reconcile', '', ...reportOf(NONE), ...reportOf(NONE), 0, 0, 0]
      return ((await client.eval(RECONCILE, 2, '{k}', '{k}:refusals', ...args)) as unknown[])[0]
    }

    assert.equal(await settle(2), 'reconciled')
    assert.equal(await settle(1), 'stale')
    assert.ok((await client.pttl('{k}')) > 50_000, 'for a minute')
  },
)
