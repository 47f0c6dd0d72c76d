import { lookup } from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { ApiError, type ErrorCode } from '../errors.ts'
import type { PhotoStore } from '../photos/storage/store.ts'
import { MAX_BYTES, receive } from '../photos/upload.ts'
import { Refused } from './animal.ts'

/** Until the answer begins. How long its body may take, `receive` knows. */
const ANSWER_MS = 30_000

/**
 * Fetches a picture from an address that somebody else chose (OWASP, Server Side Request Forgery Prevention):
 * over https, from no address of this machine or its network, whatever the name says, and without redirects.
 *
 * @param privateToo takes those addresses, and http
 * @throws {Refused} @throws {ApiError} as `receive`
 */
export async function download(address: string, store: PhotoStore, privateToo: boolean): Promise<Downloaded> {
  const url = urlOf(address, privateToo)
  const answer = await get(url, privateToo)
  try {
    if (answer.statusCode !== 200) throw new Refused(`It was answered with ${answer.statusCode}.`)
    return await receive({ raw: answer, headers: answer.headers }, answer, store).catch((error) => {
      throw asOfServer(error)
    })
  } finally {
    answer.destroy()
  }
}

/** What the service would ask of a sender, somebody else's server is only said to have failed at. */
const OF_SERVER: Partial<Record<ErrorCode, string>> = {
  request_timeout: 'The server sent it too slowly: it needs 10 KB a second, and 300 seconds at most.',
  payload_too_large: `The picture is larger than ${MAX_BYTES} bytes, or comes in too many small pieces.`,
  invalid_image: 'The answer was empty.',
}

/** @param error as `receive` throws it */
export function asOfServer(error: unknown): Error {
  if (!(error instanceof ApiError)) return new Refused('The answer broke off.')
  const reason = OF_SERVER[error.code]
  return reason === undefined ? error : new Refused(reason)
}

type Downloaded = Awaited<ReturnType<typeof receive>>

/** @throws {Refused} */
function urlOf(address: string, privateToo: boolean): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined
  const isKnown = url?.protocol === 'https:' || (privateToo && url?.protocol === 'http:')
  if (!url || !isKnown) throw new Refused('This is no https address.')
  if (url.username || url.password) throw new Refused('The address may hold no name and no password.')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // Of a number no name is looked up.
  if (isIP(host) && !privateToo && !isPublic(host)) throw new Refused(PRIVATE)
  return url
}

const PRIVATE = 'The address leads into a network of this machine; --photos-private allows that.'

/** In Azure it is the host of the machine, which tells it what nobody else is to know. */
const OF_HOST = '168.63.129.16'
/** All of IPv6 that is given out (RFC 4291, section 2.4): what else there is may lead anywhere. */
const GIVEN_OUT = ipaddr.IPv6.parseCIDR('2000::/3')

/** Private, loopback, link-local and the like have ranges with names; an IPv4 in an IPv6 is the IPv4. */
function isPublic(host: string): boolean {
  const address = ipaddr.process(host)
  if (address.range() !== 'unicast' || address.toString() === OF_HOST) return false
  return address.kind() === 'ipv4' || address.match(GIVEN_OUT)
}

/** At the moment of connecting: what a name means may change. */
const lookupPublic: LookupFunction = (name, options, done) => {
  lookup(name, { ...options, all: true }, (error, found) => {
    if (error) return done(error, '')
    if (!found.every(({ address }) => isPublic(address))) return done(new Refused(PRIVATE), '')
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
  const waiting = setTimeout(() => request.destroy(new Refused('It was not answered.')), ANSWER_MS)
  request.once('error', (error) =>
    reject(error instanceof Refused ? error : new Refused(`It cannot be fetched: ${error.message}.`)),
  )
  // Nobody asked for another protocol, and Node.js ends the connection without a word.
  request.once('upgrade', ({ statusCode }, socket) => {
    socket.destroy()
    reject(new Refused(`It was answered with ${statusCode}.`))
  })
  // After an answer or an error this says nothing any more.
  request.once('close', () => reject(new Refused('It was not answered.')))
  return promise.finally(() => clearTimeout(waiting))
}
