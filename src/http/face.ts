import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { Access } from '../access.ts'
import type { ApiError } from '../errors.ts'
import type { App, Hook } from './app.ts'
import type { Caller } from './caller.ts'

/** Reads the body of a request, whatever it claims to be. */
export type ReadBody = (
  request: FastifyRequest,
  payload: Readable,
  done: (error: Error | null, body?: unknown) => void,
) => void

/** What a limiter says of one request. */
export interface Admission {
  /** Tell the caller about its limit. */
  headers: Record<string, string>
  /** Absent when the request may pass. */
  refusal?: ApiError | undefined
}

/** Lets requests in, step by step, to cached pages and to routes. */
export interface Gate {
  /** @throws when the store cannot tell; the request is then charged to the visitor, and answered with 503 */
  identify(request: IncomingMessage, address: string): Caller | Promise<Caller>
  /** A caller of whom no more is known than the client's address. */
  visitor(address: string | undefined): Caller
  /** Charges a request to its caller. Never rejects. */
  admit(caller: Caller): Admission | Promise<Admission>
  /** @param needed as the route declares it @returns why the caller may not use the route */
  authorize(caller: Caller, needed: Access | undefined, headers: IncomingHttpHeaders): ApiError | undefined
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of a route whose bodies are larger than others, or of another kind: reads them instead of its face. */
    readBody?: ReadBody
  }
}

/** A protocol under a prefix. Each request belongs to the first face whose prefix its path begins with. */
export interface Face {
  /** Such as /v1; empty for the last face, which takes what is left. */
  prefix: string
  gate: Gate
  /** Of requests that reach no route, before the gate. */
  onUnrouted?: Hook
  /** Reads the bodies of its routes, but for those that bring a reader of their own. */
  readBody?: ReadBody
  /**
   * An error in the form that clients of this face read.
   *
   * @param asked the headers of the request; absent where it was none that can be read
   */
  writeError(
    error: ApiError,
    asked?: IncomingHttpHeaders,
  ): { type: string; body: string; headers?: Record<string, string> }
  /** The address that is meant, where clients of this face write it in other ways too. */
  addressOf?(url: string): string
  /** Addresses whose answers pages of every origin may read; with a slash at the end, all that begin so. */
  sharedWithAll?: string[]
  /** Meets every route of the service, before there are any. */
  openApi?(app: App): void
  /**
   * What of a request's headers, beside its caller, decides what a page says, such as a language: in a word.
   * Cached pages of one address are told apart by it.
   */
  variantOf?(headers: IncomingHttpHeaders): string
  /** Adds its routes. */
  routes(app: App): void | Promise<void>
}

/** What may stand behind the prefix in an address. */
const BEHIND_PREFIX = new Set([undefined, '/', '?', '#'])

/** The prefix in any spelling that the router reads as it, alone or with a path behind it. */
export function faceOf(faces: readonly Face[], url: string): Face {
  const path = url.includes('%') ? decodedStart(url) : url
  const isIn = (prefix: string): boolean => path.startsWith(prefix) && BEHIND_PREFIX.has(path[prefix.length])
  return faces.find(({ prefix }) => prefix === '' || isIn(prefix)) as Face
}

/** A path whose first part is decoded where it can be. */
function decodedStart(url: string): string {
  const [start = ''] = /^.[^/?#]*/.exec(url) ?? []
  try {
    return decodeURI(start) + url.slice(start.length)
  } catch {
    return url
  }
}
