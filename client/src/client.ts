import { type Answer, type NotModified, readAnswer, readRateLimit } from './answer.ts'
import { AdoptableError } from './error.ts'
import { type EventParameters, eventPages, type Feed, type MirrorParameters, mirrorPets } from './events.ts'
import { Gate } from './gate.ts'
import {
  type ListApplicationsParameters,
  type ListOrdersParameters,
  type ListPetsParameters,
  Operations,
} from './operations.ts'
import { sendWithProgress } from './progress.ts'
import {
  type AnyOptions,
  type CallOptions,
  type FileOptions,
  type Operation,
  type PreparedRequest,
  prepare,
  type ReadOptions,
} from './request.ts'
import type { Application, Event, Order, Pet, Photo } from './schemas.ts'
import { backoff, MACHINE_TIME, sleepUntil, type Time } from './time.ts'

export type { Answer, NotModified, RateLimit } from './answer.ts'
export { AdoptableError, type ClientErrorCode } from './error.ts'
export type { EventParameters, MirrorParameters, MirrorTarget } from './events.ts'
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
export {
  verifyWebhook,
  WebhookError,
  type WebhookHeaders,
  type WebhookMessage,
  type WebhookOptions,
} from './webhook.ts'

export interface ClientSettings extends Optional<Time> {
  /** The URL of the service, with its version: `https://pets.example.org/v1`. */
  baseUrl: string | URL
  /** The API key. */
  key: string
  /** Sent with every request. They cannot replace the client's own headers. */
  headers?: Record<string, string> | undefined
  /** Aborts every call of this client. */
  signal?: AbortSignal | undefined
  /** Maximum number of retries of a failed request. Default 2. */
  retries?: number | undefined
  /** Longest Retry-After to wait for, in seconds. A longer one fails the call immediately. Default 60. */
  maxWaitSeconds?: number | undefined
  /** Time limit of one attempt, in seconds. Default 30. */
  timeoutSeconds?: number | undefined
  /** Replaces the global `fetch`, for example for a proxy. */
  fetch?: typeof fetch | undefined
}

/** All members optional, and each may be undefined. */
type Optional<Members> = { [Name in keyof Members]?: Members[Name] | undefined }

/** The parameters of a list, except the parameters of a single page. */
type ListParameters<Parameters> = Omit<Parameters, 'cursor'>

interface PageParameters {
  cursor?: string | undefined
  limit?: number | undefined
}

export interface PhotoOptions extends FileOptions {
  /** Text for people who cannot see the photo. */
  alt?: string | undefined
}

interface Failure {
  error: AdoptableError
  /** Time that the service named, or now: Unix time in milliseconds. */
  namedAt: number
  /** Earliest time of the next attempt. */
  againAt: number
}

/** Items per page: the service's maximum, because each page counts as a request. */
const PAGE_SIZE = 100

/** Seconds between two requests for events when there are no more. */
const POLL_SECONDS = 5

/** Time limit of an upload: the service waits 300 s for the file, then converts it. */
const UPLOAD_MS = 330_000

/** The service or a proxy in front of it is unavailable for now. */
const TEMPORARY_STATUSES = new Set([502, 503, 504])

/** A client for one service and key. Reuse it: its requests coordinate when the limit is reached. */
export class AdoptableClient extends Operations {
  readonly #baseUrl: string
  readonly #key: string
  readonly #headers: Headers
  readonly #signal: AbortSignal | undefined
  readonly #retries: number
  readonly #maxWaitMs: number
  readonly #timeoutMs: number
  readonly #fetch: typeof fetch
  readonly #time: Time
  readonly #gate: Gate

  /** @throws {TypeError} if the URL does not end in /v1, the key is missing, or a header cannot be sent */
  constructor(settings: ClientSettings) {
    super()
    const { baseUrl, key, signal, retries = 2, maxWaitSeconds = 60, timeoutSeconds = 30 } = settings
    if (!key) throw new TypeError('key is missing: the API key that the operator of the service gave you')
    // The platform's own error would contain the key.
    if (!/^[!-~]+$/.test(key))
      throw new TypeError('key contains a character that no key has, such as a line break')
    this.#baseUrl = checkBaseUrl(baseUrl)
    this.#key = key
    this.#headers = new Headers(settings.headers)
    this.#signal = signal
    this.#retries = retries
    this.#maxWaitMs = maxWaitSeconds * 1000
    this.#timeoutMs = timeoutSeconds * 1000
    this.#fetch = settings.fetch ?? ((...request) => fetch(...request))
    this.#time = {
      clock: settings.clock ?? MACHINE_TIME.clock,
      sleep: settings.sleep ?? MACHINE_TIME.sleep,
      random: settings.random ?? MACHINE_TIME.random,
    }
    this.#gate = new Gate(this.#time, this.#maxWaitMs)
  }

  /** Finds one animal with its own ETag; undefined if no animal has this id. */
  findPet(id: number, options: ReadOptions): Promise<Answer<Pet> | NotModified | undefined>
  findPet(id: number, options?: CallOptions): Promise<Answer<Pet> | undefined>
  async findPet(id: number, options: CallOptions = {}): Promise<Answer<Pet> | NotModified | undefined> {
    const answer: Answer<Pet[]> | NotModified = await this.listPets({ id: [id] }, options)
    if (answer.notModified) return answer
    const [pet] = answer.data
    return pet && { ...answer, data: pet }
  }

  /** Iterates over all matching animals. Pages are requested when needed. */
  pets(
    parameters: ListParameters<ListPetsParameters> = {},
    options: CallOptions = {},
  ): AsyncGenerator<Pet, void, undefined> {
    return this.#iterate((page) => this.listPets({ ...parameters, ...page }, options), parameters, options)
  }

  /** Iterates over all matching orders that this key may see. */
  orders(
    parameters: ListParameters<ListOrdersParameters> = {},
    options: CallOptions = {},
  ): AsyncGenerator<Order, void, undefined> {
    return this.#iterate((page) => this.listOrders({ ...parameters, ...page }, options), parameters, options)
  }

  /** Iterates over all matching applications that this key may see. */
  applications(
    parameters: ListParameters<ListApplicationsParameters> = {},
    options: CallOptions = {},
  ): AsyncGenerator<Application, void, undefined> {
    return this.#iterate(
      (page) => this.listApplications({ ...parameters, ...page }, options),
      parameters,
      options,
    )
  }

  /**
   * Iterates over events, oldest first, and waits for new events. Ends only by a `break`, the signal or an
   * error, such as `events_expired`.
   */
  async *events(
    parameters: EventParameters = {},
    options: CallOptions = {},
  ): AsyncGenerator<Event, void, undefined> {
    for await (const { events } of eventPages(this.#feed(parameters, options), parameters)) {
      for (const event of events) {
        for (const signal of [this.#signal, options.signal]) signal?.throwIfAborted()
        yield event
      }
    }
  }

  /**
   * Keeps a copy of all animals up to date: copies them, then reads each changed animal again. Rejects only
   * when the signal aborts it, or with an error.
   */
  mirror(parameters: MirrorParameters, options: CallOptions = {}): Promise<never> {
    return mirrorPets(this.#feed(parameters, options), parameters)
  }

  #feed({ pollSeconds = POLL_SECONDS }: { pollSeconds?: number | undefined }, options: CallOptions): Feed {
    return {
      listEvents: (query) => this.listEvents(query, options),
      listPets: (query) => this.listPets(query, options),
      allPets: () => this.pets({ sort: 'id' }, options),
      pause: () => this.#sleep(pollSeconds * 1000, options.signal),
    }
  }

  #sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    const againAt = this.#time.clock() + milliseconds
    return untilEither(this.#signal, signal, (either) => sleepUntil(againAt, this.#time, either))
  }

  /** Uploads photos. */
  readonly photos = {
    add: (petId: number, file: Blob, options: PhotoOptions = {}): Promise<Answer<Photo>> =>
      this.addPetPhoto({ petId, alt: options.alt }, file, options),
    addToOrganization: (id: number, file: Blob, options: PhotoOptions = {}): Promise<Answer<Photo>> =>
      this.addOrganizationPhoto({ organizationId: id, alt: options.alt }, file, options),
  }

  #iterate<Item>(
    list: (page: PageParameters) => Promise<Answer<Item[]>>,
    { limit = PAGE_SIZE }: { limit?: number | undefined },
    { signal }: CallOptions,
  ): AsyncGenerator<Item, void, undefined> {
    const pause = (attempts: number) => this.#sleep(backoff(attempts, this.#time.random), signal)
    return iterate((page) => list({ ...page, limit }), [this.#signal, signal], pause)
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
      this.#gate.queue(() => this.#sendUntilDone<Data>(request, signal), signal),
    )
    // Only calls with `ifNoneMatch` get NotModified, and their types say so.
    return answer as Answer<Data>
  }

  async #sendUntilDone<Data>(
    request: PreparedRequest,
    signal: AbortSignal | undefined,
  ): Promise<Answer<Data> | NotModified> {
    for (let attempts = 1; ; attempts += 1) {
      const outcome = await this.#gate.pass(() => this.#sendOnce<Data>(request, attempts, signal), signal)
      if ('data' in outcome) return outcome
      const { error, namedAt, againAt } = outcome
      const tooFar = namedAt - this.#time.clock() > this.#maxWaitMs
      if (attempts > this.#retries || tooFar || !mayRepeat(error, request)) throw error
      await sleepUntil(againAt, this.#time, signal)
    }
  }

  async #sendOnce<Data>(
    request: PreparedRequest,
    attempts: number,
    signal: AbortSignal | undefined,
  ): Promise<Answer<Data> | NotModified | Failure> {
    const answer = await this.#fetchAnswer<Data>(request, signal)
    if (!(answer instanceof AdoptableError)) return answer
    const { clock, random } = this.#time
    const namedAt = clock() + (answer.retryAfter ?? 0) * 1000
    // The random part keeps all clients of a key from returning at the same moment.
    const againAt = namedAt + backoff(attempts, random)
    if (answer.status === 429) this.#gate.closeUntil(namedAt, againAt, answer)
    return { error: answer, namedAt, againAt }
  }

  async #fetchAnswer<Data>(
    { method, url, headers, body, onProgress }: PreparedRequest,
    signal: AbortSignal | undefined,
  ): Promise<Answer<Data> | NotModified | AdoptableError> {
    const fetch = this.#fetch
    const attempt = new AbortController()
    const abort = (): void => attempt.abort(signal?.reason)
    signal?.addEventListener('abort', abort)
    const timeoutMs = body instanceof Blob ? Math.max(this.#timeoutMs, UPLOAD_MS) : this.#timeoutMs
    const timer = setTimeout(() => attempt.abort(new Error('The response took too long.')), timeoutMs)
    try {
      // Redirects are not followed, because the key is for this address only. XMLHttpRequest, which browsers
      // need for progress, follows them.
      const { signal: until } = attempt
      const response =
        body instanceof Blob && onProgress
          ? await sendWithProgress(url, { method, headers, body, signal: until }, onProgress, fetch)
          : await fetch(url, {
              ...{ method, headers, body, signal: until, redirect: 'error' },
              // A repeated request wants current data, and no browser cache may keep what a key sees.
              cache: 'no-store',
            })
      const answer = await readAnswer<Data>(response, this.#time.clock())
      const rateLimit = readRateLimit(response.headers)
      if (rateLimit) this.#gate.narrow(rateLimit)
      return answer
    } catch (cause) {
      signal?.throwIfAborted()
      return new AdoptableError('connection_failed', describeFailure(url, cause), { status: 0, cause })
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  }
}

/**
 * @returns the URL without a trailing slash
 * @throws {TypeError} with a clearer message than the first request would give
 */
function checkBaseUrl(baseUrl: string | URL): string {
  let address = ''
  try {
    address = new URL(baseUrl).href.replace(/\/+$/, '')
  } catch {
    // Reported below.
  }
  if (/^https?:[^?#]*\/v1$/.test(address)) return address
  throw new TypeError('baseUrl must be an http(s) URL that ends in /v1, such as https://pets.example.org/v1')
}

/** In a browser a CORS rejection and a missing server are the same TypeError. */
function describeFailure({ origin }: URL, cause: unknown): string {
  const { location } = globalThis as { location?: { origin: string } }
  if (!(cause instanceof TypeError) || !location || location.origin === origin)
    return `${origin} did not answer.`
  return (
    `${origin} did not answer, or does not let pages of ${location.origin} call it (CORS): ` +
    'its operator lists their origin in the setting CORS_ORIGINS.'
  )
}

/** A request with a 429 was not carried out. Any other may have been, so it must be repeatable. */
function mayRepeat({ code, status }: AdoptableError, { repeatable }: PreparedRequest): boolean {
  if (status === 429) return true
  // `idempotency_key_in_use`: an earlier attempt of this request is still running.
  const isTemporary =
    code === 'connection_failed' || code === 'idempotency_key_in_use' || TEMPORARY_STATUSES.has(status)
  return isTemporary && repeatable
}

/** Runs with a signal that follows both. AbortSignal.any exists only since Node 20.3. */
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
 * Follows the pages of a list. If a page is empty but not the last, other clients' unfinished additions delay
 * the rest, so it pauses and asks again. Only the cursor of the next page's URL is used: the key goes to the
 * base URL only, whatever host a response names.
 */
async function* iterate<Item>(
  list: (page: PageParameters) => Promise<Answer<Item[]>>,
  signals: (AbortSignal | undefined)[],
  pause: (attempts: number) => Promise<void>,
): AsyncGenerator<Item, void> {
  let cursor: string | undefined
  let emptyPages = 0
  do {
    const { data, nextCursor } = await list({ cursor })
    for (const item of data) {
      // An abort also takes effect in the middle of a page.
      for (const signal of signals) signal?.throwIfAborted()
      yield item
    }
    cursor = nextCursor
    emptyPages = data.length > 0 ? 0 : emptyPages + 1
    if (emptyPages > 0 && cursor !== undefined) await pause(emptyPages)
  } while (cursor !== undefined)
}
