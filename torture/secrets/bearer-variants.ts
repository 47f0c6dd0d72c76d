import { list } from '../lab/list.ts'
import type { Random } from '../lab/random.ts'

/** What a key is to the service. */
export interface Keys {
  valid: string
  /** Well-formed ones that open nothing: unknown, revoked, expired, of the other environment. */
  useless: string[]
}

export interface Variant {
  about: string
  /** Header lines, and what stands behind the path. */
  lines: string[]
  query: string
  /** Whether RFC 6750 and RFC 9110 make it the valid key, sent once and in the header. */
  accepted: boolean
}

const OTHER_SCHEMES = list('Basic¦Token¦Digest¦Bearer:¦Bear¦Bearers¦Key¦ApiKey¦¦"Bearer"¦Ｂearer')
const OTHER_PLACES = list('X-Api-Key: ¦Proxy-Authorization: Bearer ¦Cookie: authorization=Bearer ¦Api-Key: ')
const ODD = list('\0¦\x01¦\x7f¦\x80¦\xff¦\x0b¦\x0c¦\r¦\n¦\r\n ¦\t¦ ¦"¦,¦;¦=¦%20¦é')
const JUNK = [
  ...list('¦ ¦=¦==¦null¦undefined¦[object Object]¦-¦.¦__proto__¦constructor¦{}¦💥'),
  ...list("' or 1=1--¦adopt_live_¦adopt_test_¦%00¦\\¦#{7*7}¦../../etc"),
  `adopt_live_${'0'.repeat(36)}`,
]

/** The header with one value, which is no valid key. */
const refused = (value: string) => ({ lines: [`Authorization: ${value}`], accepted: false })

const KINDS: ((random: Random, keys: Keys) => Omit<Variant, 'about' | 'query'> & { query?: string })[] = [
  // The key as it should be, in every form that is allowed.
  (random, { valid }) => {
    const scheme = [...'bearer'].map((letter) => (random.often(0.5) ? letter.toUpperCase() : letter)).join('')
    const name = random.pick(['Authorization', 'authorization', 'AUTHORIZATION', 'aUTHORIZATION'])
    const [before, after] = [random.pick(['', ' ', '\t', '  \t ']), random.pick(['', ' ', '\t', '   '])]
    const between = ' '.repeat(random.whole(1, random.often(0.9) ? 3 : 2_000))
    return { lines: [`${name}:${before}${scheme}${between}${valid}${after}`], accepted: true }
  },
  // One character of it changed, added, lost, or moved.
  (random, { valid }) => {
    const place = random.whole(0, valid.length - 1)
    const letter = random.pick([...'0aZz_-.~+/=', ...ODD])
    const changed = random.pick([
      valid.slice(0, place) + letter + valid.slice(place),
      valid.slice(0, place) + letter + valid.slice(place + 1),
      valid.slice(0, place) + valid.slice(place + 1),
      valid.slice(0, place),
      valid.slice(place + 1) + valid.slice(0, place + 1),
    ])
    // A space at an end is none of the value (RFC 9110, section 5.5).
    const accepted = changed.replace(/^ +|[ \t]+$/g, '') === valid
    return { lines: [`Authorization: Bearer ${changed}`], accepted }
  },
  (random, { valid }) => {
    const others = [valid.toUpperCase(), valid.toLowerCase(), `"${valid}"`, `<${valid}>`, valid.repeat(2)]
    const changed = random.pick(others)
    return { lines: [`Authorization: Bearer ${changed}`], accepted: changed === valid }
  },
  (random, { useless }) => refused(`Bearer ${random.pick(useless)}`),
  (random, { valid }) => refused(`${random.pick(OTHER_SCHEMES)} ${valid}`),
  (random, { valid }) => {
    const odd = random.pick(ODD.filter((text) => text !== ' '))
    const spoilt = [`Bearer${odd}${valid}`, `Bearer ${odd}${valid}`, `${odd}Bearer ${valid}`]
    const line = random.pick([...spoilt, `Bearer ${valid}${odd}x`])
    return { lines: [`Authorization: ${line}`], accepted: /^\tBearer/.test(line) }
  },
  // Twice, as two headers or in a list.
  (random, { valid, useless }) => {
    const other = random.pick([valid, ...useless, random.pick(JUNK)])
    const two = random.shuffled([`Bearer ${valid}`, random.pick([`Bearer ${other}`, 'Basic YTpi', other])])
    const line = `Authorization: ${two.join(random.pick([',', ', ', ' ', ';']))}`
    if (random.often(0.6)) return { lines: two.map((value) => `Authorization: ${value}`), accepted: false }
    // Nothing but spaces beside the one is the one.
    return { lines: [line], accepted: /^Authorization: +(\S+ \S+) *$/.exec(line)?.[1] === `Bearer ${valid}` }
  },
  // Where no key belongs.
  (random, { valid }) => ({ lines: [random.pick(OTHER_PLACES) + valid], accepted: false }),
  (random, { valid }) => {
    const query = `?${random.pick(['access_token', 'api_key', 'authorization', 'key', 'token'])}=${valid}`
    return { lines: [], query, accepted: false }
  },
  (random) => refused(`${random.pick(['Bearer ', 'Bearer', ''])}${random.pick(JUNK)}`),
  (random) => {
    const bytes = Buffer.from(Array.from({ length: random.whole(1, 300) }, () => random.whole(0, 255)))
    return refused(`Bearer ${bytes.toString(random.pick(['latin1', 'base64', 'hex']))}`)
  },
  (random, { valid }) =>
    refused(`Bearer ${valid}${'a'.repeat(random.pick([1_000, 8_000, 16_000, 17_000, 1_000_000]))}`),
]

export function makeVariant(random: Random, keys: Keys): Variant {
  const { lines, query = '', accepted } = random.pick(KINDS)(random, keys)
  return { about: JSON.stringify([query, ...lines]).slice(0, 300), lines, query, accepted }
}
