import { createReadStream } from 'node:fs'
import { chmod, lstat, mkdir, rm, stat } from 'node:fs/promises'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { AwsClient } from 'aws4fetch'
import { type ByteRange, type PhotoStore, readFileName, renditionOf } from './photo-files.ts'

/** Timeouts in milliseconds, and retries. */
interface S3Options {
  /** Timeout until the response begins, while no bytes are sent. */
  responseMs: number
  /** Timeout for a request and its response. It does not limit a file that is passed on while it is read. */
  totalMs: number
  /** Timeout between two chunks of a file that is passed on. */
  silenceMs: number
  /** The pauses before the retries. */
  retryDelaysMs: number[]
  /** Files per page of a list. */
  pageSize: number
}

export const DEFAULT_OPTIONS: S3Options = {
  responseMs: 5_000,
  totalMs: 30_000,
  silenceMs: 10_000,
  retryDelaysMs: [100, 400],
  pageSize: 1_000,
}

/** Maximum number of files removed at the same time. */
const REMOVE_CONCURRENCY = 8

interface RequestOptions {
  headers?: Record<string, string>
  /** The path of a file to send. Its size is in `content-length`. */
  file?: string
  /** True if the caller reads the body of a successful response. */
  streamsBody?: boolean
}

/**
 * Stores files in a bucket of S3 or of a compatible service.
 * @param photosUrl as in PHOTOS_URL: s3://key:secret@host/bucket?region=…, or s3+http:// without TLS
 */
export async function openS3(photosUrl: string, options = DEFAULT_OPTIONS): Promise<PhotoStore> {
  const { host, bucket, request } = openClient(photosUrl, options)
  const workFolder = privateFolder()
  await makePrivate(workFolder)

  const addressOf = (name: string): string => {
    if (!readFileName(name)) throw new Error(`${name} is not the name of a photo file`)
    return `${bucket}/${name}`
  }

  return {
    workFolder,
    recreateWorkFolder: () => makePrivate(workFolder),
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
      const response = await request('GET', addressOf(name), { ...range, streamsBody: true })
      if (!response) return undefined
      const { message } = response
      const extent = extentOf(response, span)
      if (!extent) {
        message.destroy()
        throw new Error(`${host} answered GET with ${response.status} and other bytes than requested`)
      }
      const chunks = bytesOf(message, { host, size: extent.length, silenceMs: options.silenceMs })
      const bytes = Readable.from(chunks, { objectMode: false }).once('close', () => message.destroy())
      return { size: extent.size, bytes }
    },
    async size(name) {
      const response = await request('HEAD', addressOf(name))
      return response && sizeIn(response, host)
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
        const response = await request('GET', `${bucket}?list-type=2&max-keys=${options.pageSize}${more}`)
        const page = readPage(response?.text ?? '')
        const now = Date.parse(response?.headers.date ?? '')
        if (!page || Number.isNaN(now)) throw new Error(`${host} did not answer with a list of files`)
        for (const { name, at } of page.files) yield { name, ageMs: now - at }
        // With such a token, the list would never end.
        if (page.next !== undefined && ['', token].includes(page.next))
          throw new Error(`${host} does not say where the next page of its list is`)
        token = page.next
      } while (token !== undefined)
    },
  }
}

/** Returns the function that sends requests to a bucket, signed with its key. */
function openClient(photosUrl: string, options: S3Options) {
  const { bucket, host, key, secret, region } = readAddress(photosUrl)
  const client = new AwsClient({
    accessKeyId: key,
    secretAccessKey: secret,
    service: 's3',
    ...(region && { region }),
  })

  /** @returns undefined when the file does not exist */
  async function request(
    method: string,
    url: string,
    requestOptions: RequestOptions = {},
  ): Promise<S3Response | undefined> {
    const sign = async () => {
      const signed = await client.sign(url, { method }).catch(() => {
        // Throws a new error, because the original error contains the key.
        throw new Error(`${host}: the key cannot be sent`)
      })
      const headers = { ...Object.fromEntries(signed.headers), ...requestOptions.headers }
      return { ...requestOptions, url: signed.url, method, headers }
    }
    const response = await sendWithRetries(sign, options)
    if (response.status < 300) return response
    const [, code = ''] = /<Code>([A-Za-z]{1,60})<\/Code>/.exec(response.text) ?? []
    if (response.status === 404 && method !== 'PUT' && code !== 'NoSuchBucket') return undefined
    throw new Error(`${host} answered ${method} with ${response.status} ${code}`.trim())
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

/** Each user has a private folder, because root may run a command before the user of the service does. */
const privateFolder = (): string => join(tmpdir(), `adoptable-photos-${process.getuid?.() ?? 'own'}`)

/** Creates a folder in which other users of the machine can neither read nor replace files. */
async function makePrivate(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const found = await lstat(folder)
  // Windows has no user ids. On Windows, the temporary folder belongs to the user.
  const user = process.getuid?.()
  if (!found.isDirectory() || (user !== undefined && found.uid !== user))
    throw new Error(`${folder} must be a folder of the user who runs this command`)
  if ((found.mode & 0o777) !== 0o700) await chmod(folder, 0o700)
}

function sizeIn({ status, headers }: S3Response, host: string): number {
  const text = headers['content-length'] ?? ''
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new Error(`${host} answered HEAD with ${status} and no size`)
}

/** The size of a file and the range in the response; undefined if another range was requested. */
function extentOf({ status, headers }: S3Response, span: ByteRange | undefined) {
  if (!span) {
    const size = Number(headers['content-length'] ?? Number.NaN)
    return status === 200 && Number.isSafeInteger(size) ? { size, length: size } : undefined
  }
  const parts = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(headers['content-range'] ?? '') ?? []
  const [, first = -1, last = -1, size = -1] = parts.map(Number)
  const isRequested = first === span.first && last === Math.min(span.last, size - 1)
  return status === 206 && isRequested ? { size, length: last - first + 1 } : undefined
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Parses a page of ListObjectsV2: its photo files, and the token of the next page. */
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
  return { files, next: next.replace(/&(\w+);/g, (text, name) => ENTITIES[name] ?? text) }
}

interface SignedRequest extends RequestOptions {
  url: string
  method: string
}

interface S3Response {
  status: number
  headers: http.IncomingHttpHeaders
  /** The body; empty if the caller reads the body itself. */
  text: string
  message: IncomingMessage
}

/** Temporary errors of the bucket, after which a retry may help. */
const TEMPORARY_STATUSES = [429, 500, 503]

/** Maximum size of a list in bytes. */
const MAX_LIST_BYTES = 4 * 1_048_576

/** The bucket was too slow. A retry would probably be as slow. */
class BucketTimeout extends Error {}

// Connections need no limit: each of them serves a client, and the number of clients is limited.
const AGENT_OPTIONS = { keepAlive: true, maxFreeSockets: 16, timeout: 4_000 }
const agents = { 'http:': new http.Agent(AGENT_OPTIONS), 'https:': new https.Agent(AGENT_OPTIONS) }

/**
 * Sends a request, and retries after temporary errors. All requests of this file are safe to repeat.
 * @param sign returns the request, signed for the current time
 */
async function sendWithRetries(sign: () => Promise<SignedRequest>, options: S3Options): Promise<S3Response> {
  for (const pauseMs of options.retryDelaysMs) {
    const response = await sendOnce(await sign(), options).catch((error) => {
      if (error instanceof BucketTimeout) throw error
    })
    if (response && !TEMPORARY_STATUSES.includes(response.status)) return response
    await wait(pauseMs)
  }
  return sendOnce(await sign(), options)
}

async function sendOnce(
  { url, method, headers, file, streamsBody }: SignedRequest,
  options: S3Options,
): Promise<S3Response> {
  const { host, protocol } = new URL(url)
  const [transport, agent] = protocol === 'https:' ? [https, agents['https:']] : [http, agents['http:']]
  const request = transport.request(url, { method, headers, agent })
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  request.once('response', resolve).on('error', reject)

  let timeout: BucketTimeout | undefined
  const giveUp = (afterMs: number): void => {
    timeout = new BucketTimeout(`${host} did not answer ${method} within ${afterMs} ms`)
    request.destroy(timeout)
  }
  const responseTimer = setTimeout(giveUp, options.responseMs, options.responseMs)
  const totalTimer = setTimeout(giveUp, options.totalMs, options.totalMs)
  const uploadStream = file === undefined ? undefined : createReadStream(file)
  // While the file is being sent, the response cannot begin yet.
  uploadStream?.on('data', () => responseTimer.refresh()).on('error', (error) => request.destroy(error))
  if (uploadStream) uploadStream.pipe(request)
  else request.end()
  try {
    const message = await promise
    clearTimeout(responseTimer)
    // The reader of the message handles its errors. Without a reader, this handler ignores them.
    message.on('error', () => undefined)
    const { statusCode: status = 0, headers } = message
    const text = streamsBody && status < 300 ? '' : await textOf(message)
    return { status, headers, text, message }
  } catch (error) {
    throw timeout ?? bucketError(host, error)
  } finally {
    clearTimeout(responseTimer)
    clearTimeout(totalTimer)
    uploadStream?.destroy()
    // The bucket answered before it received the complete file, so the connection cannot be used again.
    if (!request.writableFinished) request.destroy()
  }
}

async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_LIST_BYTES) throw new Error('the response is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/**
 * Reads the body of a response.
 * @param size the expected number of bytes
 * @throws if the number of bytes differs from `size`, or if no bytes arrive for `silenceMs`
 */
async function* bytesOf(
  message: IncomingMessage,
  { host, size, silenceMs }: { host: string; size: number; silenceMs: number },
): AsyncGenerator<Buffer> {
  const chunks: AsyncIterator<Buffer> = message[Symbol.asyncIterator]()
  let left = size
  for (;;) {
    // The timer runs only while this function waits for the bucket, not while a slow client reads.
    const silence = setTimeout(() => message.destroy(new Error(`no data for ${silenceMs} ms`)), silenceMs)
    const next = chunks.next().finally(() => clearTimeout(silence))
    const { done, value } = await next.catch((error) => Promise.reject(bucketError(host, error)))
    if (done) break
    left -= value.length
    if (left < 0) break
    yield value
  }
  if (left !== 0) throw bucketError(host, new Error('it sent another number of bytes than announced'))
}

/** Keeps only the host and the message, because an error of the library may contain the signed request. */
function bucketError(host: string, error: unknown): Error {
  const { code, message } = error as NodeJS.ErrnoException
  return new Error(`${host} failed: ${code ?? message}`)
}
