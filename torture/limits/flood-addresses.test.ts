import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../src/testing/start-app.ts'
import type { Random } from '../lab/random.ts'
import { randomOf, reached, rounds } from '../lab/rounds.ts'
import { figuresOf } from './answers.ts'

const THOUSANDS = rounds(10)
const LIMIT = 1e6

/** One address as somebody wrote it, and whose counter it is. */
interface Hop {
  written: string
  counter: string
  trusted: boolean
}

/** Where the test itself comes from. */
const SOCKET: Hop = { written: '', counter: '127.0.0.1', trusted: false }

const SETTINGS = [
  { about: 'no proxy', TRUST_PROXY: '', trusts: () => false },
  { about: 'one proxy', TRUST_PROXY: '127.0.0.1', trusts: ({ counter }: Hop) => counter === '127.0.0.1' },
  {
    about: 'networks of proxies',
    TRUST_PROXY: '127.0.0.0/8,10.0.0.0/8,fd00::/8',
    trusts: ({ counter, trusted }: Hop) => trusted || counter === '127.0.0.1',
  },
]

for (const [part, { about, TRUST_PROXY, trusts }] of SETTINGS.entries()) {
  test(`every spelling of an address has one counter, and nobody chooses another: ${about}`, async (t) => {
    const random = randomOf(part)
    const [a, b] = [String(LIMIT), String(LIMIT)]
    // Its clock stands still: nothing is forgotten.
    const { request } = await startApp(t, {
      settings: { TRUST_PROXY, ANONYMOUS_PER_MINUTE: a, ANONYMOUS_PER_DAY: b },
    })
    const used = new Map<string, number>()
    for (let sent = 0; sent < THOUSANDS * 1_000; sent += 1) {
      const chain = Array.from({ length: random.whole(0, 4) }, () => anyHop(random))
      const header = chain.map(({ written }) => written).join(random.pick([',', ', ', ' , ']))
      const headers = {
        authorization: undefined,
        'x-forwarded-for': chain.length > 0 ? header : undefined,
        // These count for nobody.
        forwarded: `for=${anyHop(random).written}`,
        'x-real-ip': anyHop(random).written,
        'x-client-ip': anyHop(random).written,
      }
      const answer = await request('/v1/pets', { headers })
      // Going back from the connection, the first that is no proxy of ours.
      const back = [SOCKET, ...chain.reverse()]
      const { counter } = back.find((hop) => !trusts(hop)) ?? (back.at(-1) as Hop)
      used.set(counter, (used.get(counter) ?? 0) + 1)
      const { remaining } = figuresOf(answer)
      assert.equal(LIMIT - remaining, used.get(counter), `${counter} of ${header}`)
    }
    reached(t, `${THOUSANDS},000 requests, ${used.size} counters: each told apart from the others`)
  })
}

function anyHop(random: Random): Hop {
  return random.pick([clientV4, clientV6, proxy, oddity])(random)
}

function clientV4(random: Random): Hop {
  const [a, b, c, d] = [198, 51, random.whole(0, 3), random.whole(0, 255)]
  const dotted = [a, b, c, d].join('.')
  const [high, low] = [(a * 256 + b).toString(16), (c * 256 + d).toString(16)]
  const written = random.pick([
    dotted,
    `::ffff:${dotted}`,
    `::FFFF:${high}:${low}`,
    `0:0:0:0:0:ffff:${high}:${low}`,
    `0000:0000:0000:0000:0000:ffff:${dotted}`,
    `${dotted}:${random.whole(1, 65_535)}`,
  ])
  return { written, counter: dotted, trusted: false }
}

/** Mostly from one /64, of which a client has 2^64 addresses, and from the 256 of one /56. */
function clientV6(random: Random): Hop {
  const local = random.often(0.2)
  const subnet = random.often(0.5) ? 0 : random.whole(0, 255)
  const [prefix, counter] = local
    ? ['fe80:0:0:0', 'fe80']
    : [`2001:db8:7:${subnet.toString(16)}`, `/56 ${subnet}`]
  const [one, two, three, four] = Array.from({ length: 4 }, () => random.whole(1, 65_535).toString(16))
  const written = random.pick([
    `${prefix}:${one}:${two}:${three}:${four}`,
    `${prefix}::${four}`,
    `[${prefix}::${four}]`,
    `[${prefix}::${four}]:${random.whole(1, 65_535)}`,
    `${prefix.toUpperCase()}:${one?.padStart(4, '0')}::${four?.toUpperCase()}`,
    ...(local ? [`fe80::${one}%eth0`, `fe80::${one}%${random.whole(1, 9)}`] : []),
  ])
  return { written, counter, trusted: false }
}

function proxy(random: Random): Hop {
  const number = random.whole(0, 255)
  return random.pick([
    { written: `10.0.0.${number}`, counter: `10.0.0.${number}`, trusted: true },
    { written: `::ffff:10.0.0.${number}`, counter: `10.0.0.${number}`, trusted: true },
    { written: `fd00::${number.toString(16)}`, counter: 'fd00', trusted: true },
    { written: '127.0.0.1', counter: '127.0.0.1', trusted: true },
  ])
}

/** What is no address: all of it has one counter. */
function oddity(random: Random): Hop {
  const written = random.pick([
    'unknown',
    'unknown:80',
    '2001:db8::1]',
    '_hidden',
    '300.1.1.1',
    '1.2.3.4.5',
    '"',
    '::g',
  ])
  return { written, counter: 'unknown', trusted: false }
}
