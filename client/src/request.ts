import type { OnProgress } from './progress.ts'

/** An operation of the API description. */
export interface Operation {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Path template, with parameter names in braces. */
  path: string
  /** Whether it takes an Idempotency-Key. */
  onceByKey?: true
  /** Whether its body is a file. */
  takesFile?: true
}

/** A parameter that may be repeated: an animal must have one of the values. */
export type OneOrMore<Value> = Value | Value[]

export interface CallOptions {
  /** Aborts the call at any point; it rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /**
   * Additional headers, which override the headers of the settings. They cannot replace the client's own
   * headers.
   */
  headers?: Record<string, string> | undefined
}

export interface ReadOptions extends CallOptions {
  /** An ETag: unchanged data is not sent again, and `notModified` is true. */
  ifNoneMatch: string | undefined
}

export interface OnceOptions extends CallOptions {
  /** Generated if absent. With your own, a request takes effect once even across a restart of your program. */
  idempotencyKey?: string | undefined
}

export interface FileOptions extends OnceOptions {
  /** Called with the progress of the upload. */
  onProgress?: OnProgress | undefined
}

export interface ConditionalOptions extends CallOptions {
  /** An ETag: the call fails with `precondition_failed` if the object has changed since. */
  ifMatch?: string | undefined
}

export interface OnceConditionalOptions extends OnceOptions, ConditionalOptions {}

/** The options of all operations. */
export type AnyOptions = OnceConditionalOptions & Partial<ReadOptions> & FileOptions

/** Ids that a PATCH removes with null (RFC 7396). */
const REMOVABLE_IDS = new Set(['organizationId'])

/** A request that can be sent several times unchanged. */
export interface PreparedRequest {
  method: Operation['method']
  url: URL
  headers: Headers
  body: string | Blob | null
  onProgress: OnProgress | undefined
  /** Whether the request may arrive twice without a second effect. */
  repeatable: boolean
}

/** The service and what every request to it contains. */
export interface Target {
  /** Without a trailing slash. */
  baseUrl: string
  key: string
  headers: Headers
}

/**
 * @throws {TypeError} for a missing path parameter, an invalid id, an empty list, a file without a type, or a
 *   header that cannot be sent
 */
export function prepare(
  { baseUrl, key, headers: commonHeaders }: Target,
  { method, path, onceByKey, takesFile }: Operation,
  parameters: object,
  options: AnyOptions,
  file?: Blob,
): PreparedRequest {
  const rest = new Map<string, unknown>(Object.entries(parameters))
  for (const [name, value] of rest) {
    const inPath = path.includes(`{${name}}`)
    const removes = value === null && method === 'PATCH' && REMOVABLE_IDS.has(name) && !inPath
    if (/^id$|Id$/.test(name) && !removes) checkIds(name, value, method === 'GET' && !inPath)
  }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name)
    if (value === undefined) throw new TypeError(`${name} is missing`)
    rest.delete(name)
    return String(value)
  })
  const url = new URL(baseUrl + filled)
  const headers = new Headers(commonHeaders)
  for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value)
  headers.set('authorization', `Bearer ${key}`)
  // An unknown filter is an error. If the service ignored the filter, the list would contain everything.
  headers.set('prefer', 'handling=strict')
  if (options.ifMatch !== undefined) headers.set('if-match', options.ifMatch)
  if (options.ifNoneMatch !== undefined) headers.set('if-none-match', options.ifNoneMatch)
  if (onceByKey) headers.set('idempotency-key', options.idempotencyKey ?? randomKey())
  let body: string | Blob | null = null
  if (takesFile) {
    body = withType(file)
    headers.set('content-type', body.type)
    addQuery(url, rest)
  } else if (method === 'POST' || method === 'PATCH') {
    headers.set('content-type', method === 'POST' ? 'application/json' : 'application/merge-patch+json')
    body = JSON.stringify(Object.fromEntries(rest))
  } else {
    addQuery(url, rest)
  }
  const { onProgress } = options
  return { method, url, headers, body, onProgress, repeatable: method === 'GET' || onceByKey === true }
}

/** @throws {TypeError} for a file that the service would reject */
function withType(file: Blob | undefined): Blob {
  if (!(file instanceof Blob)) throw new TypeError('file must be a Blob or a File')
  if (file.type === '') throw new TypeError('file needs a type such as image/jpeg')
  return file
}

/** @throws {TypeError} for an empty list, which would otherwise request everything */
function addQuery(url: URL, parameters: Map<string, unknown>): void {
  for (const [name, values] of parameters) {
    if (Array.isArray(values) && values.length === 0) throw new TypeError(`${name} is empty`)
    for (const value of [values].flat()) if (value !== undefined) url.searchParams.append(name, String(value))
  }
}

/** All path parameters are ids, so nothing else gets into a path. @param mayBeMany true for filters */
function checkIds(name: string, value: unknown, mayBeMany: boolean): void {
  for (const id of mayBeMany ? [value].flat() : [value]) {
    if (id === undefined) continue
    if (Number.isSafeInteger(id) && (id as number) > 0) continue
    const shown = typeof id === 'string' ? JSON.stringify(id) : String(id)
    throw new TypeError(`${name} must be an integer from 1, not ${shown}`)
  }
}

/** 128 random bits. `crypto.randomUUID` is missing on plain http pages other than localhost. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
