import { type Answer, type NotModified, readAnswer, readRateLimit } from './answer.ts'
import { AdoptableError } from './error.ts'
import { Gate } from './gate.ts'
import {
  type ListApplicationsParameters,
  type ListOrdersParameters,
  type ListPetsParameters,
  Operations,
} from './operations.ts'
import { sendTelling } from './progress.ts'
import {
  type AnyOptions,
  type CallOptions,
  type FileOptions,
  type Operation,
  type Prepared,
  prepare,
  type ReadOptions,
} from './request.ts'
import type { Application, Order, Pet, Photo } from './schemas.ts'
import { backoff, MACHINE_TIME, sleepUntil, type Time } from './time.ts'

export type { Answer, NotModified, RateLimit } from './answer.ts'
export { AdoptableError, type ClientErrorCode } from './error.ts'
export type * from './operations.ts'
export type { OnProgress, Progress } from './progress.ts'
export type {
  CallOptions,
  ConditionalOptions,
  FileOptions,
  OnceConditionalOptions,
  OnceOptions,
  OneOrMore,
  ReadOptions,
} from './request.ts'
export type * from './schemas.ts'

export interface ClientSettings extends Given<Time> {
  /** The address of the service, with its version: `https://pets.example.org/v1`. */
  baseUrl: string | URL
  /** The API key. */
  key: string
  /** To send with every request: none takes the place of one that the client itself makes. */
  headers?: Record<string, string> | undefined
  /** Ends every call of this client. */
  signal?: AbortSignal | undefined
  /** How often a request that failed is sent again, at most; 2 unless told. */
  retries?: number | undefined
  /** The longest wait the service may name, in seconds; 60 unless told. A longer one is an error at once. */
  maxWaitSeconds?: number | undefined
  /** How long one try may take, in seconds; 30 unless told. */
  timeoutSeconds?: number | undefined
  /** Instead of the global one: for a proxy, say. */
  fetch?: typeof fetch | undefined
}

/** As few of them as wanted. */
type Given<Members> = { [Name in keyof Members]?: Members[Name] | undefined }

/** All of a list, without the parameters of a single page. */
type Whole<Parameters> = Omit<Parameters, 'cursor'>

/** Which page of it. */
interface Page {
  cursor?: string | undefined
}

export interface PhotoOptions extends FileOptions {
  /** What it shows, for those who cannot see it. */
  alt?: string | undefined
}

interface Failure {
  error: AdoptableError
  /** The time that the service named, or now, where it named none: Unix time in milliseconds. */
  namedAt: number
  /** When to try again: never before. */
  againAt: number
}

/** Animals a page; the most that the service gives, since each page counts as a request. */
const PAGE = 100

/** What an upload may take: the service waits 300 s for one, and then makes a photo of it. */
const FILE_MS = 330_000

/** What may pass by itself: the service, or a proxy before it, cannot answer now. */
const PASSING = new Set([502, 503, 504])

/** A service and a key. One for the whole program: its requests wait for each other when the limit is used up. */
export class AdoptableClient extends Operations {
  readonly #baseUrl: string
  readonly #key: string
  readonly #headers: Headers
  readonly #signal: AbortSignal | undefined
  readonly #retries: number
  readonly #longestWait: number
  readonly #timeout: number
  readonly #fetch: typeof fetch
  readonly #time: Time
  readonly #gate: Gate

  /** @throws {TypeError} when the address cannot be one of the service, the key is missing, or a header cannot be sent */
  constructor(settings: ClientSettings) {
    super()
    const { baseUrl, key, signal, retries = 2, maxWaitSeconds = 60, timeoutSeconds = 30 } = settings
    if (!key) throw new TypeError('key is missing: the API key that the operator of the service gave you')
    // The platform would say so with the key in its message.
    if (!/^[!-~]+$/.test(key)) throw new TypeError('key has a character that no key has, such as a line end')
    this.#baseUrl = addressOf(baseUrl)
    this.#key = key
    this.#headers = new Headers(settings.headers)
    this.#signal = signal
    this.#retries = retries
    this.#longestWait = maxWaitSeconds * 1000
    this.#timeout = timeoutSeconds * 1000
    this.#fetch = settings.fetch ?? ((...request) => fetch(...request))
    this.#time = {
      clock: settings.clock ?? MACHINE_TIME.clock,
      sleep: settings.sleep ?? MACHINE_TIME.sleep,
      random: settings.random ?? MACHINE_TIME.random,
    }
    this.#gate = new Gate(this.#time, this.#longestWait)
  }

  /** One animal, with its own ETag; undefined when there is none with this id. */
  findPet(id: number, options: ReadOptions): Promise<Answer<Pet> | NotModified | undefined>
  findPet(id: number, options?: CallOptions): Promise<Answer<Pet> | undefined>
  async findPet(id: number, options: CallOptions = {}): Promise<Answer<Pet> | NotModified | undefined> {
    const answer: Answer<Pet[]> | NotModified = await this.listPets({ id: [id] }, options)
    if (answer.notModified) return answer
    const [pet] = answer.data
    return pet && { ...answer, data: pet }
  }

  /** Every animal that fits, page by page: the next page is asked for when the one before is used up. */
  pets(
    parameters: Whole<ListPetsParameters> = {},
    options: CallOptions = {},
  ): AsyncGenerator<Pet, void, undefined> {
    const list = (page: Page) =>
      this.listPets({ ...parameters, ...page, limit: parameters.limit ?? PAGE }, options)
    return all(list, [this.#signal, options.signal], this.#pause(options))
  }

  /** Every order that fits and that this key may see, page by page, as of animals. */
  orders(
    parameters: Whole<ListOrdersParameters> = {},
    options: CallOptions = {},
  ): AsyncGenerator<Order, void, undefined> {
    const list = (page: Page) =>
      this.listOrders({ ...parameters, ...page, limit: parameters.limit ?? PAGE }, options)
    return all(list, [this.#signal, options.signal], this.#pause(options))
  }

  /** Every application that fits and that this key may see, page by page, as of animals. */
  applications(
    parameters: Whole<ListApplicationsParameters> = {},
    options: CallOptions = {},
  ): AsyncGenerator<Application, void, undefined> {
    const list = (page: Page) =>
      this.listApplications({ ...parameters, ...page, limit: parameters.limit ?? PAGE }, options)
    return all(list, [this.#signal, options.signal], this.#pause(options))
  }

  /** Adds photos, as a page or a program has them. */
  readonly photos = {
    add: (petId: number, file: Blob, options: PhotoOptions = {}): Promise<Answer<Photo>> =>
      this.addPetPhoto({ petId, alt: options.alt }, file, options),
    addToOrganization: (id: number, file: Blob, options: PhotoOptions = {}): Promise<Answer<Photo>> =>
      this.addOrganizationPhoto({ organizationId: id, alt: options.alt }, file, options),
  }

  #pause({ signal }: CallOptions): (tries: number) => Promise<void> {
    const { clock, random } = this.#time
    return (tries) => {
      const again = clock() + backoff(tries, random)
      return untilEither(this.#signal, signal, (either) => sleepUntil(again, this.#time, either))
    }
  }

  protected override async send<Data>(
    operation: Operation,
    parameters: object,
    options: AnyOptions,
    file?: Blob,
  ): Promise<Answer<Data>> {
    const target = { baseUrl: this.#baseUrl, key: this.#key, headers: this.#headers }
    const request = prepare(target, operation, parameters, options, file)
    const answer = await untilEither(this.#signal, options.signal, (signal) =>
      this.#gate.inTurn(() => this.#sendUntilDone<Data>(request, signal), signal),
    )
    // Unchanged is only what was asked for with `ifNoneMatch`: those operations say so in their types.
    return answer as Answer<Data>
  }

  async #sendUntilDone<Data>(
    request: Prepared,
    signal: AbortSignal | undefined,
  ): Promise<Answer<Data> | NotModified> {
    for (let tries = 1; ; tries += 1) {
      const outcome = await this.#gate.pass(() => this.#sendOnce<Data>(request, tries, signal), signal)
      if ('data' in outcome) return outcome
      const { error, namedAt, againAt } = outcome
      const tooFar = namedAt - this.#time.clock() > this.#longestWait
      if (tries > this.#retries || tooFar || !mayRepeat(error, request)) throw error
      await sleepUntil(againAt, this.#time, signal)
    }
  }

  async #sendOnce<Data>(
    request: Prepared,
    tries: number,
    signal: AbortSignal | undefined,
  ): Promise<Answer<Data> | NotModified | Failure> {
    const answer = await this.#fetchAnswer<Data>(request, signal)
    if (!(answer instanceof AdoptableError)) return answer
    const { clock, random } = this.#time
    const namedAt = clock() + (answer.retryAfter ?? 0) * 1000
    // Chance comes on top: else all clients of a key would be back in the one moment named to them.
    const againAt = namedAt + backoff(tries, random)
    if (answer.status === 429) this.#gate.closeUntil(namedAt, againAt, answer)
    return { error: answer, namedAt, againAt }
  }

  async #fetchAnswer<Data>(
    { method, url, headers, body, onProgress }: Prepared,
    signal: AbortSignal | undefined,
  ): Promise<Answer<Data> | NotModified | AdoptableError> {
    const fetch = this.#fetch
    const ending = new AbortController()
    const end = (): void => ending.abort(signal?.reason)
    signal?.addEventListener('abort', end)
    const most = body instanceof Blob ? Math.max(this.#timeout, FILE_MS) : this.#timeout
    const timer = setTimeout(() => ending.abort(new Error('The answer took too long.')), most)
    try {
      // The key is for this address alone: where a redirection leads is not followed, but by the one way
      // in which a browser tells of progress.
      const { signal: until } = ending
      const response =
        body instanceof Blob && onProgress
          ? await sendTelling(url, { method, headers, body, signal: until }, onProgress, fetch)
          : await fetch(url, {
              ...{ method, headers, body, signal: until, redirect: 'error' },
              // Who asks again wants what is now; and what one key may see is left in no browser's cache.
              cache: 'no-store',
            })
      const answer = await readAnswer<Data>(response, this.#time.clock())
      const rateLimit = readRateLimit(response.headers)
      if (rateLimit) this.#gate.narrow(rateLimit.remaining)
      return answer
    } catch (cause) {
      signal?.throwIfAborted()
      return new AdoptableError('connection_failed', noAnswer(url, cause), { status: 0, cause })
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
    }
  }
}

/**
 * @returns the address without a slash at its end
 * @throws {TypeError} on what would only fail later, at the first request, and then say less
 */
function addressOf(baseUrl: string | URL): string {
  let address = ''
  try {
    address = new URL(baseUrl).href.replace(/\/+$/, '')
  } catch {
    // What is wrong is said below, of every address alike.
  }
  if (/^https?:[^?#]*\/v1$/.test(address)) return address
  throw new TypeError(
    'baseUrl must be an http(s) address that ends in /v1, such as https://pets.example.org/v1',
  )
}

/** Browsers hide from a page whether the service does not let it call, or is not there: a TypeError either way. */
function noAnswer({ origin }: URL, cause: unknown): string {
  const { location } = globalThis as { location?: { origin: string } }
  if (!(cause instanceof TypeError) || !location || location.origin === origin)
    return `${origin} did not answer.`
  return (
    `${origin} did not answer, or does not let pages of ${location.origin} call it (CORS): ` +
    'its operator lists their origin in the setting CORS_ORIGINS.'
  )
}

/** A 429 was not carried out. Of anything else that failed on its way nobody knows: it has to be repeatable. */
function mayRepeat({ code, status }: AdoptableError, { repeatable }: Prepared): boolean {
  if (status === 429) return true
  // An earlier try of the same request is still being answered.
  const passes = code === 'connection_failed' || code === 'idempotency_key_in_use' || PASSING.has(status)
  return passes && repeatable
}

/** Runs with a signal that follows both meanwhile. Node has AbortSignal.any only since 20.3. */
async function untilEither<Result>(
  one: AbortSignal | undefined,
  other: AbortSignal | undefined,
  run: (signal: AbortSignal | undefined) => Promise<Result>,
): Promise<Result> {
  if (!one || !other) return await run(one ?? other)
  const both = new AbortController()
  const follow = (): void => both.abort(one.aborted ? one.reason : other.reason)
  if (one.aborted || other.aborted) follow()
  one.addEventListener('abort', follow)
  other.addEventListener('abort', follow)
  try {
    return await run(both.signal)
  } finally {
    one.removeEventListener('abort', follow)
    other.removeEventListener('abort', follow)
  }
}

/**
 * Follows the pages of a list, and asks again after a pause where one is empty and not the last: the rest is
 * still held up by who is adding animals. Only the cursor is taken from the address of the next page: the key
 * goes to the base address alone, whatever host an answer names.
 */
async function* all<Item>(
  list: (page: Page) => Promise<Answer<Item[]>>,
  signals: (AbortSignal | undefined)[],
  pause: (tries: number) => Promise<void>,
): AsyncGenerator<Item, void> {
  let cursor: string | undefined
  let inVain = 0
  do {
    const { data, nextCursor } = await list({ cursor })
    for (const item of data) {
      // Aborted in the middle of a page, a walk does not go on to its end.
      for (const signal of signals) signal?.throwIfAborted()
      yield item
    }
    cursor = nextCursor
    inVain = data.length > 0 ? 0 : inVain + 1
    if (inVain > 0 && cursor !== undefined) await pause(inVain)
  } while (cursor !== undefined)
}
