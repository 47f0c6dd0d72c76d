import assert from 'node:assert/strict'
import { UNLIMITED } from '../../src/testing/start-app.ts'
import { startV2 } from '../../src/testing/v2.ts'
import { list } from '../lab/list.ts'
import { each, insist, times } from '../lab/parallel.ts'
import type { Random } from '../lab/random.ts'
import { BAD_NAMES, INTEGERS, NAMES } from '../lab/requests/oddities.ts'
import { randomOf, reached, rounds } from '../lab/rounds.ts'
import { ANYBODY } from '../lab/service.ts'
import { onEach } from '../lab/stores.ts'

const REQUESTS = rounds(2_000)
const ANIMALS = 60
const AT_ONCE = 8

/** What a client may ask a list for, and what it may mean by it. */
const VALUES: Record<string, string[]> = {
  type: list('dog¦Dog¦small-furry¦Scales, Fins & Other¦zebra¦dog,cat'),
  breed: list('Beagle¦beagle,boxer¦\0¦(¦)¦a,b,c¦,¦%¦_'),
  size: list('small¦xlarge¦extra-large¦SMALL,large¦huge'),
  gender: list('male¦Female¦unknown,male¦x'),
  age: list('baby¦Young,senior¦old'),
  color: list('Tricolor (Brown, Black, & White)¦black,white¦constructor¦((¦Orange / Red'),
  coat: list('short¦Medium¦bald'),
  status: list('adoptable¦adopted¦found¦adopted,adoptable¦constructor'),
  name: list('rex¦Rex 1¦"¦é¦犬'),
  organization: list('co12¦XX000¦co12,xx000¦nobody'),
  good_with_dogs: list('1¦0¦true¦maybe'),
  house_trained: list('1¦false¦2'),
  location: list('80202¦Denver, CO¦39.7,-104.9¦denver¦90,180¦-90,-180¦91,181¦K1P 1J1¦0,0'),
  distance: list('1¦500¦501¦x¦1e2'),
  after: list('2020-01-01¦2026-12-01T00:00:00+0000¦2026-02-30¦0000-00-00¦9999-12-31T23:59:60Z'),
  before: list('2030-01-01T00:00:00Z¦x'),
  sort: list('recent¦-recent¦distance¦-distance¦random¦name¦best'),
  page: list('1¦2¦3¦1000000¦1000001¦0¦-1¦x'),
  limit: list('1¦7¦100¦101¦0'),
  state: list('CO¦co¦x'),
  country: list('US¦ca¦Neverland'),
  query: list('hill¦second dog'),
}
const PATHS = [
  ...list(
    '/animals¦/animals/¦/animals¦/animals¦/organizations¦/types¦/types/dog¦/types/Small%20%26%20Furry/breeds',
  ),
  ...list(
    '/animals/1¦/animals/1!¦/animals/x¦/organizations/co12¦/organizations/XX000¦/nothing¦/animals/1/photos',
  ),
]
const METHODS: [number, string][] = [
  [20, 'GET'],
  [2, 'HEAD'],
  [1, 'POST'],
  [1, 'DELETE'],
  [1, 'OPTIONS'],
]

/** What a client of this face may be told. */
const STATUSES = [200, 204, 304, 400, 401, 404, 405, 413, 414, 415]

onEach(`${REQUESTS} random requests to the face of old clients are answered in its form`, async (t, on) => {
  const { DATABASE_URL: databaseUrl, ...settings } = on.stores
  const options = { databaseUrl, settings: { ...settings, ...ANYBODY } }
  const { post, request, token, client } = await startV2(t, options, UNLIMITED)
  await post('/v1/organizations', { code: 'CO12', name: 'Hill', address: { city: 'Denver', region: 'CO' } })
  for (const number of times(ANIMALS, (number) => number))
    await post('/v1/pets', { name: `Rex ${number}`, categoryId: 1 + (number % 8), status: 'available' })
  const random = randomOf(on.part)
  const seen = new Map<number, number>()
  const check = async ({ path, ...sent }: Sent): Promise<void> => {
    const answer = await insist(() => request(path, sent))
    const about = `${sent.method} ${path}: ${answer.status} ${answer.text.slice(0, 500)}`
    seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1)
    assert.ok(STATUSES.includes(answer.status), about)
    if (sent.method === 'HEAD' || answer.status < 400) return
    assert.equal(answer.headers['content-type'], 'application/problem+json', about)
    assert.deepEqual(Object.keys(answer.body).slice(0, 4), ['type', 'status', 'title', 'detail'], about)
    assert.equal(answer.body.status, answer.status, about)
  }
  const make = (): Sent => (random.often(0.15) ? tokenRequest(random, client) : reading(random, token))
  await each(times(REQUESTS, make), AT_ONCE, check)
  reached(
    t,
    [...seen]
      .sort(([one], [other]) => one - other)
      .map((one) => one.join(' × '))
      .join(', '),
  )
})

interface Sent {
  path: string
  method: string
  headers: Record<string, string | undefined>
  body?: string
}

function value(random: Random, name: string): string {
  if (random.often(0.8)) return random.pick(VALUES[name] as string[])
  return random.pick(random.pick([NAMES, BAD_NAMES, INTEGERS, ['', 'a'.repeat(300), '\u0301'.repeat(150)]]))
}

function reading(random: Random, token: string): Sent {
  const names = times(random.whole(0, 5), () => random.pick(Object.keys(VALUES)))
  const pairs = names.map((name) => {
    const shown = random.often(0.1) ? `${name}[]` : random.often(0.05) ? `${name}[0]` : name
    const text = value(random, name)
    return `${encodeURIComponent(shown)}=${random.often(0.9) ? encodeURIComponent(text.toWellFormed()) : '%zz'}`
  })
  const query = random.often(0.05) ? '?%' : pairs.length > 0 ? `?${pairs.join('&')}` : ''
  const authorization = random.weighed<string | undefined>([
    [30, `Bearer ${token}`],
    [1, `Bearer ${token.slice(1)}`],
    [1, 'Basic x'],
    [1, undefined],
  ])
  return {
    path: `/v2${random.pick(PATHS)}${query}`,
    method: random.weighed(METHODS),
    headers: { authorization },
  }
}

function tokenRequest(random: Random, client: { id: string; secret: string }): Sent {
  const odd = (right: string): string =>
    random.often(0.7) ? right : random.pick(['', 'x', right.slice(1), ...BAD_NAMES]).toWellFormed()
  const fields = {
    grant_type: odd('client_credentials'),
    client_id: odd(client.id),
    client_secret: odd(client.secret),
  }
  const form = new URLSearchParams(fields).toString()
  const basic = `Basic ${Buffer.from(`${fields.client_id}:${fields.client_secret}`).toString('base64')}`
  const [type, body] = random.pick([
    ['application/x-www-form-urlencoded', form],
    ['application/json', JSON.stringify(fields)],
    ['application/json', random.pick(['[', 'null', '[]', '{"grant_type":{}}', `"${'a'.repeat(9_000)}"`])],
    [
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="grant_type"\r\n\r\na\r\n--x--',
    ],
    ['multipart/form-data', form],
    ['text/plain', form],
  ] as [string, string][])
  const authorization = random.often(0.3) ? basic : undefined
  return {
    path: '/v2/oauth2/token',
    method: 'POST',
    headers: { authorization, 'content-type': type },
    body,
  }
}
