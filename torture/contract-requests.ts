import {
  misfit,
  OPERATIONS,
  type Operation,
  type Parameter,
  queryFits,
  readExactly,
  resolve,
} from './contract-description.ts'
import { mutate, spoilt } from './contract-mutations.ts'
import { valuesOf } from './contract-values.ts'
import type { Random } from './random.ts'

/** A request while it is put together. */
export interface Draft {
  operation: Operation
  method: string
  /** With /v1, or anything else in its place. */
  path: string
  query: [name: string, value: string][]
  headers: [name: string, value: string][]
  body?: string | Buffer
  /** Whether the description alone tells if it may be accepted. */
  judged: boolean
  /** Its framing is spoilt, so that nothing may follow it on the connection. */
  broken: boolean
}

export interface Request {
  bytes: Buffer
  method: string
  target: string
  /** Whether its query and its body are as described; nothing when the description alone does not tell. */
  fits: boolean | undefined
  broken: boolean
  /** What X-Request-Id has to be in the answer, if that was sent. */
  id: string | undefined
}

/** The keys that requests carry. */
export type Keys = Record<'admin' | 'write' | 'read' | 'small' | 'revoked', string>

/** What earlier answers on the same connection told. */
export interface Memory {
  /** The latest id of each kind of thing. */
  latest: Record<'pets' | 'categories' | 'orders', number>
  etags: string[]
  /** Addresses of next pages. */
  pages: string[]
}

interface Options {
  random: Random
  keys: Keys
  memory: Memory
  /** Begins its X-Request-Ids, so that no two are the same. */
  name: string
}

/** Of categories there may only be few more, since some answers hold all of them. */
const FEW = 100
const CALLERS: [number, keyof Keys | 'unknown' | 'none'][] = [
  [60, 'admin'],
  [30, 'write'],
  [5, 'read'],
  [2, 'small'],
  [1, 'revoked'],
  [1, 'unknown'],
  [1, 'none'],
]
const REMEMBERED = 20

/** Requests made from the description, and about half of them with something wrong, as chance decides. */
export function requestsOf({ random, keys, memory, name }: Options): { next(): Request } {
  const { often, pick, weighed, whole } = random
  const values = valuesOf({ random, resolve, someId })
  const idempotencyKeys: string[] = []
  let count = 0

  function someId(parameter: string): number {
    if (parameter === 'categoryId') return often(0.8) ? whole(1, 8) : whole(1, memory.latest.categories + 1)
    const latest = memory.latest[parameter === 'orderId' ? 'orders' : 'pets']
    return whole(Math.max(1, latest - 60), latest + 1)
  }

  function draft(): Draft {
    const chosen = pick(OPERATIONS)
    const many = memory.latest.categories > FEW && !often(0.01)
    const operation = chosen.operationId === 'createCategory' && many ? pick(OPERATIONS) : chosen
    const { method, parameters = [], requestBody } = operation
    const queries = parameters.filter((one) => one.in === 'query' && one.name !== 'cursor' && often(0.3))
    const made: Draft = {
      operation,
      method: method === 'GET' && often(0.05) ? 'HEAD' : method,
      path: `/v1${operation.path.replace(/\{(\w+)\}/g, (_all, id) => String(someId(id)))}`,
      query: queries.flatMap((one) => query(one, values.valid)),
      headers: [...authorization(), ...parameters.filter((one) => one.in === 'header').flatMap(header)],
      judged: true,
      broken: false,
    }
    if (!requestBody) return made
    const [mediaType, { schema }] = pick(Object.entries(requestBody.content))
    return { ...made, headers: [...made.headers, ['Content-Type', mediaType]], body: values.valid(schema) }
  }

  function authorization(): [string, string][] {
    const caller = weighed(CALLERS)
    if (caller === 'none') return []
    return [['Authorization', `Bearer ${caller === 'unknown' ? 'adopt_live_x' : keys[caller]}`]]
  }

  function header({ name }: Parameter): [string, string][] {
    if (!often(0.2)) return []
    if (name !== 'Idempotency-Key') return [[name, pick([...memory.etags, '*', '"x"'])]]
    if (idempotencyKeys.length === 0 || often(0.7)) idempotencyKeys.push(`k-${whole(0, 1e9)}`)
    if (idempotencyKeys.length > REMEMBERED) idempotencyKeys.shift()
    return [[name, pick(idempotencyKeys)]]
  }

  function query({ name, schema }: Parameter, make: typeof values.valid): [string, string][] {
    const { items } = resolve(schema)
    const made = items ? Array.from({ length: whole(1, 3) }, () => make(items, name)) : [make(schema, name)]
    return made.map((json) => [name, json.startsWith('"') ? JSON.parse(json).toWellFormed() : json])
  }

  return {
    next() {
      count += 1
      const id = `${name}-${count}`
      const made = draft()
      if (memory.pages.length > 0 && made.operation.responses[200]?.headers?.Link && often(0.2)) {
        Object.assign(made, { path: pick(memory.pages), query: [], judged: false })
      }
      if (often(0.45)) mutate({ draft: made, random, odd: values.odd, query })
      const request = written(random, made, id)
      return often(0.02) && made.method !== 'HEAD' ? spoilt(random, request) : request
    },
  }
}

/** Whether the query and the body are as described. */
function judge({ operation, query, body }: Draft): boolean {
  const parameters = (operation.parameters ?? []).filter((one) => one.in === 'query')
  const valuesOf = (name: string) => query.filter(([given]) => given === name).map(([, value]) => value)
  if (!parameters.every(({ name, schema }) => queryFits(schema, valuesOf(name)))) return false
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
  // The parser takes no others.
  const broken = draft.broken || /[^!-~]/.test(target)
  // What it refuses is answered with a body, whatever was asked.
  const method = broken && draft.method === 'HEAD' ? 'GET' : draft.method
  const named = new Set(draft.headers.map(([name]) => name.toLowerCase()))
  const own: [string, string][] = [['Host', 'pets.example']]
  own.push(['X-Request-Id', id])
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
    fits: draft.judged && !broken ? judge(draft) : undefined,
    broken,
    id: broken || named.has('x-request-id') ? undefined : id,
  }
}
