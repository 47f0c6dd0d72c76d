import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Access } from '../access.ts'
import type { Config } from '../config.ts'
import { ApiError } from '../errors.ts'
import type { App } from './app.ts'
import type { Caller } from './caller.ts'

/** Reads a request body, whatever its content type. */
export type ReadBody = (
  request: FastifyRequest,
  payload: Readable,
  done: (error: Error | null, body?: unknown) => void,
) => void

/** The limiter's verdict on one request. */
export interface Admission {
  /** The rate limit headers. */
  headers: Record<string, string>
  /** Absent when the request is allowed. */
  refusal?: ApiError | undefined
}

/** Identifies, charges and authorizes each request before its cached page or route. */
export interface Gate {
  /** @throws when the store does not answer. The client address is then charged, and the answer is a 503 */
  identify(request: IncomingMessage, address: string): Caller | Promise<Caller>
  /** Makes the caller for a client that is identified only by its address. */
  visitor(address: string | undefined): Caller
  /** Charges a request to its caller. Never rejects. */
  admit(caller: Caller): Admission | Promise<Admission>
  /** @param required by the route @returns the error if the caller may not use the route */
  authorize(caller: Caller, required: Access | undefined, headers: IncomingHttpHeaders): ApiError | undefined
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Reads the bodies of this route, instead of the face's reader. */
    readBody?: ReadBody
  }
}

/** A protocol under a path prefix. The service uses the first face whose prefix matches the path. */
export interface Face {
  /** For example /v1. The last face has an empty prefix, and handles all other paths. */
  prefix: string
  gate: Gate
  /** Handles requests that match no route, before the gate. */
  onUnrouted?(request: FastifyRequest, reply: FastifyReply): void
  /** Makes the error for requests without a route; by default 404, or 405 if other methods have routes. */
  errorOfUnrouted?(): ApiError
  /** Whether requests that match no route also pass the hooks that `routes` adds. */
  hooksUnrouted?: boolean
  /** Reads the bodies of routes that have no `readBody` themselves. */
  readBody?: ReadBody
  /** Writes an error in the format of this face. @param headers absent if the request could not be parsed */
  writeError(
    error: ApiError,
    headers?: IncomingHttpHeaders,
  ): { type: string; body: string; headers?: Record<string, string> }
  /** Returns the canonical URL. Only for faces whose clients also send other spellings of a URL. */
  addressOf?(url: string): string
  /** Paths that web pages of every origin may read. One that ends in a slash includes all paths under it. */
  anyOriginPaths?: string[]
  /** Called before any route of the service is added. */
  openApi?(app: App): void
  /** Names the variant of a page that headers select, such as a language. Each is cached separately. */
  variantOf?(headers: IncomingHttpHeaders): string
  /** Adds the routes of this face. */
  routes(app: App): void | Promise<void>
}

/** Reads bodies with the reader of the route, or else of the face. Refuses them if there is none. */
export function bodyReaderOf(face: Face): ReadBody {
  return (request, payload, done) => {
    const read = request.routeOptions.config.readBody ?? face.readBody
    if (read) read(request, payload, done)
    else done(new ApiError('unsupported_media_type'))
  }
}

/** Characters that may come directly after the prefix in a URL. */
const AFTER_PREFIX = new Set([undefined, '/', '?', '#'])

/** Finds the face of a URL. Recognizes every spelling that the router accepts. */
export function faceOf(faces: readonly Face[], url: string): Face {
  const path = url.includes('%') ? decodeFirstSegment(url) : url
  const isIn = (prefix: string): boolean => path.startsWith(prefix) && AFTER_PREFIX.has(path[prefix.length])
  return faces.find(({ prefix }) => prefix === '' || isIn(prefix)) as Face
}

/** Decodes the first segment of a path, if possible. */
function decodeFirstSegment(url: string): string {
  const [start = ''] = /^.[^/?#]*/.exec(url) ?? []
  try {
    return decodeURI(start) + url.slice(start.length)
  } catch {
    return url
  }
}

/** @returns undefined for text that is not valid percent-encoding of UTF-8 */
export function tryDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** The characters of a host and port (RFC 3986, section 3.2), without the comma that joins two headers. */
export const HOST = /^[\w.~!$&'()*+;=%:[\]-]*$/

/**
 * The URL under which the client reached the service, including the face's prefix. If BASE_URL is set,
 * returns it. Otherwise uses the headers of a trusted proxy. Never trusts a Host header alone.
 * @param prefix needed when the request reached no route of the face
 */
export function publicBaseUrl(
  config: Config,
  request: FastifyRequest,
  prefix = request.server.prefix,
): string {
  return publicOrigin(config, request) + prefix
}

export function publicOrigin({ origin, baseUrlIsSet }: Config, request: FastifyRequest): string {
  if (baseUrlIsSet || request.headers['x-forwarded-host'] === undefined) return origin
  // Without a trusted proxy, `ips` has only the address of the connection, and its headers are not used.
  if ((request.ips ?? []).length < 2) return origin
  const { protocol, host } = request
  // A proxy may have copied both values from the client.
  const isAddress = ['http', 'https'].includes(protocol) && host !== '' && HOST.test(host)
  return isAddress ? `${protocol}://${host}` : origin
}
