import assert from 'node:assert/strict'
import type { Answer } from '../../src/testing/client.ts'
import { startApp, UNLIMITED } from '../../src/testing/start-app.ts'
import { each, insist } from '../lab/parallel.ts'
import type { Random } from '../lab/random.ts'
import { randomOf, reached, rounds } from '../lab/rounds.ts'
import { onEach, withStore } from '../lab/stores.ts'

const NUMBERS = rounds(20_000)
const AT_ONCE = 8

const LEAST = -(2n ** 63n)
const MOST = 2n ** 63n - 1n
/** A category of this number is there, beside 1 to 8: what is rounded to it would be taken for it. */
const LARGE = [
  // Of SQLite no driver reads a larger one as a number.
  2n ** 53n - 1n,
  2n ** 53n,
]

const EDGES = [0n, 1n, 8n, ...[31n, 32n, 53n, 53n, 62n, 63n, 64n].map((power) => 2n ** power), 10n ** 19n]

onEach('an int64 is the very same everywhere, and anything else is refused', async (t, { stores, part }) => {
  const { DATABASE_URL: databaseUrl, ...settings } = stores
  const { get, post } = await startApp(t, { key: UNLIMITED, databaseUrl, settings })
  const app: Asked = {
    get: (path) => insist(() => get(path)),
    post: (path, body) => insist(() => post(path, body)),
  }
  const large = LARGE[part] ?? 0n
  await withStore(databaseUrl, ({ db }) =>
    db
      .insertInto('category')
      .values({ id: Number(large), name: 'Large', folded_name: 'large' })
      .execute(),
  )
  const isCategory = (value: unknown): boolean =>
    typeof value === 'bigint' && (value === large || (value >= 1n && value <= 8n))
  const random = randomOf(part)
  let taken = 0
  await each(Array(NUMBERS).keys(), AT_ONCE, async () => {
    const text = spelling(random, integer(random))
    await checkPath(app, text, isCategory)
    await checkQuery(app, text)
    if ((await checkBody(app, text, isCategory)) === 201) taken += 1
  })
  reached(t, `${taken} numbers returned exactly, ${NUMBERS - taken} refused, in body, path and query`)
})

interface Asked {
  get(path: string): Promise<Answer>
  post(path: string, body: string): Promise<Answer>
}

type IsCategory = (value: unknown) => boolean

/** In an address there is but one spelling of a number. */
function decimal(text: string): bigint | undefined {
  return /^(0|-?[1-9]\d*)$/.test(text) ? BigInt(text) : undefined
}

async function checkPath({ get }: Asked, text: string, isCategory: IsCategory): Promise<void> {
  const pet = await get(`/v1/pets/${encodeURIComponent(text)}`)
  if (pet.status === 200) assert.ok(pet.text.startsWith(`{"id":${text},`), `${text} is ${pet.text}`)
  else assert.deepEqual([pet.status, pet.body.code], [404, 'pet_not_found'], text)
  const category = await get(`/v1/categories/${encodeURIComponent(text)}`)
  assert.equal(category.status, isCategory(decimal(text)) ? 200 : 404, text)
}

async function checkQuery({ get }: Asked, text: string): Promise<void> {
  const value = decimal(text)
  for (const parameter of ['id', 'categoryId']) {
    const { status, text: found } = await get(`/v1/pets?${parameter}=${encodeURIComponent(text)}`)
    const fits = value !== undefined && value >= LEAST && value <= MOST
    assert.equal(status, fits ? 200 : 400, `${text}: ${found}`)
    if (status !== 200 || found === '[]') continue
    const others = found
      .split(/(?<=\}),/)
      .filter((pet) => !new RegExp(`"${parameter}":${text}[,}]`).test(pet))
    assert.deepEqual(others, [], `${parameter}=${text}`)
  }
}

async function checkBody({ post }: Asked, text: string, isCategory: IsCategory): Promise<number> {
  const { status, body, text: answer } = await post('/v1/pets', `{"name":"Rex","categoryId":${text}}`)
  const code = codeOf(text, isCategory)
  assert.deepEqual([status, body.details?.[0].code ?? body.code], [code ? 400 : 201, code], text)
  if (!code) assert.match(answer, new RegExp(`"categoryId":${integerOf(text)}[,}]`), text)
  return status
}

function integer(random: Random): bigint {
  const sign = random.often(0.3) ? -1n : 1n
  if (random.often(0.2))
    return sign * BigInt(Array.from({ length: random.whole(1, 22) }, () => random.whole(0, 9)).join(''))
  return sign * (random.pick(EDGES) + BigInt(random.whole(-3, 3)))
}

/** The same number in another spelling, or nearly the same number, or none. */
function spelling(random: Random, value: bigint): string {
  const places = random.whole(1, 25)
  const zeros = '0'.repeat(places)
  const [sign, digits] = value < 0n ? ['-', String(-value)] : ['', String(value)]
  const point = random.whole(0, digits.length)
  const moved = `${digits.slice(0, point) || '0'}.${digits.slice(point) || '0'}`
  const exponent = digits.length - point
  return random.weighed([
    [10, String(value)],
    [1, `${value}.${zeros}`],
    [1, `${value}${zeros}e-${places}`],
    [1, `${value}e0`],
    [1, /^0\d/.test(moved) ? String(value) : `${sign}${moved}E+${exponent}`],
    [1, `${value}.5`],
    [1, `${value}.${zeros}1`],
    [1, `${value}e${random.whole(1, 400)}`],
    [1, `${value}e-${random.whole(1, 400)}`],
    [1, `0${value}`],
    [1, `+${value}`],
    [1, `0x${digits}`],
    [1, `"${value}"`],
    [1, `${value}n`],
    [1, `-0`],
  ])
}

const NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:e([+-]?\d+))?$/i

/** The integer that a JSON number is, exactly. */
function integerOf(text: string): bigint | 'no integer' | 'no JSON' {
  const match = NUMBER.exec(text)
  if (!match) return 'no JSON'
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  const digits = BigInt(`${whole}${fraction}`)
  const shift = Number(exponent) - fraction.length
  const scale = 10n ** BigInt(Math.abs(shift))
  if (shift < 0 && digits % scale !== 0n) return 'no integer'
  const size = shift < 0 ? digits / scale : digits * scale
  return sign ? -size : size
}

/** Of the error that a body with this categoryId ends in, if it does. */
function codeOf(text: string, isCategory: IsCategory): string | undefined {
  if (text.startsWith('"')) return 'invalid_type'
  const value = integerOf(text)
  if (value === 'no JSON') return 'invalid_json'
  if (value === 'no integer') return 'invalid_type'
  if (value < LEAST || value > MOST) return 'out_of_range'
  return isCategory(value) ? undefined : 'unknown_category'
}
