import { list } from '../lab/list.ts'
import type { Random } from '../lab/random.ts'

/**
 * Requests of doubtful length, with another request, the marker, where only a careless reader sees one: in
 * the body, or behind what nobody may go on reading from.
 */
export interface Case {
  about: string
  /** As latin1. */
  bytes: string
  /** What the service has to say of it; where absent, either. */
  verdict?: 'refused' | 'served'
}

/** How the two animals are named. */
export const OUTER = 'outer'
export const MARKER = 'smuggled'

type Fields = readonly string[]

const POST = 'POST /v1/pets HTTP/1.1'

function post(name: string, key: string, fields: Fields, body: string, line = POST): string {
  const head = [line, 'Host: a', `Authorization: Bearer ${key}`, `X-Request-Id: ${name}`]
  return `${[...head, 'Content-Type: application/json', ...fields].join('\r\n')}\r\n\r\n${body}`
}

const animal = (name: string): string => JSON.stringify({ name, categoryId: 1 })
const chunk = (text: string, size = hex(text.length)): string => `${size}\r\n${text}\r\n`
const LAST = '0\r\n\r\n'
const hex = (count: number): string => count.toString(16)
const spelt = (form: string, number: number | string): string => form.replaceAll('#', String(number))

/** Ways to spell a coding that is chunked for some and not for others. */
const CODINGS = list(
  'chunked¦Chunked¦\tchunked¦chunked ¦xchunked¦chunked, identity¦identity, chunked¦cow¦chunked, chunked',
  '"chunked"¦chunked;q=1¦\x0bchunked¦\x0cchunked¦chunked\0¦chu\rnked¦,chunked¦chunked,¦gzip, chunked',
  'chunked\x0b¦\xa0chunked¦chunked\r\n cow¦\r\n chunked',
)
const CODING_NAMES = list(
  'Transfer-Encoding¦transfer-encoding¦Transfer-Encoding ¦Transfer-Encoding\t¦ Transfer-Encoding',
  'Transfer\0-Encoding¦Transfer-Encoding\r¦X: y\nTransfer-Encoding¦X: y\rTransfer-Encoding',
)
/** Ways to spell a length, or the size of a chunk, that is one for some and not for others: # is the number. */
const WRONG_LENGTHS = list('+#¦-#¦0x#¦#, #¦#,¦# #¦#\0¦#;¦"#"¦#.0¦#e0¦\x0b#¦\xa0#¦#\r¦#_0')
const WRONG_SIZES = list('0x#¦+#¦-#¦#_¦1000000000000000#¦#\x0b¦\t#¦ #¦#;a\n¦#\n¦g#¦#\0')
const SIZES = list('#¦0#¦000#¦#;a=b¦#;a="b"¦#;a')
const LINE_ENDS = list('\n¦\r¦\n\r¦\r\r\n¦\x0b\r\n ¦\0\r\n¦\r\n ¦\r\n\t¦\r\n\r')
const CONTROLS = list('\0¦\x01¦\x08¦\x0b¦\x0c¦\x1b¦\x7f¦\r¦\n')
const STRAY = [...CONTROLS, ' ', '\t', '\x80', '\xff']
const BORN_NAMES = list('__proto__¦constructor¦prototype¦toString¦hasOwnProperty¦__defineGetter__')

const HEAD_BYTES = 16_384
const URL_CHARACTERS = 8_192

/** One kind each: with a name for its outer animal, and the bytes of a marker. */
type Outer = (fields: Fields, body: string, line?: string) => string
type Make = (random: Random, outer: Outer, inner: Inner) => Case

interface Inner {
  /** Body of a request that adds the outer animal. */
  animal: string
  marker: string
}

const coding = (random: Random): string => `${random.pick(CODING_NAMES)}: ${random.pick(CODINGS)}`
const length = (bytes: number | string): string => `Content-Length: ${bytes}`

const KINDS: Record<string, Make> = {
  'length and coding': (random, outer, { marker }) => {
    const body = LAST + marker
    const fields = random.shuffled([length(body.length), coding(random)])
    return { about: fields.join(' | '), bytes: outer(fields, body), verdict: 'refused' }
  },
  'coding and a short length': (random, outer, { animal, marker }) => {
    const first = `${(animal.length + marker.length).toString(16)}\r\n`
    const fields = random.shuffled([length(first.length + random.whole(0, 3)), coding(random)])
    const body = `${first + animal + marker}\r\n${LAST}`
    return { about: fields.join(' | '), bytes: outer(fields, body), verdict: 'refused' }
  },
  'two codings': (random, outer, { animal, marker }) => {
    const fields = [coding(random), coding(random), length(random.pick([5, animal.length]))]
    const bytes = outer(random.shuffled(fields), chunk(animal + marker) + LAST)
    return { about: fields.join(' | '), bytes, verdict: 'refused' }
  },
  'two lengths': (random, outer, { animal, marker }) => {
    const whole = animal.length + marker.length
    const fields = random.shuffled([length(animal.length), length(random.pick([whole, animal.length, 0]))])
    return { about: fields.join(' | '), bytes: outer(fields, animal + marker), verdict: 'refused' }
  },
  'a length in an odd spelling': (random, outer, { animal, marker }) => {
    const field = length(spelt(random.pick(WRONG_LENGTHS), animal.length + marker.length))
    return { about: field, bytes: outer([field], animal + marker), verdict: 'refused' }
  },
  'a chunk size in an odd spelling': (random, outer, { animal, marker }) => {
    const size = spelt(random.pick(WRONG_SIZES), hex(animal.length + marker.length))
    const bytes = outer(['Transfer-Encoding: chunked'], chunk(animal + marker, size) + LAST)
    return { about: JSON.stringify(size), bytes, verdict: 'refused' }
  },
  'a chunk in an allowed spelling': (random, outer, { animal }) => {
    const size = spelt(random.pick(SIZES), hex(animal.length))
    const bytes = outer(['Transfer-Encoding: chunked'], chunk(animal, size) + LAST)
    return { about: size, bytes, verdict: 'served' }
  },
  'a chunk that does not end where it says': (random, outer, { animal, marker }) => {
    const size = (animal.length + random.pick([-2, -1, 1, 2])).toString(16)
    const bytes = outer(['Transfer-Encoding: chunked'], chunk(animal, size) + LAST + marker)
    return { about: size, bytes, verdict: 'refused' }
  },
  'a line that ends oddly': (random, outer, { animal, marker }) => {
    const end = random.pick(LINE_ENDS)
    const hidden = random.pick([length(animal.length), 'Transfer-Encoding: chunked', 'X: y'])
    const fields = [length(animal.length + marker.length), `A: b${end}${hidden}`]
    const bytes = outer(random.shuffled(fields), animal + marker)
    return { about: JSON.stringify(end + hidden), bytes, verdict: 'refused' }
  },
  'a control character in a header': (random, outer, { animal, marker }) => {
    const control = random.pick(CONTROLS)
    const field = random.pick([`A${control}: b`, `${control}A: b`, `A: b${control}c`, `A ${control}: b`])
    const fields = [field, length(animal.length + marker.length)]
    return { about: JSON.stringify(field), bytes: outer(fields, animal + marker), verdict: 'refused' }
  },
  'headers named like members of every object': (random, outer, { animal }) => {
    const fields = random.shuffled(BORN_NAMES).map((name) => `${name}: ${random.pick(BORN_NAMES)}`)
    const bytes = outer([...fields, length(animal.length)], animal)
    return { about: fields[0] ?? '', bytes, verdict: 'served' }
  },
  'a thousand headers': (random, outer, { animal }) => {
    const fields = Array.from({ length: 1_000 }, (_, place) => `a${place}: ${random.whole(0, 9)}`)
    return { about: '', bytes: outer([...fields, length(animal.length)], animal), verdict: 'served' }
  },
  'a head of about 16 KiB': (random, outer, { animal }) => {
    const empty = outer([length(animal.length), 'A: '], '').length
    const more = random.pick([-200, -1, 0, 1, 200])
    const bytes = outer([length(animal.length), `A: ${'a'.repeat(HEAD_BYTES - empty + more)}`], animal)
    return { about: `${more} bytes more`, bytes }
  },
  'an address of about 8 KiB': (random, outer) => {
    const more = random.pick([-1, 0, 1, 2_000])
    const path = '/v1/pets?'.padEnd(URL_CHARACTERS + more, 'a')
    const verdict = more > 0 ? 'refused' : 'served'
    return { about: `${more} more`, bytes: outer(['Connection: close'], '', `GET ${path} HTTP/1.1`), verdict }
  },
  'a body where none is usual': (random, outer, { marker }) => {
    const line = `${random.pick(['GET', 'DELETE', 'OPTIONS'])} ${random.pick(['/v1/pets', '/v1/pets/0'])} HTTP/1.1`
    const chunked = random.often(0.5)
    const field = chunked ? 'Transfer-Encoding: chunked' : length(marker.length)
    return { about: `${line} ${field}`, bytes: outer([field], chunked ? chunk(marker) + LAST : marker, line) }
  },
  'more behind the last request': (random, outer, { animal, marker }) => {
    const [line, field] = random.pick([
      [POST, 'Connection: close'],
      ['POST /v1/pets HTTP/1.0', 'A: b'],
    ] as const)
    const bytes = outer([field, length(animal.length)], animal + marker, line)
    return { about: `${line} ${field}`, bytes, verdict: 'served' }
  },
  'a coding in HTTP/1.0': (random, outer, { animal, marker }) => {
    const bytes = outer([coding(random)], chunk(animal) + LAST + marker, 'POST /v1/pets HTTP/1.0')
    return { about: '', bytes, verdict: 'refused' }
  },
  'headers in a trailer': (random, outer, { animal }) => {
    const trailer = random.pick([length(5), 'Transfer-Encoding: chunked', 'Host: b', '__proto__: a', 'A: b'])
    const body = `${chunk(animal)}0\r\n${trailer}\r\n\r\n`
    return { about: trailer, bytes: outer(['Transfer-Encoding: chunked'], body) }
  },
  'a stray character in the head': (random, outer, { animal, marker }) => {
    const whole = outer([length(animal.length + marker.length)], '')
    const place = random.whole(0, whole.length - 5)
    const stray = random.pick(STRAY)
    const bytes = whole.slice(0, place) + stray + whole.slice(place) + animal + marker
    return { about: `${JSON.stringify(stray)} at ${place}`, bytes }
  },
}

/** Case `number` of a run. */
export function makeCase(random: Random, number: number, key: string): Case {
  const [kind, make] = random.pick(Object.entries(KINDS))
  const names = { outer: `${OUTER}-${number}`, marker: `${MARKER}-${number}` }
  const { about, ...made } = make(
    random,
    (fields, body, line) => post(names.outer, key, fields, body, line),
    { animal: animal(names.outer), marker: plainRequest(names.marker, key) },
  )
  return { about: `case ${number}, ${kind}: ${about}`, ...made }
}

/** One that nobody can mistake. */
export function plainRequest(name: string, key: string): string {
  return post(name, key, [length(animal(name).length)], animal(name))
}
