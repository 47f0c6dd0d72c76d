import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { startApp, UNLIMITED } from '../../src/testing/start-app.ts'
import { readAll } from '../lab/creators.ts'
import { each, insist } from '../lab/parallel.ts'
import type { Random } from '../lab/random.ts'
import { randomOf, reached, rounds } from '../lab/rounds.ts'
import { onEach } from '../lab/stores.ts'

const CODE_UNITS = 65_536
/** So many code units alone, of all that there are, and as many texts of two to four of them. */
const TEXTS = Math.min(rounds(CODE_UNITS), CODE_UNITS)
const AT_ONCE = 16

/** Where storing, encoding or folding text tends to go wrong. */
const EDGES = [
  ...[0, 1, 8, 9, 10, 13, 0x1b, 0x1f, 0x20, 0x22, 0x5c, 0x7e, 0x7f, 0x80, 0x85, 0x9f, 0xa0, 0xad, 0xdf, 0xff],
  ...[
    0x130, 0x131, 0x17f, 0x1c5, 0x300, 0x301, 0x323, 0x345, 0x390, 0x3c2, 0x600, 0x61c, 0x7ff, 0x800, 0x1680,
  ],
  ...[0x180e, 0x1e9e, 0x200b, 0x200d, 0x200e, 0x2028, 0x2029, 0x202e, 0x2060, 0x2066, 0x2126, 0x212a, 0x3000],
  ...[
    0xac00, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xf900, 0xfb01, 0xfdd0, 0xfe0f, 0xfeff, 0xfffd,
    0xffff,
  ],
]

onEach('every text comes back byte for byte, or is refused with a 400', async (t, { stores, part }) => {
  const { DATABASE_URL: databaseUrl, ...settings } = stores
  const app = await startApp(t, { key: UNLIMITED, databaseUrl, settings })
  const random = randomOf(part)
  const texts = new Set([...singles(random), ...EDGES.map((unit) => `a${one(unit)}`), ...several(random)])
  const stored = new Map<string, string>()
  await each(texts, AT_ONCE, async (name) => {
    // Sent again, under its Idempotency-Key, while the service on a busy machine cannot answer.
    const headers = { 'idempotency-key': randomUUID() }
    const answer = await insist(() => app.post('/v1/pets', bodyOf(name), headers))
    const about = `${JSON.stringify(name)}: ${answer.text}`
    assert.equal(answer.status, isName(name) ? 201 : 400, about)
    if (answer.status === 400) assert.equal(answer.body.details[0].pointer, '/name', about)
    else {
      assert.equal(answer.body.name, name, about)
      stored.set(String(answer.body.id), name)
    }
  })

  const found = await readAll({ address: `http://127.0.0.1:${app.port}`, key: app.key })
  assert.equal(found.length, stored.size)
  for (const { id, name } of found) assert.equal(name, stored.get(id), `id ${id}`)
  reached(t, `${texts.size} texts: ${stored.size} returned as sent, ${texts.size - stored.size} refused`)
})

function one(unit: number): string {
  return String.fromCharCode(unit)
}

function singles(random: Random): string[] {
  if (TEXTS === CODE_UNITS) return Array.from({ length: CODE_UNITS }, (_, unit) => one(unit))
  return [...EDGES, ...Array.from({ length: TEXTS }, () => random.whole(0, 0xffff))].map(one)
}

/** Of any code units, and often of those at the edges: pairs of surrogates, accents, joiners and marks. */
function several(random: Random): string[] {
  const unit = (): number => (random.often(0.3) ? random.pick(EDGES) : random.whole(0, 0xffff))
  return Array.from({ length: TEXTS }, () => {
    if (random.often(0.2)) return String.fromCodePoint(random.whole(0x10000, 0x10ffff))
    return Array.from({ length: random.whole(2, 4) }, () => one(unit())).join('')
  })
}

/** What decisions.md calls a name, said in another way than the service does. */
function isName(text: string): boolean {
  const controls = [...text].filter((letter) => letter < ' ' || (letter >= '\x7f' && letter <= '\x9f'))
  return text.isWellFormed() && controls.length === 0 && text.trim() !== ''
}

/** As bytes where it can be, for every second text; else escaped. */
function bodyOf(name: string): string {
  const bare = name.isWellFormed() && name.charCodeAt(0) % 2 === 0
  const units = Array.from({ length: name.length }, (_, place) => name.charCodeAt(place))
  const escaped = units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
  return `{"categoryId":1,"name":${bare ? JSON.stringify(name) : `"${escaped}"`}}`
}
