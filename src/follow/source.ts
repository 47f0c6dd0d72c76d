import { addAbortListener } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import type { Event } from '../events/schema.ts'
import { ClosedAddressError, type OpenNetworks, parseOutbound, sendOutbound } from '../http/outbound.ts'

// Reads the API of another installation.

const TIMEOUT_MS = 15_000
/** A page has up to 100 animals. */
const MAX_RESPONSE_BYTES = 32 * 1_048_576
/** The maximum number of commas and opening brackets in a response. Parsing many more would block others. */
const MAX_RESPONSE_VALUES = 200_000
const VALUE_BYTES: ReadonlySet<number | undefined> = new Set(Buffer.from(',[{'))
const MAX_EVENTS = 1_000
/** Categories of animals become categories here. */
const MAX_CATEGORIES = 1_000
/** An unused connection is closed earlier than servers usually close it. */
const IDLE_MS = 4_000

/** The number of animals that one request reads: the maximum of the API. */
export const PAGE_SIZE = 100
const LISTED = `sort=id&limit=${PAGE_SIZE}&fields=*,createdAt`

/** Why a source cannot be read. The message has nothing that the source has sent. */
export class SourceError extends Error {
  readonly status: number | undefined
  constructor(message: string, status?: number) {
    super(message)
    this.status = status
  }
}

const NEW_KEY = 'Make a new one there, and run `adoptable follow add` with it.'
const ADVICE: Record<number, string> = {
  401: `The source refuses the key. ${NEW_KEY}`,
  403: `The key may not read animals. ${NEW_KEY}`,
  404: 'The source has no such address. Check the address, or upgrade the source.',
  429: 'The source limits the key. Give the key the plan `business` there.',
}

function refusal(status: number, path: string): SourceError {
  const isElsewhere = status >= 300 && status < 400
  const advice = isElsewhere ? 'Follow the address to which the source redirects.' : (ADVICE[status] ?? '')
  return new SourceError(`/v1${path} was answered with ${status}. ${advice}`.trim(), status)
}

function foreign(path: string): SourceError {
  return new SourceError(`/v1${path} was not answered as by adoptable. Check the address.`)
}

/** Explains an error of a connection. */
function unreachable(error: unknown): Error {
  if (error instanceof SourceError) return error
  const { code, message } = error as NodeJS.ErrnoException
  const isPlain = code === undefined || error instanceof ClosedAddressError
  return new SourceError(isPlain ? message : `The source cannot be reached (${code}).`)
}

interface Page {
  body: unknown
  /** The query of the next page, if there is one. */
  next: URLSearchParams | undefined
}

/** @param signal aborts all requests */
export function openSource(
  { url, apiKey }: { url: string; apiKey: string },
  networks: OpenNetworks,
  signal: AbortSignal,
) {
  const { Agent } = url.startsWith('https:') ? https : http
  const agent = new Agent({ keepAlive: true, maxSockets: 1, timeout: IDLE_MS })

  async function get(path: string, query = ''): Promise<Page> {
    const aborted = new AbortController()
    const late = new SourceError('The source did not answer completely in time.')
    const timer = setTimeout(() => aborted.abort(late), 2 * TIMEOUT_MS)
    using _ = addAbortListener(signal, () => aborted.abort())
    try {
      const address = parseOutbound(`${url}/v1${path}${query}`, networks)
      const headers = {
        authorization: `Bearer ${apiKey}`,
        accept: 'application/json',
        'user-agent': 'adoptable',
      }
      const options = { agent, headers, signal: aborted.signal, timeoutMs: TIMEOUT_MS }
      const response = await sendOutbound(address, networks, options)
      const { statusCode = 0 } = response
      if (statusCode !== 200) {
        response.destroy()
        throw refusal(statusCode, path)
      }
      return { body: await readJson(response, path), next: nextOf(String(response.headers.link)) }
    } catch (error) {
      throw aborted.signal.reason === late ? late : unreachable(error)
    } finally {
      clearTimeout(timer)
    }
  }

  async function listOf(path: string, query = '', maxLength = Number.POSITIVE_INFINITY) {
    const { body, next } = await get(path, query)
    if (!Array.isArray(body) || body.length > maxLength || !body.every(isObject)) throw foreign(path)
    return { list: body, next }
  }

  return {
    /** @throws {SourceError} 410 if the feed does not go back as far */
    async readEvents(after: string): Promise<{ events: Event[]; next: string; isFull: boolean }> {
      const { list, next } = await listOf('/events', `?after=${after}&limit=${MAX_EVENTS}`, MAX_EVENTS)
      const position = next?.get('after')
      if (!position || !POSITION.test(position) || !list.every(isEvent)) throw foreign('/events')
      return { events: list, next: position, isFull: list.length === MAX_EVENTS }
    },
    /** Lists animals by id. @param cursor of the page; undefined for the first page */
    async listAnimals(cursor: string | undefined) {
      const start = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const { list, next } = await listOf('/pets', `?${LISTED}${start}`, PAGE_SIZE)
      return { animals: list, next: next?.get('cursor') ?? undefined }
    },
    /** Reads animals by id. Animals that are gone are not in the list. */
    async findAnimals(ids: number[]): Promise<object[]> {
      const query = ids.map((id) => `&id=${id}`).join('')
      return (await listOf('/pets', `?${LISTED}${query}`, PAGE_SIZE)).list
    },
    listCategories: async () => (await listOf('/categories', '', MAX_CATEGORIES)).list,
    /** @returns undefined if the organization does not exist */
    async findOrganization(id: number): Promise<object | undefined> {
      const path = `/organizations/${id}`
      try {
        const { body } = await get(path)
        if (!isObject(body)) throw foreign(path)
        return body
      } catch (error) {
        if (error instanceof SourceError && error.status === 404) return undefined
        throw error
      }
    },
    close: () => agent.destroy(),
  }
}

/** The id of an event. */
const POSITION = /^\d{16}$/

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

function isEvent(one: { type?: unknown; at?: unknown; data?: unknown }): one is Event {
  return typeof one.type === 'string' && !Number.isNaN(Date.parse(String(one.at))) && isObject(one.data)
}

async function readJson(response: http.IncomingMessage, path: string): Promise<unknown> {
  const chunks: Buffer[] = []
  let [bytes, values] = [0, 0]
  for await (const chunk of response) {
    chunks.push(chunk)
    bytes += chunk.length
    for (const byte of chunk) if (VALUE_BYTES.has(byte)) values += 1
    if (bytes > MAX_RESPONSE_BYTES)
      throw new SourceError(`/v1${path} was answered with more than ${MAX_RESPONSE_BYTES / 1_048_576} MB.`)
    if (values > MAX_RESPONSE_VALUES)
      throw new SourceError(`/v1${path} was answered with more than ${MAX_RESPONSE_VALUES} values.`)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString())
  } catch {
    throw foreign(path)
  }
}

function nextOf(link: string): URLSearchParams | undefined {
  const [, address] = /<([^>]*)>;\s*rel="?next"?/.exec(link) ?? []
  return address === undefined || !URL.canParse(address) ? undefined : new URL(address).searchParams
}
