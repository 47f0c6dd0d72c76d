import { countWords } from '../../../src/search/words.ts'
import { findNextPage } from '../creators.ts'
import { times } from '../parallel.ts'
import { list, type Random } from '../random.ts'
import type { Answer } from '../wire.ts'
import {
  type Draft,
  findMismatch,
  findRoute,
  isValidQuery,
  type Parameter,
  RANDOM_OPERATIONS,
  type Request,
  readExactly,
  resolve,
} from './description.ts'
import { mutate } from './mutations.ts'
import { createValues } from './values.ts'

/** The key that a request carries, if any. */
export type Caller = string | undefined

interface Options {
  random: Random
  /** Callers by weight. */
  callers: [weight: number, caller: Caller][]
  /** Prefix of the X-Request-Ids, which makes them unique. */
  name: string
  /** Fraction of requests that are mutated. */
  invalidShare: number
  /** Whether to use paths that are not in the description too. */
  otherPaths?: boolean
  /** Whether to upload valid photos. The random ids of their files show in every answer with the animal. */
  validPhotos?: boolean
}

export interface Requests {
  /** @param caller a random one when absent */
  next(caller?: string): Request
  /** Remembers ids, pages and ETags from an answer for later requests. */
  learn(request: Request, answer: Pick<Answer, 'status' | 'headers' | 'text'>): void
}

/** Operations with more parameters get a larger weight. Deletes get a small one, so some animals stay. */
const WEIGHTED_OPERATIONS = RANDOM_OPERATIONS.map((one) => {
  const queries = (one.parameters ?? []).filter((parameter) => parameter.in === 'query').length
  const more = (one.parameters ?? []).length + queries + (one.requestBody ? 3 : 0)
  // An order needs an available animal first, then an order to change. Few updates reach their condition.
  const favour = one.path.startsWith('/store') || one.operationId === 'updatePet' ? 3 : 1
  return [favour * (one.method === 'DELETE' ? 2.5 : 1 + more), one] as const
})
/** The parser does not read a longer target together with its headers. */
const MAX_TARGET_LENGTH = 15_000
/** Some answers list all categories, so there should be few categories. */
const MAX_CATEGORIES = 100
/** Number of remembered values of each kind. */
const MAX_REMEMBERED = 40
const ODD_KEYS = [...list('¦ ¦"¦""¦a b¦\xe9'), ...times(3, (more) => 'k'.repeat(254 + more))]

/** Members with rules outside the schema: they depend on each other, or on members missing in a patch. */
const RULED_MEMBERS =
  /"(?:birthDate(?:Exact)?|age|l(?:at|ong)itude|tags|intakeDate|holdReason|outcome(?:Kind|Date|Note)|datedNotes|breed|fee|organizationId|bondedWith|applicationQuestions)"/

/** An animal without such members. Most random animals break a rule, so few would be created. */
function plainAnimal(body: string): string {
  const { birthDate, birthDateExact, age, place, tags, staff, breed, fee, ...plain } = JSON.parse(body)
  const { organizationId, bondedWith, ...left } = plain
  return JSON.stringify({ ...left, status: 'available' })
}

/** The largest allowed body in bytes. No schema declares this limit. */
const MAX_BYTES = 65_536

/** Limits of a search query. No schema declares them. */
const [MAX_FILTERS, MAX_VALUES, MAX_WORDS] = [16, 64, 8]

function breaksBounds(query: Draft['query']): boolean {
  const names = new Set(query.map(([name]) => name))
  const ordered = query.some(([name, value]) => name === 'sort' && !['id', '-id'].includes(value))
  return (
    names.size > MAX_FILTERS ||
    query.length > MAX_VALUES ||
    query.some(([name, value]) => name === 'q' && countWords(value) > MAX_WORDS) ||
    (ordered && (names.has('id') || !names.has('near')))
  )
}

/** No schema says that an order names each animal once. */
function repeatsAnimal(body: Draft['body']): boolean {
  const ids = /"alsoPetIds"\s*:\s*\[([^\]]*)\]/.exec(String(body))?.[1]?.split(',') ?? []
  return new Set(ids.map((id) => id.trim())).size < ids.length
}

/** Whether a rule outside the schema may reject the request, such as that places must be known. */
const hasOtherRules = ({ body, query }: Draft): boolean =>
  RULED_MEMBERS.test(String(body)) ||
  repeatsAnimal(body) ||
  Buffer.byteLength(String(body)) > MAX_BYTES ||
  query.some(([name]) => name === 'near') ||
  breaksBounds(query)

/** Makes random requests from the description, some of them mutated. */
export function createRequests({
  random,
  callers,
  name,
  invalidShare,
  otherPaths = false,
  validPhotos = true,
}: Options): Requests {
  const { chance, pick, weighted, integer } = random
  const values = createValues({ random, resolve, someId })
  const latest = { pets: 1, categories: 8, organizations: 1, orders: 1 }
  /** Paths of photos. */
  const photos: string[] = []
  const pages: string[] = []
  const etags: { path: string; etag: string; modified: string | undefined }[] = []
  const retried: Draft[] = []
  let count = 0

  function remember<Item>(items: Item[], item: Item): void {
    items.push(item)
    if (items.length > MAX_REMEMBERED) items.shift()
  }

  function someId(parameter: string): number {
    if (parameter === 'categoryId') return chance(0.8) ? integer(1, 8) : integer(1, latest.categories + 1)
    // Ids in a new store, and a few more.
    if (parameter === 'breedId' || parameter === 'colorId') return integer(1, 800)
    if (parameter === 'organizationId') return integer(1, latest.organizations + 1)
    const most = latest[parameter === 'orderId' ? 'orders' : 'pets']
    return integer(chance(0.9) ? Math.max(1, most - 60) : 1, most + 1)
  }

  function draft(caller: Caller): Draft {
    const chosen = weighted(WEIGHTED_OPERATIONS)
    const many = latest.categories > MAX_CATEGORIES && !chance(0.01)
    const operation = chosen.operationId === 'createCategory' && many ? weighted(WEIGHTED_OPERATIONS) : chosen
    const { method, parameters = [], requestBody } = operation
    const queryParameters = parameters.filter((one) => one.in === 'query' && one.name !== 'cursor')
    // With many filters hardly any animal would match.
    const share = queryParameters.length > 10 ? 0.1 : 0.3
    const queries = queryParameters.filter(({ required }) => required || chance(share))
    const filled = `/v1${operation.path.replace(/\{(\w+)\}/g, (_all, id) => String(someId(id)))}`
    // The path must have the animal of the photo.
    const owned = photos.filter((one) => one.split('/')[2] === filled.split('/')[2])
    const photo = operation.path.endsWith('{photoId}') && owned.length > 0 && chance(0.8)
    const made: Draft = {
      operation,
      method: method === 'GET' && chance(0.05) ? 'HEAD' : method,
      path: photo ? pick(owned) : filled,
      query: queries.flatMap((one) => query(one, values.valid)),
      headers: caller === undefined ? [] : [['Authorization', `Bearer ${caller}`]],
      decidable: true,
      broken: false,
    }
    if (!requestBody) return made
    const [mediaType, { schema }] = pick(Object.entries(requestBody.content))
    if (mediaType.startsWith('image/')) {
      made.headers.push(['Content-Type', mediaType])
      return {
        ...made,
        decidable: false,
        body: chance(0.9) && validPhotos ? pixel(integer(0, 255)) : Buffer.from('null'),
      }
    }
    const body = values.valid(schema)
    const isPlain = operation.operationId === 'createPet' && chance(0.5)
    return {
      ...made,
      headers: [...made.headers, ['Content-Type', mediaType]],
      body: isPlain ? plainAnimal(body) : body,
    }
  }

  function query({ name, schema }: Parameter, make: typeof values.valid): [string, string][] {
    const { items } = resolve(schema)
    const made = items ? times(integer(1, 3), () => make(items, name)) : [make(schema, name)]
    return made.map((json) => [name, json.startsWith('"') ? JSON.parse(json).toWellFormed() : json])
  }

  /** A page from a Link header, sometimes changed. */
  function page(): string {
    const found = pick(pages)
    if (!chance(0.15)) return found
    const place = integer(10, found.length - 1)
    return pick([
      found.replace(/limit=\d+/, 'limit=50'),
      found.replace(/sort=-?id/, 'sort=id'),
      `${found}&status=sold`,
      `${found}&cursor=x`,
      found.replace('/pets', '/store/orders'),
      `${found.slice(0, place)}A${found.slice(place + 1)}`,
    ])
  }

  const hasHeader = ({ operation }: Draft, name: string): boolean =>
    (operation.parameters ?? []).some((one) => one.in === 'header' && one.name === name)

  /** Adds a condition, sometimes with an ETag of something else or an old one. */
  function addCondition(made: Draft): void {
    const reads = made.operation.method === 'GET'
    const names = reads ? ['If-None-Match', 'If-Modified-Since'] : ['If-Match', 'If-Unmodified-Since']
    const [match = '', since = ''] = names
    // There are fewer changes than reads, and many get a 404 or 403 before the service checks the condition.
    const fitting = reads ? etags : etags.filter(({ path }) => /^\/v1\/pets\/\d+$/.test(path))
    if (!hasHeader(made, match) || fitting.length === 0 || !chance(reads ? 0.4 : 0.7)) return
    const target = pick(fitting)
    if (chance(0.7)) Object.assign(made, { path: target.path, query: [], decidable: false })
    const { etag, modified } = target
    const others = reads ? [] : times(4, () => pick(fitting).etag)
    const tag = pick([etag, etag, etag, etag, ...others, `W/${etag}`, `"x", ${etag}`, '*', '"', '', 'x'])
    const date = pick([modified, modified, 'Tue, 01 Dec 2026 00:00:00 GMT', 'yesterday'])
    if (chance(0.85)) made.headers.push([match, tag])
    if (date && chance(0.4)) made.headers.push([since, date])
  }

  /** Adds an Idempotency-Key: a new one, or an earlier one with the same or a different request. */
  function addIdempotencyKey(made: Draft, caller: Caller): Draft {
    if (!hasHeader(made, 'Idempotency-Key') || !chance(0.35)) return made
    if (retried.length > 0 && chance(0.4)) {
      const again = { ...pick(retried) }
      if (chance(0.6)) return again
      // The same JSON with different bytes.
      if (chance(0.5)) return { ...again, body: `${again.body ?? ''} ` }
      if (caller && chance(0.5)) {
        const others = again.headers.filter(([name]) => name !== 'Authorization')
        return { ...again, headers: [...others, ['Authorization', `Bearer ${caller}`]] }
      }
      made.headers.push(...again.headers.filter(([name]) => name === 'Idempotency-Key'))
      made.decidable = false
      return made
    }
    const odd = chance(0.05)
    const id = `k-${integer(0, 1e9)}`
    made.headers.push(['Idempotency-Key', odd ? pick(ODD_KEYS) : chance(0.5) ? id : `"${id}"`])
    if (odd) made.decidable = false
    return made
  }

  return {
    next(given) {
      count += 1
      const caller = given ?? weighted(callers)
      const fresh = draft(caller)
      if (pages.length > 0 && fresh.operation.responses[200]?.headers?.Link && chance(0.2))
        Object.assign(fresh, { path: page(), query: [], decidable: false })
      addCondition(fresh)
      const made = addIdempotencyKey(fresh, caller)
      // A repeated request is not mutated.
      if (made === fresh && chance(invalidShare))
        mutate({ draft: made, random, invalid: values.invalid, query, otherPaths })
      return encode(random, made, `${name}-${count}`)
    },
    learn({ method, target, draft: sent }, { status, headers, text }) {
      const path = target.replace(/^https?:\/\/[^/]+/, '').replace(/\?$/, '')
      const kind = /^\/v1\/(pets|categories|organizations|store)/.exec(path)?.[1]
      if (status === 201 && path.includes('/photos')) {
        remember(photos, new URL(String(headers.location)).pathname)
      } else if (status === 201 && kind) {
        const { id } = JSON.parse(text)
        const name = kind === 'store' ? 'orders' : (kind as keyof typeof latest)
        latest[name] = Math.max(latest[name], id)
      }
      const next = findNextPage({ headers })
      if (next) remember(pages, next)
      const { etag, 'last-modified': modified } = headers
      if (etag && method !== 'HEAD' && findRoute('GET', path).operation)
        remember(etags, { path: status === 201 ? `${path}/${JSON.parse(text).id}` : path, etag, modified })
      // The service does not store failures, so few of them are repeated.
      const isKeyed = sent.headers.some(([name]) => name === 'Idempotency-Key')
      if (isKeyed && !sent.broken && (status < 300 || chance(0.1))) remember(retried, sent)
    },
  }
}

/** A GIF with one pixel. */
function pixel(shade: number): Buffer {
  const head = Buffer.from('GIF89a\x01\x00\x01\x00\x80\x00\x00', 'latin1')
  const rest = Buffer.from(',\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;', 'latin1')
  return Buffer.concat([head, Buffer.from([shade, 0, 0, 0, shade, 0]), rest])
}

/** Whether query and body match the description. */
function isValid({ operation, query, body }: Draft): boolean {
  const parameters = (operation.parameters ?? []).filter((one) => one.in === 'query')
  const valuesOf = (name: string) => query.filter(([given]) => given === name).map(([, value]) => value)
  if (!parameters.every(({ name, schema }) => isValidQuery(schema, valuesOf(name)))) return false
  if (parameters.some(({ name, required }) => required && valuesOf(name).length === 0)) return false
  const schema = Object.values(operation.requestBody?.content ?? {})[0]?.schema
  return (
    schema === undefined ||
    (body !== undefined && findMismatch(schema, readExactly(String(body))) === undefined)
  )
}

/** Encodes a draft as bytes. */
function encode(random: Random, draft: Draft, id: string): Request {
  const { chance, pick } = random
  const { path, query, body } = draft
  const parameters = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
  const target = path + (query.length > 0 ? (path.includes('?') ? '&' : '?') : '') + parameters.join('&')
  // The parser rejects other characters and longer targets.
  const broken = draft.broken || /[^!-~]/.test(target) || target.length > MAX_TARGET_LENGTH
  // A request that the parser rejects gets an answer with a body, even for HEAD.
  const method = broken && draft.method === 'HEAD' ? 'GET' : draft.method
  const named = new Set(draft.headers.map(([name]) => name.toLowerCase()))
  const own: [string, string][] = [
    ['Host', 'pets.example'],
    ['X-Request-Id', id],
  ]
  const content = Buffer.from(body ?? '')
  const chunked = content.length > 0 && chance(0.05)
  if (chunked) own.push(['Transfer-Encoding', 'chunked'])
  else if (body !== undefined) own.push(['Content-Length', String(content.length)])
  const headers = [...own.filter(([name]) => !named.has(name.toLowerCase())), ...draft.headers]
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  const head = Buffer.from(`${[`${method} ${target} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`, 'latin1')
  const size = `${content.length.toString(16)}${chance(0.2) ? pick([';a', ';a=b', ';a="b"']) : ''}\r\n`
  const framed = chunked ? [Buffer.from(size), content, Buffer.from('\r\n0\r\n\r\n')] : [content]
  return {
    bytes: Buffer.concat([head, ...framed]),
    method,
    target,
    valid: draft.decidable && !broken && !hasOtherRules(draft) ? isValid(draft) : undefined,
    broken,
    id: broken || named.has('x-request-id') ? undefined : id,
    draft,
  }
}
