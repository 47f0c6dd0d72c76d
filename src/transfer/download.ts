import type { IncomingMessage } from 'node:http'
import { ApiError, type ErrorCode } from '../errors.ts'
import {
  ALL_NETWORKS,
  ClosedAddressError,
  type OpenNetworks,
  PRIVATE_ADDRESS,
  parseOutbound,
  sendOutbound,
} from '../http/outbound.ts'
import type { PhotoStore } from '../photos/storage/photo-files.ts'
import { MAX_PHOTO_BYTES, receivePhoto } from '../photos/upload.ts'
import { RefusalError } from './report.ts'

/** Maximum time until the response begins. `receive` limits the time for its body. */
const ANSWER_MS = 30_000

/**
 * Downloads a picture from an untrusted address (OWASP, Server Side Request Forgery Prevention). The address
 * must use https, and its host name must not resolve to this machine or its network. Redirects are not
 * followed.
 * @param privateToo also allows http, and addresses of this machine and its network
 * @throws {RefusalError} @throws {ApiError} as `receive`
 */
export async function download(
  address: string,
  store: PhotoStore,
  privateToo: boolean,
): Promise<DownloadedFile> {
  const networks = privateToo ? ALL_NETWORKS : []
  const answer = await request(address, networks).catch((error) => {
    throw toAddressError(error, privateToo)
  })
  try {
    if (answer.statusCode !== 200) throw new RefusalError(`The server answered with ${answer.statusCode}.`)
    return await receivePhoto({ raw: answer, headers: answer.headers }, answer, store).catch((error) => {
      throw toDownloadError(error)
    })
  } finally {
    answer.destroy()
  }
}

async function request(address: string, networks: OpenNetworks): Promise<IncomingMessage> {
  const headers = { accept: 'image/*', 'accept-encoding': 'identity', 'user-agent': 'adoptable' }
  return sendOutbound(parseOutbound(address, networks), networks, { headers, timeoutMs: ANSWER_MS })
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

/** Explains why an address cannot be used. @param privateToo as in `download` */
function toAddressError(error: unknown, privateToo: boolean): Error {
  const { message } = error as Error
  if (message.startsWith('The server')) return new RefusalError(message)
  if (!(error instanceof ClosedAddressError)) return new RefusalError(`The download failed: ${message}.`)
  const hint = message === PRIVATE_ADDRESS && !privateToo ? ' The option --photos-private allows it.' : ''
  return new RefusalError(message + hint)
}
