import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ArgsOf, Change, ResultOf } from '../db/change.ts'
import type { Writer } from '../db/write.ts'
import { ApiError } from '../errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** SHA-256 of the body, for requests with an Idempotency-Key. */
    fingerprint?: string
  }
}

/** Visible ASCII characters, with or without the quotes of a structured field (RFC 9651, section 3.3.3). */
// Escapes brackets by code, because Java reads an unescaped one inside a character class as a nested class.
const KEY = /^(?:"([!#-\x5b\x5d-~]{1,255})"|([!#-~][!-~]{0,254}))$/

/** For the API description: the request header and the response header. */
export const IDEMPOTENCY_KEY = {
  'Idempotency-Key': {
    type: 'string',
    description:
      'Makes the request take effect only once, even if it is sent several times within 24 hours. Use a ' +
      'new key for each new request: 1 to 255 visible ASCII characters, with or without quotes.',
    minLength: 1,
    maxLength: 257,
    pattern: KEY.source,
    'x-stability': 'beta',
  },
}
export const REPLAYED = {
  'Idempotent-Replayed': {
    type: 'string',
    description: 'true: this is the result of an earlier request with the same Idempotency-Key.',
    'x-stability': 'beta',
  },
}

/** The key under which a change is made only once. */
export interface IdempotencyKey {
  /** SHA-256 of caller, address and the client's key. */
  scope: string
  /** SHA-256 of the body. A client that sends the same key with another body gets an error. */
  fingerprint: string
  /** Called when the result comes from an earlier request. */
  onReplay?(): void
}

/** Makes a change once per key. @throws {ApiError} idempotency_key_reused, idempotency_key_in_use */
export type RequestWrite = <Fn extends Change>(
  key: IdempotencyKey | undefined,
  change: Fn,
  ...args: ArgsOf<Fn>
) => Promise<ResultOf<Fn>>

/** Creates the function that makes changes for requests, once per service: it tracks the keys in progress. */
export function createRequestWrite(
  { write, writeOnce }: Pick<Writer, 'write' | 'writeOnce'>,
  clock: () => number,
): RequestWrite {
  const running = new Set<string>()
  return async (key, change, ...args) => {
    if (key === undefined) return write(change, ...args)
    const { scope, fingerprint, onReplay } = key
    if (running.has(scope)) throw new ApiError('idempotency_key_in_use')
    running.add(scope)
    try {
      const { result, replayed } = await writeOnce({ scope, fingerprint, now: clock() }, change, ...args)
      if (replayed) onReplay?.()
      return result
    } finally {
      running.delete(scope)
    }
  }
}

/**
 * Reads a request's Idempotency-Key, if any. `onReplay` in the result adds the response header.
 * @throws {ApiError} invalid_parameter
 */
export function readIdempotencyKey(request: FastifyRequest, reply: FastifyReply): IdempotencyKey | undefined {
  const header = request.headers['idempotency-key']
  if (header === undefined) return undefined
  const [, quoted, bare] = KEY.exec(String(header)) ?? []
  const key = quoted ?? bare
  if (key === undefined) {
    const message =
      'This must be 1 to 255 visible ASCII characters, with or without quotes, and sent only once.'
    throw new ApiError('invalid_parameter', {
      details: [{ parameter: 'Idempotency-Key', code: 'invalid_value', message }],
    })
  }
  return {
    scope: idempotencyScope(request, key),
    fingerprint: request.fingerprint ?? hash('sha256', ''),
    onReplay: () => reply.header('idempotent-replayed', 'true'),
  }
}

/** Combines the client's key with the caller, view, method and address. Each scope has its own keys. */
export function idempotencyScope(
  { caller, method, routeOptions, params }: FastifyRequest,
  key: string,
): string {
  return hash(
    'sha256',
    JSON.stringify([caller.kind, caller.id, caller.view, method, routeOptions.url, params, key]),
  )
}
