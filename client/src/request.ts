import type { OnProgress } from './progress.ts'

/** An operation of the service, as the description has it. */
export interface Operation {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** With the names of its parameters in braces. */
  path: string
  /** Whether it takes an Idempotency-Key. */
  onceByKey?: true
  /** Whether its body is a file. */
  takesFile?: true
}

/** Of a parameter that may be repeated: an animal has to have one of the values. */
export type OneOrMore<Value> = Value | Value[]

export interface CallOptions {
  /** Ends the call, at every point of it; it rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /** To send as well, over those of the client; none takes the place of one that the client itself makes. */
  headers?: Record<string, string> | undefined
}

export interface ReadOptions extends CallOptions {
  /** An ETag: what is still as it was is not sent again, and `notModified` is true. */
  ifNoneMatch: string | undefined
}

export interface OnceOptions extends CallOptions {
  /** Made by the client when absent. With your own a request takes effect once even across a restart of yours. */
  idempotencyKey?: string | undefined
}

export interface FileOptions extends OnceOptions {
  /** Hears how much of the file has gone. */
  onProgress?: OnProgress | undefined
}

export interface ConditionalOptions extends CallOptions {
  /** An ETag: the call fails with `precondition_failed` when somebody has changed it since. */
  ifMatch?: string | undefined
}

export interface OnceConditionalOptions extends OnceOptions, ConditionalOptions {}

/** Those of every operation. */
export type AnyOptions = OnceConditionalOptions & Partial<ReadOptions> & FileOptions

/** Those that a null in a PATCH removes (RFC 7396). */
const REMOVABLE_IDS = new Set(['organizationId'])

/** A request that can be sent as often as needed, always the same. */
export interface Prepared {
  method: Operation['method']
  url: URL
  headers: Headers
  body: string | Blob | null
  onProgress: OnProgress | undefined
  /** Whether it does no more when it arrives twice. */
  repeatable: boolean
}

/** Where requests go, and what goes with each. */
export interface Target {
  /** Without a slash at its end. */
  baseUrl: string
  key: string
  headers: Headers
}

/**
 * @throws {TypeError} on a missing parameter of the path, an id that cannot be one, an empty list, a file
 *   without a type, or a header that cannot be sent
 */
export function prepare(
  { baseUrl, key, headers: always }: Target,
  { method, path, onceByKey, takesFile }: Operation,
  parameters: object,
  options: AnyOptions,
  file?: Blob,
): Prepared {
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
  const headers = new Headers(always)
  for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value)
  headers.set('authorization', `Bearer ${key}`)
  // A filter that the service does not know is an error: ignored, it would list everything.
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

/** @throws {TypeError} on a file that the service would not take for a picture */
function withType(file: Blob | undefined): Blob {
  if (!(file instanceof Blob)) throw new TypeError('file must be a Blob or a File')
  if (file.type === '') throw new TypeError('file needs a type such as image/jpeg')
  return file
}

/** @throws {TypeError} on an empty list: left out, it would ask for everything */
function addQuery(url: URL, parameters: Map<string, unknown>): void {
  for (const [name, values] of parameters) {
    if (Array.isArray(values) && values.length === 0) throw new TypeError(`${name} is empty`)
    for (const value of [values].flat()) if (value !== undefined) url.searchParams.append(name, String(value))
  }
}

/** Every parameter of a path is an id, so nothing else gets into one. @param mayBeMany as a filter */
function checkIds(name: string, value: unknown, mayBeMany: boolean): void {
  for (const id of mayBeMany ? [value].flat() : [value]) {
    if (id === undefined) continue
    if (Number.isSafeInteger(id) && (id as number) > 0) continue
    const told = typeof id === 'string' ? JSON.stringify(id) : String(id)
    throw new TypeError(`${name} must be an integer from 1, not ${told}`)
  }
}

/** 128 random bits: a random UUID can be made on no page of plain http, but for those of localhost. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
