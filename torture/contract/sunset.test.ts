import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Answer } from '../../src/testing/client.ts'
import { type FakeClock, fakeClock } from '../lab/clock.ts'
import { list } from '../lab/list.ts'
import { needs, randomOf, reached, rounds } from '../lab/rounds.ts'
import { newService } from '../lab/service.ts'
import { onEach } from '../lab/stores.ts'
import { figuresOf } from '../limits/answers.ts'

const CROSSINGS = rounds(100)
const SUNSET = Date.UTC(2030, 11, 5)
/** Around the end of what 32 bits hold as seconds, and far beyond. */
const LATE = list('2030-12-05T00:00:10Z¦2038-01-19T03:14:06Z¦2038-01-20T04:00:00Z¦2100-03-01T00:00:00Z')
const PET = { name: 'Rex', categoryId: 1 }

onEach(
  'GET /pets/{petId} goes at the exact second, and nothing else',
  async (t, { stores, part }) => {
    const random = randomOf(part)
    const clock = fakeClock(t)
    const { ask, start } = await newService(t, { settings: { ...stores, ...clock.settings } })
    setTo(clock, Date.parse('2030-12-04T23:59:50Z'))
    await start()
    assertStatus(await ask('/v1/pets', { body: PET }), 201)

    let [before, after] = [0, 0]
    for (let crossing = 0; crossing < CROSSINGS; crossing += 1) {
      setTo(clock, SUNSET - random.whole(200, 500))
      const end = SUNSET + random.whole(200, 500)
      for (let now = nowOf(clock); now < end; now = nowOf(clock)) {
        const answer = await ask('/v1/pets/1')
        const answeredAt = nowOf(clock)
        assertAnnounced(answer)
        if (answeredAt < SUNSET) before += assertStatus(answer, 200)
        else if (now >= SUNSET) after += assertStatus(answer, 410)
        else assert.ok([200, 410].includes(answer.status), 'at the very moment')
        assertStatus(await ask('/v1/pets?id=1'), 200)
        assertStatus(await ask('/v1/pets/1', { method: 'PATCH', body: PET }), 200)
        await pause(random.whole(0, 10))
      }
    }
    assert.ok(before > 0 && after > 0)
    reached(t, `${CROSSINGS} crossings: ${before} answers before were 200, ${after} after were 410`)
  },
  needs('faketime'),
)

onEach(
  'a start after the sunset, and in 2038 and 2100, serves all the rest',
  async (t, { stores, embedded }) => {
    const clock = fakeClock(t)
    const { ask, start, end } = await newService(t, { settings: { ...stores, ...clock.settings } })
    for (const [place, time] of LATE.entries()) {
      setTo(clock, Date.parse(time))
      await start()
      assertStatus(await ask('/v1/pets', { body: PET }), 201)
      const gone = await ask('/v1/pets/1')
      assertStatus(gone, 410)
      assert.equal(gone.body.code, 'endpoint_removed')
      assertAnnounced(gone)
      const list = await ask('/v1/pets')
      assert.equal(list.body.length, place + 1)
      assert.ok(Math.abs(Date.parse(String(list.headers.date)) - nowOf(clock)) < 5_000)
      // Where no Redis tells another time, the headers tell of the day that has just begun.
      const { limit, remaining, reset } = figuresOf(list)
      assert.ok(limit === 1e9 && remaining > 0)
      if (embedded) assert.ok(Math.abs(reset - nowOf(clock) / 1_000 - 86_400) < 30, time)
      assert.equal((await end('SIGTERM')).code, 0)
    }
    reached(t, LATE.join(', '))
  },
  needs('faketime'),
)

function setTo(clock: FakeClock, time: number): void {
  clock.set((time - Date.now()) / 1_000)
}

/** The time that the service goes by. */
function nowOf({ ahead }: FakeClock): number {
  return Date.now() + ahead * 1_000
}

/** @returns 1 */
function assertStatus({ status, text }: Answer, expected: number): number {
  assert.equal(status, expected, text)
  return 1
}

function assertAnnounced({ headers }: Answer): void {
  assert.equal(headers.deprecation, `@${Date.UTC(2026, 10, 20) / 1_000}`)
  assert.equal(headers.sunset, 'Thu, 05 Dec 2030 00:00:00 GMT')
  assert.match(String(headers.link), /rel="successor-version"/)
  assert.ok(figuresOf({ headers }).remaining > 0)
}
