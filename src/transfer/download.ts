import { lookup } from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { ApiError, type ErrorCode } from '../errors.ts'
import type { PhotoStore } from '../photos/storage/store.ts'
import { MAX_PHOTO_BYTES, receivePhoto } from '../photos/upload.ts'
import { RefusalError } from './report.ts'

/** Maximum time until the response begins. `receive` limits the time for its body. */
const ANSWER_MS = 30_000

/**
 * Downloads a picture from an untrusted address (OWASP, Server Side Request Forgery Prevention). The address
 * must use https, and its host name must not resolve to this machine or its network. Redirects are not
 * followed.
 *
 * @param privateToo also allows http, and addresses of this machine and its network
 * @throws {RefusalError} @throws {ApiError} as `receive`
 */
export async function download(
  address: string,
  store: PhotoStore,
  privateToo: boolean,
): Promise<DownloadedFile> {
  const url = parseAddress(address, privateToo)
  const answer = await get(url, privateToo)
  try {
    if (answer.statusCode !== 200) throw new RefusalError(`The server answered with ${answer.statusCode}.`)
    return await receivePhoto({ raw: answer, headers: answer.headers }, answer, store).catch((error) => {
      throw toDownloadError(error)
    })
  } finally {
    answer.destroy()
  }
}

/** The errors of uploads ask the client for something else; here they describe what the server did wrong. */
const SERVER_ERRORS: Partial<Record<ErrorCode, string>> = {
  request_timeout: 'The server was too slow: it must send 10 KB per second, and take 300 seconds at most.',
  payload_too_large: `The picture is larger than ${MAX_PHOTO_BYTES} bytes, or comes in too many small pieces.`,
  invalid_image: 'The server sent an empty file.',
}

/** @param error as `receive` throws it */
export function toDownloadError(error: unknown): Error {
  if (!(error instanceof ApiError)) return new RefusalError('The download was interrupted.')
  const reason = SERVER_ERRORS[error.code]
  return reason === undefined ? error : new RefusalError(reason)
}

type DownloadedFile = Awaited<ReturnType<typeof receivePhoto>>

/** @throws {RefusalError} */
function parseAddress(address: string, privateToo: boolean): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined
  const isAllowed = url?.protocol === 'https:' || (privateToo && url?.protocol === 'http:')
  if (!url || !isAllowed) throw new RefusalError('This is not an https address.')
  if (url.username || url.password)
    throw new RefusalError('The address must not contain a user name or password.')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // Node.js does not look up an IP address, so `lookupPublic` does not check it.
  if (isIP(host) && !privateToo && !isPublic(host)) throw new RefusalError(PRIVATE_ADDRESS)
  return url
}

const PRIVATE_ADDRESS = 'The address belongs to this machine or its network; --photos-private allows that.'

/** The metadata service of the host in Azure, which may reveal secrets. */
const AZURE_HOST = '168.63.129.16'
/** The only assigned range of public IPv6 addresses (RFC 4291, section 2.4). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Excludes private, loopback, link-local and other special ranges. Also checks an IPv4 address inside an IPv6
 * address.
 */
function isPublic(host: string): boolean {
  const address = ipaddr.process(host)
  if (address.range() !== 'unicast' || address.toString() === AZURE_HOST) return false
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST)
}

/** Checks addresses when connecting, because a name may resolve differently each time. */
const lookupPublic: LookupFunction = (name, options, done) => {
  lookup(name, { ...options, all: true }, (error, found) => {
    if (error) return done(error, '')
    if (!found.every(({ address }) => isPublic(address))) return done(new RefusalError(PRIVATE_ADDRESS), '')
    if (options.all) done(null, found)
    else done(null, found[0]?.address ?? '', found[0]?.family)
  })
}

function get(url: URL, privateToo: boolean): Promise<http.IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>()
  const options = {
    headers: { accept: 'image/*', 'accept-encoding': 'identity', 'user-agent': 'adoptable' },
    agent: false,
    ...(!privateToo && { lookup: lookupPublic }),
  } as const
  const request = (url.protocol === 'https:' ? https : http).get(url, options, resolve)
  const timeout = setTimeout(() => request.destroy(new RefusalError('The server did not answer.')), ANSWER_MS)
  request.once('error', (error) =>
    reject(
      error instanceof RefusalError ? error : new RefusalError(`The download failed: ${error.message}.`),
    ),
  )
  // Without this, Node.js would close the connection without an error.
  request.once('upgrade', ({ statusCode }, socket) => {
    socket.destroy()
    reject(new RefusalError(`The server answered with ${statusCode}.`))
  })
  // Has no effect after a response or an error.
  request.once('close', () => reject(new RefusalError('The server did not answer.')))
  return promise.finally(() => clearTimeout(timeout))
}
