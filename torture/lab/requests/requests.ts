import { countWords } from '../../../src/search/words.ts'
import { nextPage } from '../creators.ts'
import { list } from '../list.ts'
import { times } from '../parallel.ts'
import type { Random } from '../random.ts'
import type { Answer } from '../wire.ts'
import { misfit, OPERATIONS, type Parameter, queryFits, readExactly, resolve, route } from './description.ts'
import type { Draft, Request } from './draft.ts'
import { mutate } from './mutations.ts'
import { valuesOf } from './values.ts'

/** The key that a request carries, if any. */
export type Caller = string | undefined

interface Options {
  random: Random
  /** Who asks, by how often. */
  callers: [weight: number, caller: Caller][]
  /** Begins its X-Request-Ids, so that no two are the same. */
  name: string
  /** How many of them have something wrong. */
  wrong: number
  /** Addresses, too, of which the description knows nothing. */
  anywhere?: boolean
  /** Whether any photo may be one: what is drawn for it is shown wherever its animal is. */
  pictures?: boolean
}

export interface Requests {
  /** @param caller who asks; a chance one when absent */
  next(caller?: string): Request
  /** Takes from an answer what later requests may name: ids, pages, ETags. */
  learn(request: Request, answer: Pick<Answer, 'status' | 'headers' | 'text'>): void
}

/** The more there is to vary in an operation, the more often; of removals few, so that something is there. */
const WEIGHED = OPERATIONS.map((one) => {
  const queries = (one.parameters ?? []).filter((parameter) => parameter.in === 'query').length
  const more = (one.parameters ?? []).length + queries + (one.requestBody ? 3 : 0)
  // Orders need an animal that is available first, and then the order itself; of changes few get as far as
  // their condition.
  const favour = one.path.startsWith('/store') || one.operationId === 'updatePet' ? 3 : 1
  return [favour * (one.method === 'DELETE' ? 2.5 : 1 + more), one] as const
})
/** With its headers it is more than the parser reads. */
const LONGEST = 15_000
/** Of categories there may only be few more, since some answers hold all of them. */
const FEW = 100
/** Of everything that was learnt the latest so many. */
const REMEMBERED = 40
const ODD_KEYS = [...list('¦ ¦"¦""¦a b¦\xe9'), ...times(3, (more) => 'k'.repeat(254 + more))]

/** Members that have to fit together, and what a patch may leave out: no schema says that. */
const RULED =
  /"(?:birthDate(?:Exact)?|age|l(?:at|ong)itude|tags|intakeDate|breed|fee|organizationId|bondedWith|applicationQuestions)"/

/** Most animals of chance break such a rule: what needs an animal that is there would hardly be met. */
function plainAnimal(body: string): string {
  const { birthDate, birthDateExact, age, place, tags, staff, breed, fee, ...plain } = JSON.parse(body)
  const { organizationId, bondedWith, ...left } = plain
  return JSON.stringify({ ...left, status: 'available' })
}

/** Nor how large a body may be, in bytes. */
const MAX_BYTES = 65_536

/** Nor how many filters, values and words may be asked for, and which orders fit to what else is asked. */
const [MAX_FILTERS, MAX_VALUES, MAX_WORDS] = [16, 64, 8]

function isBounded(query: Draft['query']): boolean {
  const names = new Set(query.map(([name]) => name))
  const ordered = query.some(([name, value]) => name === 'sort' && !['id', '-id'].includes(value))
  return (
    names.size > MAX_FILTERS ||
    query.length > MAX_VALUES ||
    query.some(([name, value]) => name === 'q' && countWords(value) > MAX_WORDS) ||
    (ordered && (names.has('id') || !names.has('near')))
  )
}

/** Nor that the animals of an order are named once each. */
function namesTwice(body: Draft['body']): boolean {
  const ids = /"alsoPetIds"\s*:\s*\[([^\]]*)\]/.exec(String(body))?.[1]?.split(',') ?? []
  return new Set(ids.map((id) => id.trim())).size < ids.length
}

/** Nor that a place has to be known. */
const isRuled = ({ body, query }: Draft): boolean =>
  RULED.test(String(body)) ||
  namesTwice(body) ||
  Buffer.byteLength(String(body)) > MAX_BYTES ||
  query.some(([name]) => name === 'near') ||
  isBounded(query)

/** Requests made from the description, some of them with something wrong, as chance decides. */
export function requestsOf({
  random,
  callers,
  name,
  wrong,
  anywhere = false,
  pictures = true,
}: Options): Requests {
  const { often, pick, weighed, whole } = random
  const values = valuesOf({ random, resolve, someId })
  const latest = { pets: 1, categories: 8, organizations: 1, orders: 1 }
  /** Addresses of photos. */
  const photos: string[] = []
  const pages: string[] = []
  const etags: { path: string; etag: string; modified: string | undefined }[] = []
  const retried: Draft[] = []
  let count = 0

  function keep<Item>(items: Item[], item: Item): void {
    items.push(item)
    if (items.length > REMEMBERED) items.shift()
  }

  function someId(parameter: string): number {
    if (parameter === 'categoryId') return often(0.8) ? whole(1, 8) : whole(1, latest.categories + 1)
    // As a new store has them, and a few more.
    if (parameter === 'breedId' || parameter === 'colorId') return whole(1, 800)
    if (parameter === 'organizationId') return whole(1, latest.organizations + 1)
    const most = latest[parameter === 'orderId' ? 'orders' : 'pets']
    return whole(often(0.9) ? Math.max(1, most - 60) : 1, most + 1)
  }

  function draft(caller: Caller): Draft {
    const chosen = weighed(WEIGHED)
    const many = latest.categories > FEW && !often(0.01)
    const operation = chosen.operationId === 'createCategory' && many ? weighed(WEIGHED) : chosen
    const { method, parameters = [], requestBody } = operation
    const asked = parameters.filter((one) => one.in === 'query' && one.name !== 'cursor')
    // Of many parameters, few: else hardly any animal would fit.
    const share = asked.length > 10 ? 0.1 : 0.3
    const queries = asked.filter(({ required }) => required || often(share))
    const filled = `/v1${operation.path.replace(/\{(\w+)\}/g, (_all, id) => String(someId(id)))}`
    // Whose it is has to fit to the photo.
    const owned = photos.filter((one) => one.split('/')[2] === filled.split('/')[2])
    const photo = operation.path.endsWith('{photoId}') && owned.length > 0 && often(0.8)
    const made: Draft = {
      operation,
      method: method === 'GET' && often(0.05) ? 'HEAD' : method,
      path: photo ? pick(owned) : filled,
      query: queries.flatMap((one) => query(one, values.valid)),
      headers: caller === undefined ? [] : [['Authorization', `Bearer ${caller}`]],
      judged: true,
      broken: false,
    }
    if (!requestBody) return made
    const [mediaType, { schema }] = pick(Object.entries(requestBody.content))
    if (mediaType.startsWith('image/')) {
      made.headers.push(['Content-Type', mediaType])
      return {
        ...made,
        judged: false,
        body: often(0.9) && pictures ? pixel(whole(0, 255)) : Buffer.from('null'),
      }
    }
    const body = values.valid(schema)
    const isPlain = operation.operationId === 'createPet' && often(0.5)
    return {
      ...made,
      headers: [...made.headers, ['Content-Type', mediaType]],
      body: isPlain ? plainAnimal(body) : body,
    }
  }

  function query({ name, schema }: Parameter, make: typeof values.valid): [string, string][] {
    const { items } = resolve(schema)
    const made = items ? times(whole(1, 3), () => make(items, name)) : [make(schema, name)]
    return made.map((json) => [name, json.startsWith('"') ? JSON.parse(json).toWellFormed() : json])
  }

  /** A page as it was found in a Link header, or not quite. */
  function page(): string {
    const found = pick(pages)
    if (!often(0.15)) return found
    const place = whole(10, found.length - 1)
    return pick([
      found.replace(/limit=\d+/, 'limit=50'),
      found.replace(/sort=-?id/, 'sort=id'),
      `${found}&status=sold`,
      `${found}&cursor=x`,
      found.replace('/pets', '/store/orders'),
      `${found.slice(0, place)}A${found.slice(place + 1)}`,
    ])
  }

  const describes = ({ operation }: Draft, name: string): boolean =>
    (operation.parameters ?? []).some((one) => one.in === 'header' && one.name === name)

  /** With a condition, now and then one that was true of something else, or before. */
  function conditional(made: Draft): void {
    const reads = made.operation.method === 'GET'
    const names = reads ? ['If-None-Match', 'If-Modified-Since'] : ['If-Match', 'If-Unmodified-Since']
    const [match = '', since = ''] = names
    // Changes are fewer than reads, and meet a 404 or 403 before their condition is looked at.
    const fitting = reads ? etags : etags.filter(({ path }) => /^\/v1\/pets\/\d+$/.test(path))
    if (!describes(made, match) || fitting.length === 0 || !often(reads ? 0.4 : 0.7)) return
    const known = pick(fitting)
    if (often(0.7)) Object.assign(made, { path: known.path, query: [], judged: false })
    const { etag, modified } = known
    const others = reads ? [] : times(4, () => pick(fitting).etag)
    const tag = pick([etag, etag, etag, etag, ...others, `W/${etag}`, `"x", ${etag}`, '*', '"', '', 'x'])
    const date = pick([modified, modified, 'Tue, 01 Dec 2026 00:00:00 GMT', 'yesterday'])
    if (often(0.85)) made.headers.push([match, tag])
    if (date && often(0.4)) made.headers.push([since, date])
  }

  /** With an Idempotency-Key, of which some were sent before: with the same request, or another. */
  function keyed(made: Draft, caller: Caller): Draft {
    if (!describes(made, 'Idempotency-Key') || !often(0.35)) return made
    if (retried.length > 0 && often(0.4)) {
      const again = { ...pick(retried) }
      if (often(0.6)) return again
      // The same in JSON, but not the same bytes.
      if (often(0.5)) return { ...again, body: `${again.body ?? ''} ` }
      if (caller && often(0.5)) {
        const others = again.headers.filter(([name]) => name !== 'Authorization')
        return { ...again, headers: [...others, ['Authorization', `Bearer ${caller}`]] }
      }
      made.headers.push(...again.headers.filter(([name]) => name === 'Idempotency-Key'))
      made.judged = false
      return made
    }
    const odd = often(0.05)
    const id = `k-${whole(0, 1e9)}`
    made.headers.push(['Idempotency-Key', odd ? pick(ODD_KEYS) : often(0.5) ? id : `"${id}"`])
    if (odd) made.judged = false
    return made
  }

  return {
    next(given) {
      count += 1
      const caller = given ?? weighed(callers)
      const fresh = draft(caller)
      if (pages.length > 0 && fresh.operation.responses[200]?.headers?.Link && often(0.2))
        Object.assign(fresh, { path: page(), query: [], judged: false })
      conditional(fresh)
      const made = keyed(fresh, caller)
      // One that is sent again stays as it is.
      if (made === fresh && often(wrong)) mutate({ draft: made, random, odd: values.odd, query, anywhere })
      return written(random, made, `${name}-${count}`)
    },
    learn({ method, target, draft: sent }, { status, headers, text }) {
      const path = target.replace(/^https?:\/\/[^/]+/, '').replace(/\?$/, '')
      const kind = /^\/v1\/(pets|categories|organizations|store)/.exec(path)?.[1]
      if (status === 201 && path.includes('/photos')) {
        keep(photos, new URL(String(headers.location)).pathname)
      } else if (status === 201 && kind) {
        const { id } = JSON.parse(text)
        const name = kind === 'store' ? 'orders' : (kind as keyof typeof latest)
        latest[name] = Math.max(latest[name], id)
      }
      const next = nextPage({ headers })
      if (next) keep(pages, next)
      const { etag, 'last-modified': modified } = headers
      if (etag && method !== 'HEAD' && route('GET', path).operation)
        keep(etags, { path: status === 201 ? `${path}/${JSON.parse(text).id}` : path, etag, modified })
      // Failures are not kept by the service; few are worth another try.
      const isKeyed = sent.headers.some(([name]) => name === 'Idempotency-Key')
      if (isKeyed && !sent.broken && (status < 300 || often(0.1))) keep(retried, sent)
    },
  }
}

/** A GIF of one pixel, in one of as many colours. */
function pixel(shade: number): Buffer {
  const head = Buffer.from('GIF89a\x01\x00\x01\x00\x80\x00\x00', 'latin1')
  const rest = Buffer.from(',\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;', 'latin1')
  return Buffer.concat([head, Buffer.from([shade, 0, 0, 0, shade, 0]), rest])
}

/** Whether the query and the body are as described. */
function judge({ operation, query, body }: Draft): boolean {
  const parameters = (operation.parameters ?? []).filter((one) => one.in === 'query')
  const valuesOf = (name: string) => query.filter(([given]) => given === name).map(([, value]) => value)
  if (!parameters.every(({ name, schema }) => queryFits(schema, valuesOf(name)))) return false
  if (parameters.some(({ name, required }) => required && valuesOf(name).length === 0)) return false
  const schema = Object.values(operation.requestBody?.content ?? {})[0]?.schema
  return (
    schema === undefined || (body !== undefined && misfit(schema, readExactly(String(body))) === undefined)
  )
}

/** As it goes over the wire. */
function written(random: Random, draft: Draft, id: string): Request {
  const { often, pick } = random
  const { path, query, body } = draft
  const parameters = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
  const target = path + (query.length > 0 ? (path.includes('?') ? '&' : '?') : '') + parameters.join('&')
  // The parser takes no others, and no longer ones.
  const broken = draft.broken || /[^!-~]/.test(target) || target.length > LONGEST
  // What it refuses is answered with a body, whatever was asked.
  const method = broken && draft.method === 'HEAD' ? 'GET' : draft.method
  const named = new Set(draft.headers.map(([name]) => name.toLowerCase()))
  const own: [string, string][] = [
    ['Host', 'pets.example'],
    ['X-Request-Id', id],
  ]
  const content = Buffer.from(body ?? '')
  const chunked = content.length > 0 && often(0.05)
  if (chunked) own.push(['Transfer-Encoding', 'chunked'])
  else if (body !== undefined) own.push(['Content-Length', String(content.length)])
  const headers = [...own.filter(([name]) => !named.has(name.toLowerCase())), ...draft.headers]
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  const head = Buffer.from(`${[`${method} ${target} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`, 'latin1')
  const size = `${content.length.toString(16)}${often(0.2) ? pick([';a', ';a=b', ';a="b"']) : ''}\r\n`
  const framed = chunked ? [Buffer.from(size), content, Buffer.from('\r\n0\r\n\r\n')] : [content]
  return {
    bytes: Buffer.concat([head, ...framed]),
    method,
    target,
    fits: draft.judged && !broken && !isRuled(draft) ? judge(draft) : undefined,
    broken,
    id: broken || named.has('x-request-id') ? undefined : id,
    draft,
  }
}
