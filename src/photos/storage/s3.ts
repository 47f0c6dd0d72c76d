import { createReadStream } from 'node:fs'
import { chmod, lstat, mkdir, rm, stat } from 'node:fs/promises'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { AwsClient } from 'aws4fetch'
import { readFileName, renditionOf } from './renditions.ts'
import type { PhotoStore, Span } from './store.ts'

/** How long the other side is waited for, in milliseconds, and how often it is asked again. */
interface Bounds {
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

/** This many files are removed at the same time. */
const REMOVE_CONCURRENCY = 8

interface Wanted {
  headers?: Record<string, string>
  file?: string
  isLeft?: boolean
}

/**
 * Files in a bucket of S3, or of what speaks like it.
 *
 * @param photosUrl as PHOTOS_URL has it: s3://key:secret@host/bucket?region=…, or s3+http:// without TLS
 */
export async function openS3(photosUrl: string, bounds = BOUNDS): Promise<PhotoStore> {
  const { host, bucket, request } = asker(photosUrl, bounds)
  const workFolder = privateFolder()
  await makePrivate(workFolder)

  const addressOf = (name: string): string => {
    if (!readFileName(name)) throw new Error(`${name} is no name of a photo`)
    return `${bucket}/${name}`
  }

  return {
    workFolder,
    remakeWorkFolder: () => makePrivate(workFolder),
    async put(name, file) {
      const { type } = renditionOf(readFileName(name)?.rendition ?? 'full')
      const headers = {
        'content-length': String((await stat(file)).size),
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
      }
      await request('PUT', addressOf(name), { headers, file })
      await rm(file, { force: true })
    },
    async read(name, span) {
      const range = span && { headers: { range: `bytes=${span.first}-${span.last}` } }
      const answer = await request('GET', addressOf(name), { ...range, isLeft: true })
      if (!answer) return undefined
      const { message } = answer
      const extent = extentOf(answer, span)
      if (!extent) {
        message.destroy()
        throw new Error(`${host} answered GET with ${answer.status} and other bytes than those asked for`)
      }
      const pieces = bytesOf(message, { host, size: extent.length, silenceMs: bounds.silenceMs })
      const bytes = Readable.from(pieces, { objectMode: false }).once('close', () => message.destroy())
      return { size: extent.size, bytes }
    },
    async size(name) {
      const answer = await request('HEAD', addressOf(name))
      return answer && sizeIn(answer, host)
    },
    async remove(names) {
      for (let from = 0; from < names.length; from += REMOVE_CONCURRENCY) {
        const some = names.slice(from, from + REMOVE_CONCURRENCY)
        await Promise.all(some.map((name) => request('DELETE', addressOf(name))))
      }
    },
    async *list() {
      let token: string | undefined
      do {
        const more = token === undefined ? '' : `&continuation-token=${encodeURIComponent(token)}`
        const answer = await request('GET', `${bucket}?list-type=2&max-keys=${bounds.pageSize}${more}`)
        const page = readPage(answer?.text ?? '')
        if (!page) throw new Error(`${host} answered with no list of files`)
        yield* page.files
        // It would never end.
        if (page.next !== undefined && ['', token].includes(page.next))
          throw new Error(`${host} does not say how its list goes on`)
        token = page.next
      } while (token !== undefined)
    },
  }
}

/** What asks a bucket, with its key. */
function asker(photosUrl: string, bounds: Bounds) {
  const { bucket, host, key, secret, region } = readAddress(photosUrl)
  const client = new AwsClient({
    accessKeyId: key,
    secretAccessKey: secret,
    service: 's3',
    ...(region && { region }),
  })

  /** @returns undefined for what is not there */
  async function request(method: string, url: string, wanted: Wanted = {}): Promise<Answer | undefined> {
    const sign = async () => {
      const signed = await client.sign(url, { method }).catch(() => {
        // The error shows what was to be signed.
        throw new Error(`${host}: the key cannot be sent`)
      })
      const headers = { ...Object.fromEntries(signed.headers), ...wanted.headers }
      return { ...wanted, url: signed.url, method, headers }
    }
    const answer = await ask(sign, bounds)
    if (answer.status < 300) return answer
    const [, code = ''] = /<Code>([A-Za-z]{1,60})<\/Code>/.exec(answer.text) ?? []
    if (answer.status === 404 && method !== 'PUT' && code !== 'NoSuchBucket') return undefined
    throw new Error(`${host} answered ${method} with ${answer.status} ${code}`.trim())
  }
  return { host, bucket, request }
}

function readAddress(photosUrl: string) {
  const url = new URL(photosUrl)
  const { origin, host } = new URL(`${url.protocol === 's3:' ? 'https' : 'http'}://${url.host}`)
  return {
    host,
    bucket: origin + url.pathname,
    key: decodeURIComponent(url.username),
    secret: decodeURIComponent(url.password),
    region: url.searchParams.get('region'),
  }
}

/** One for each user: root may run a command before the service's own user comes. */
const privateFolder = (): string => join(tmpdir(), `adoptable-photos-${process.getuid?.() ?? 'own'}`)

/** Others of this machine may neither look into it nor exchange what is there. */
async function makePrivate(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const found = await lstat(folder)
  // Windows knows no such ids; there the folder is the user's own anyway.
  const user = process.getuid?.()
  if (!found.isDirectory() || (user !== undefined && found.uid !== user))
    throw new Error(`${folder} has to be a folder of the user that runs this`)
  if ((found.mode & 0o777) !== 0o700) await chmod(folder, 0o700)
}

function sizeIn({ status, headers }: Answer, host: string): number {
  const text = headers['content-length'] ?? ''
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new Error(`${host} answered HEAD with ${status} and no size`)
}

/** How large the file is, and how much of it comes; undefined where it is not what was asked for. */
function extentOf({ status, headers }: Answer, span: Span | undefined) {
  if (!span) {
    const size = Number(headers['content-length'] ?? Number.NaN)
    return status === 200 && Number.isSafeInteger(size) ? { size, length: size } : undefined
  }
  const parts = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(headers['content-range'] ?? '') ?? []
  const [, first = -1, last = -1, size = -1] = parts.map(Number)
  const isAsked = first === span.first && last === Math.min(span.last, size - 1)
  return status === 206 && isAsked ? { size, length: last - first + 1 } : undefined
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** A page of ListObjectsV2: which files of ours it names, and how the next one is asked for. */
function readPage(xml: string) {
  if (!/<ListBucketResult[\s>]/.test(xml)) return undefined
  const valueIn = (text: string, member: string): string | undefined =>
    new RegExp(`<${member}>([^<]*)</${member}>`).exec(text)?.[1]
  const files = [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].flatMap(([, text = '']) => {
    const name = valueIn(text, 'Key') ?? ''
    const at = Date.parse(valueIn(text, 'LastModified') ?? '')
    return readFileName(name) && Number.isFinite(at) ? [{ name, at }] : []
  })
  if (valueIn(xml, 'IsTruncated') !== 'true') return { files, next: undefined }
  const next = valueIn(xml, 'NextContinuationToken') ?? ''
  return { files, next: next.replace(/&(\w+);/g, (whole, name) => ENTITIES[name] ?? whole) }
}

/** A signed request. */
interface S3Request {
  url: string
  method: string
  headers: Record<string, string>
  /** What is sent, of the size that `content-length` says. */
  file?: string
  /** The file that is answered is left to who asked. */
  isLeft?: boolean
}

interface Answer {
  status: number
  headers: http.IncomingHttpHeaders
  /** The body, unless it is left. */
  text: string
  message: IncomingMessage
}

/** For what goes wrong inside of the other side, or on the way there; asking again may help. */
const PASSING = [429, 500, 503]

/** No list of names is larger. */
const MAX_TEXT = 4 * 1_048_576

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
async function ask(sign: () => Promise<S3Request>, bounds: Bounds): Promise<Answer> {
  for (const pauseMs of bounds.pausesMs) {
    const answer = await askOnce(await sign(), bounds).catch((error) => {
      if (error instanceof TooLate) throw error
    })
    if (answer && !PASSING.includes(answer.status)) return answer
    await wait(pauseMs)
  }
  return askOnce(await sign(), bounds)
}

async function askOnce({ url, method, headers, file, isLeft }: S3Request, bounds: Bounds): Promise<Answer> {
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
    if (size > MAX_TEXT) throw new Error('the answer is too large')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}

/**
 * The bytes of a file that was left.
 *
 * @param size how many have to come
 */
async function* bytesOf(
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
