import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { NEEDS_REDIS, startRedis } from '../../testing/redis.ts'
import { type Lease, OFFLINE_PREFIX, readAnswer, reportOf } from './lease.ts'
import { RECONCILE } from './scripts.ts'

// Reports of a minute that a process opened offline, sent after the minute of the other processes has ended.

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
    `${kind}: a minute opened offline starts for the others when it is reported`,
    NEEDS_REDIS,
    async (t) => {
      const report = await openStore(t)
      const own = { windowId: `${OFFLINE_PREFIX}${NOW}`, startedAt: NOW, served: 3, cap: 10 }

      const answer = await report(NOW + 59_000, kind, own)
      assert.deepEqual([answer.windowId, answer.startedAt, answer.used], [own.windowId, NOW + 59_000, 3])
      const again = await report(NOW + 61_000, kind, own)
      assert.deepEqual([again.startedAt, again.used], [NOW + 59_000, 3], 'a repeated report changes nothing')
    },
  )

  test(`${kind}: a minute without served requests is not created`, NEEDS_REDIS, async (t) => {
    const report = await openStore(t)

    assert.equal(
      (await report(NOW + 59_000, kind, { windowId: `${OFFLINE_PREFIX}${NOW}`, startedAt: NOW })).windowId,
      '',
    )
  })

  test(`${kind}: a minute that the store had opened keeps its start`, NEEDS_REDIS, async (t) => {
    const report = await openStore(t)
    const lease = { windowId: String(NOW), startedAt: NOW, used: 5, served: 2, charged: 2, cap: 2 }

    const answer = await report(NOW + 59_000, kind, lease)
    assert.deepEqual([answer.windowId, answer.startedAt, answer.used], [lease.windowId, NOW, 5])
  })

  test(
    `${kind}: requests served in a minute opened offline count in the minute of the other processes`,
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

      const own = { windowId: `${OFFLINE_PREFIX}${NOW + 1}`, startedAt: NOW + 1, served: 3, cap: 10 }
      const answer = await report(NOW + 59_000, kind, own, 'b')
      assert.deepEqual(
        [answer.used, answer.cap],
        [8, 10],
        'the process may go on serving, because the answer may be lost',
      )
      const late = {
        windowId: `${OFFLINE_PREFIX}${NOW - 60_000}`,
        startedAt: NOW - 60_000,
        served: 3,
        cap: 10,
      }
      assert.equal(
        (await report(NOW + 59_000, kind, late, 'c')).used,
        8,
        'a minute that ended before does not count',
      )
    },
  )
}

test('a message of an earlier session is stale, even after an empty report', NEEDS_REDIS, async (t) => {
  const { client } = await startRedis(t)
  const reconcile = async (session: number) => {
    const args = ['a', session, NOW, 'reconcile', '', ...reportOf(NONE), ...reportOf(NONE), 0, 0, 0]
    return ((await client.eval(RECONCILE, 2, '{k}', '{k}:refusals', ...args)) as unknown[])[0]
  }

  assert.equal(await reconcile(2), 'reconciled')
  assert.equal(await reconcile(1), 'stale')
  assert.ok((await client.pttl('{k}')) > 50_000, 'expires after a minute')
})
