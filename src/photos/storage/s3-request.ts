import { createReadStream } from 'node:fs'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { setTimeout as wait } from 'node:timers/promises'

/** How long the other side is waited for, in milliseconds, and how often it is asked again. */
export interface Bounds {
  /** Until it answers, while nothing moves. */
  answerMs: number
  /** For a request and its answer, but for a file that is passed on while it is read. */
  wholeMs: number
  /** Within such a file, while it sends nothing. */
  silenceMs: number
  /** Before each further try. */
  pausesMs: number[]
  /** Names on a page of a list. */
  pageSize: number
}

export const BOUNDS: Bounds = {
  answerMs: 5_000,
  wholeMs: 30_000,
  silenceMs: 10_000,
  pausesMs: [100, 400],
  pageSize: 1_000,
}

/** What is asked, signed. */
export interface Asked {
  url: string
  method: string
  headers: Record<string, string>
  /** What is sent, of the size that `content-length` says. */
  file?: string
  /** The file that is answered is left to who asked. */
  isLeft?: boolean
}

export interface Answer {
  status: number
  headers: http.IncomingHttpHeaders
  /** The body, unless it is left. */
  text: string
  message: IncomingMessage
}

/** For what goes wrong inside of the other side, or on the way there; asking again may help. */
const PASSING = [429, 500, 503]

/** No list of names is larger. */
const MOST_TEXT = 4 * 1_048_576

/** It took too long, and would again. */
class TooLate extends Error {}

// There are as many connections at once as are asked for: each belongs to a client's, which have their limit.
const KEPT = { keepAlive: true, maxFreeSockets: 16, timeout: 4_000 }
const agents = { 'http:': new http.Agent(KEPT), 'https:': new https.Agent(KEPT) }

/**
 * Asks, and asks again for what may pass by itself: every request here may be repeated.
 *
 * @param sign gives what is asked, as of now
 */
export async function ask(sign: () => Promise<Asked>, bounds: Bounds): Promise<Answer> {
  for (const pauseMs of bounds.pausesMs) {
    const answer = await askOnce(await sign(), bounds).catch((error) => {
      if (error instanceof TooLate) throw error
    })
    if (answer && !PASSING.includes(answer.status)) return answer
    await wait(pauseMs)
  }
  return askOnce(await sign(), bounds)
}

async function askOnce({ url, method, headers, file, isLeft }: Asked, bounds: Bounds): Promise<Answer> {
  const { host, protocol } = new URL(url)
  const [made, agent] = protocol === 'https:' ? [https, agents['https:']] : [http, agents['http:']]
  const request = made.request(url, { method, headers, agent })
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  request.once('response', resolve).on('error', reject)

  let late: TooLate | undefined
  const giveUp = (afterMs: number): void => {
    late = new TooLate(`${host} did not answer ${method} within ${afterMs} ms`)
    request.destroy(late)
  }
  const answering = setTimeout(giveUp, bounds.answerMs, bounds.answerMs)
  const whole = setTimeout(giveUp, bounds.wholeMs, bounds.wholeMs)
  const sent = file === undefined ? undefined : createReadStream(file)
  // What is sent moves on: it is not the other side yet that is waited for.
  sent?.on('data', () => answering.refresh()).on('error', (error) => request.destroy(error))
  if (sent) sent.pipe(request)
  else request.end()
  try {
    const message = await promise
    clearTimeout(answering)
    // Who reads it hears of an error then; before that, nobody does.
    message.on('error', () => undefined)
    const { statusCode: status = 0, headers } = message
    const text = isLeft && status < 300 ? '' : await textOf(message)
    return { status, headers, text, message }
  } catch (error) {
    throw late ?? failed(host, error)
  } finally {
    clearTimeout(answering)
    clearTimeout(whole)
    sent?.destroy()
    // It answered before it had everything: the rest is not sent, and would be taken for the next request.
    if (!request.writableFinished) request.destroy()
  }
}

async function textOf(message: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of message as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > MOST_TEXT) throw new Error('the answer is too large')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}

/**
 * The bytes of a file that was left.
 *
 * @param size how many have to come
 */
export async function* bytesOf(
  message: IncomingMessage,
  { host, size, silenceMs }: { host: string; size: number; silenceMs: number },
): AsyncGenerator<Buffer> {
  const pieces: AsyncIterator<Buffer> = message[Symbol.asyncIterator]()
  let left = size
  for (;;) {
    // It runs while something is waited for, and not while a slow client takes what is there.
    const silence = setTimeout(
      () => message.destroy(new Error(`nothing came for ${silenceMs} ms`)),
      silenceMs,
    )
    const next = pieces.next().finally(() => clearTimeout(silence))
    const { done, value } = await next.catch((error) => Promise.reject(failed(host, error)))
    if (done) break
    left -= value.length
    if (left < 0) break
    yield value
  }
  if (left !== 0) throw failed(host, new Error('it sent another number of bytes than it said'))
}

/** Only where and what: an error of the library may show what was sent, with its signature. */
function failed(host: string, error: unknown): Error {
  const { code, message } = error as NodeJS.ErrnoException
  return new Error(`${host} failed: ${code ?? message}`)
}
