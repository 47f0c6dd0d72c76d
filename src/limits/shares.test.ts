import assert from 'node:assert/strict'
import net from 'node:net'
import { type TestContext, test } from 'node:test'
import { openRenderer } from '../photos/renderer/render.ts'
import { cleanup } from '../testing/cleanup.ts'
import type { Answer } from '../testing/client.ts'
import { sendForm, signIn } from '../testing/console.ts'
import { JPEG, picture } from '../testing/pictures.ts'
import { pauseReader } from '../testing/reader-program.ts'
import { makeKey, startApp, UNLIMITED } from '../testing/start-app.ts'
import { upload } from '../testing/upload.ts'
import { openShare, type Party, SHARE_LIMITS, type ShareLimits, type ShareName } from './shares.ts'

const afterATurn = <Value>(value: Value) => new Promise<Value>((go) => void setImmediate(go, value))

type Status = Promise<Pick<Answer, 'status'>>

/** A shared resource, and two shelters at two addresses. Tests use up the limit of the shelter `one`. */
interface Shared {
  one: Party
  /** Uses the resource. */
  ask(who: 'one' | 'other'): Status
  /** The status of requests that get a slot. */
  status: number
  /** Holds a slot until disposed, or until the test ends. */
  fill(party: Party): Disposable
}

/** One client controls all IPv6 addresses with the same first half, so these are two clients. */
const NETWORKS = { one: '2001:db8:0:1', other: '2001:db8:0:2' }
const ORGANIZATION = 'organization:1'
const ADDRESS = `ip:${NETWORKS.one}::/64`

async function startShared(t: TestContext): Promise<Record<ShareName, Shared>> {
  const app = await startApp(t, {
    key: { ...UNLIMITED, access: 'admin' },
    settings: { TRUST_PROXY: 'loopback', ANONYMOUS_PER_MINUTE: '1000' },
  })
  for (const name of ['One', 'Other']) await app.post('/v1/organizations', { name })
  for (const organizationId of [1, 2])
    await app.post('/v1/pets', { name: 'Rex', categoryId: 1, organizationId })
  const keyOf = (organizationId: number) =>
    makeKey(app.databaseUrl, { ...UNLIMITED, access: 'write', organizationId })
  const keys = { one: await keyOf(1), other: await keyOf(2) }
  const people = {
    one: await signIn(app, { organizationId: 1 }),
    other: await signIn(app, { organizationId: 2 }),
  }
  let number = 0
  /** Each request has a new address. */
  const from = (who: 'one' | 'other') => {
    number += 1
    return { 'x-forwarded-for': `${NETWORKS[who]}::${number.toString(16)}` }
  }
  const asKey = (who: 'one' | 'other') => ({ ...from(who), authorization: `Bearer ${keys[who]}` })
  const { shares } = app.service.context
  const key = { caller: 'key:2', organization: ORGANIZATION, address: ADDRESS }
  const person = { ...key, caller: 'staff:1' }
  const of = (name: ShareName, rest: Omit<Shared, 'fill'>): Shared => ({
    ...rest,
    fill: (party) => shares[name].take(party),
  })
  const bring: Shared['ask'] = (who) => upload(app, people[who], 'name,category\nRex,Dog\n', {}, from(who))
  const body = await picture()
  const addPhoto: Shared['ask'] = (who) => {
    const headers = { ...JPEG, ...asKey(who) }
    return app.request(`/v1/pets/${who === 'one' ? 1 : 2}/photos`, { method: 'POST', body, headers })
  }
  for (const who of ['one', 'other'] as const) assert.equal((await addPhoto(who)).status, 201)

  return {
    // A photo rendition that exists takes no slot.
    photoUploads: of('photoUploads', { one: key, status: 200, ask: addPhoto }),
    newPhotos: inRenderer(t, true),
    photoSizes: inRenderer(t, false),
    importUploads: of('importUploads', { one: person, status: 200, ask: bring }),
    imports: of('imports', { one: person, status: 200, ask: bring }),
    reads: of('reads', {
      one: key,
      status: 200,
      ask(who) {
        number += 1
        return app.request(`/v1/pets?q=${number}`, { headers: asKey(who) })
      },
    }),
    streams: of('streams', {
      one: key,
      status: 200,
      ask: (who) => app.request('/v1/events/stream', { method: 'HEAD', headers: asKey(who) }),
    }),
    signIns: of('signIns', {
      one: { caller: ADDRESS, address: ADDRESS },
      status: 400,
      ask(who) {
        number += 1
        const fields = { email: `${number}@shelter.example`, password: 'wrong' }
        return sendForm(app, '/console/sign-in', fields, from(who))
      },
    }),
  }
}

/** The limit of photos that wait for the renderer, which is paused, so admitted photos keep waiting. */
function inRenderer(t: TestContext, isUpload: boolean): Shared {
  pauseReader(t)
  const one = { caller: 'key:2', organization: ORGANIZATION, address: ADDRESS }
  let renderer = openRenderer()
  cleanup(t).defer(() => renderer.close())
  const render = (party: Party): Status =>
    renderer.render({ source: '', renditions: [] }, { party, isUpload }).then(
      () => ({ status: 200 }),
      ({ status }) => ({ status }),
    )
  return {
    one,
    status: 202,
    ask: (who) =>
      Promise.race([render(who === 'one' ? one : { caller: 'another' }), afterATurn({ status: 202 })]),
    fill(party) {
      void render(party)
      const own = renderer
      return {
        [Symbol.dispose]() {
          void own.close()
          if (own === renderer) renderer = openRenderer()
        },
      }
    },
  }
}

test('each shared resource limits caller, organization and address, so others still get slots', async (t) => {
  const all = await startShared(t)
  for (const name of Object.keys(SHARE_LIMITS) as ShareName[]) {
    const { one, ask, status, fill } = all[name]
    const { max, maxPerCaller = max / 4, advice }: ShareLimits = SHARE_LIMITS[name]
    assert.equal((await ask('one')).status, status, name)
    const others = { caller: 'key:98', organization: 'organization:9', address: 'ip:192.0.2.9' }
    const byName: [share: number, party: Party][] = [
      [maxPerCaller, { ...others, caller: one.caller }],
      [Math.ceil(max / 4), { ...others, organization: one.organization }],
      [Math.ceil(max / 4), { ...others, address: one.address }],
    ]
    for (const [share, party] of byName) {
      if (party.organization === undefined) continue
      using held = new DisposableStack()
      const parties = Array.from({ length: share }, (_, index) =>
        party.caller === one.caller ? party : { ...party, caller: `key:${100 + index}` },
      )
      for (const each of parties) held.use(fill(each))
      let isAnswered = false
      const answer = ask('one').then((answer) => {
        isAnswered = true
        return answer
      })
      if (advice !== undefined) assert.equal((await answer).status, 429, `${name}: ${JSON.stringify(party)}`)
      assert.equal((await ask('other')).status, status, `${name}: ${JSON.stringify(party)}`)
      assert.equal(isAnswered, advice !== undefined, `${name}: ${JSON.stringify(party)}`)
      held.dispose()
      if (advice === undefined) assert.equal((await answer).status, status, name)
      assert.equal((await ask('one')).status, status, `${name}: a slot is free again`)
    }
  }
})

test('a caller at its own limit gets 429 with advice; a resource without free slots gives 503', () => {
  const share = openShare('photoUploads')
  const take = (number: number) => share.take({ caller: `key:${number}`, address: `ip:${number}` })
  const held = Array.from({ length: 64 }, (_, number) => take(number % 4))
  assert.throws(() => take(0), {
    code: 'rate_limit_exceeded',
    message: /^You are uploading too many photos at once\. Wait/,
  })
  assert.throws(() => take(4), { code: 'service_unavailable' })
  held[1]?.[Symbol.dispose]()
  held[1]?.[Symbol.dispose]()
  take(4)
  assert.throws(() => take(5), { code: 'service_unavailable' }, 'a slot is freed only once')
})

test('waiting requests get slots round-robin, and none after they have left', async () => {
  const share = openShare('signIns')
  const order: string[] = []
  const run = (caller: string, isGone?: () => boolean) =>
    share.run({ caller }, () => afterATurn(order.push(caller)), isGone)
  const gone = assert.rejects(
    (async () => {
      const held = share.take({ caller: 'a' })
      const running = run('a', () => true)
      held[Symbol.dispose]()
      return running
    })(),
    { code: 'request_timeout' },
  )
  await gone
  const held = ['holder 1', 'holder 2'].map((caller) => share.take({ caller }))
  const all = [...'aaabc'].map((caller) => run(caller))
  held[0]?.[Symbol.dispose]()
  await Promise.all(all)
  assert.deepEqual(order, [...'abcaa'])
})

test('a request that waits too long gets 503, and the next request gets the slot', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const share = openShare('reads')
  const party = { caller: 'key:1' }
  const slots = Array.from({ length: SHARE_LIMITS.reads.max / 4 }, () => share.take(party))
  const late = share.run(party, () => 'late')
  t.mock.timers.tick(SHARE_LIMITS.reads.maxWaitMs - 1)
  const inTime = share.run(party, () => 'in time')
  t.mock.timers.tick(1)
  await assert.rejects(late, { code: 'service_unavailable' })
  slots[0]?.[Symbol.dispose]()
  assert.equal(await inTime, 'in time')
})

test('an address at its limit does not delay other clients of the organization', async () => {
  const share = openShare('reads')
  const fill = (party: Party, count: number) => Array.from({ length: count }, () => share.take(party))
  const slots = [
    ...fill({ caller: 'ip:1', address: 'ip:1' }, 16),
    ...['key:8', 'key:9', 'key:10'].flatMap((caller) => fill({ caller }, 16)),
  ]
  const organization = 'organization:7'
  void share.run({ caller: 'key:1', organization, address: 'ip:1' }, () => 'first')
  const second = share.run({ caller: 'key:2', organization, address: 'ip:2' }, () => 'second')
  slots.at(-1)?.[Symbol.dispose]()
  assert.equal(await second, 'second')
  for (const place of slots) place[Symbol.dispose]()
})

test('a client that does not read its response holds no slot', async (t) => {
  const app = await startApp(t)
  const socket = net.connect(app.port, '127.0.0.1').pause()
  t.after(() => socket.destroy())
  socket.write('GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(32))
  for (let count = 0; count < 3; count += 1) assert.equal((await app.get(`/v1/pets?q=${count}`)).status, 200)
})
