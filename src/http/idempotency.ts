import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ArgsOf, Change, ResultOf } from '../db/change.ts'
import type { Writer } from '../db/write.ts'
import { ApiError } from '../errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** SHA-256 of the body's bytes, of a request with an Idempotency-Key. */
    fingerprint?: string
  }
}

/** Visible ASCII, bare or in the quotes of a structured field (RFC 9651, section 3.3.3). */
// Brackets by their number: bare ones in a class are another class to Java.
const KEY = /^(?:"([!#-\x5b\x5d-~]{1,255})"|([!#-~][!-~]{0,254}))$/

/** For the description: of a request, and of its answer. */
export const IDEMPOTENCY_KEY = {
  'Idempotency-Key': {
    type: 'string',
    description:
      'The request takes effect once, however often it is sent within 24 hours: 1 to 255 visible ASCII ' +
      'characters, bare or in quotes, new for every new request.',
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

/** The key under which a change is made once. */
export interface OnceKey {
  /** A hash of the caller, the address and the client's key. */
  scope: string
  /** SHA-256 of the body: the same key with another body is an error. */
  fingerprint: string
  /** Called when the result is that of an earlier request. */
  onReplay?(): void
}

/** Makes a change; with a key only once. @throws {ApiError} idempotency_key_reused, idempotency_key_in_use */
export type RequestWrite = <Fn extends Change>(
  key: OnceKey | undefined,
  change: Fn,
  ...args: ArgsOf<Fn>
) => Promise<ResultOf<Fn>>

/** One for the whole service: it knows what is under way. */
export function requestWrites(
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
 * Reads the Idempotency-Key of a request, if it has one. The answer has a header if the result is replayed.
 *
 * @throws {ApiError} invalid_parameter
 */
export function onceKey(request: FastifyRequest, reply: FastifyReply): OnceKey | undefined {
  const header = request.headers['idempotency-key']
  if (header === undefined) return undefined
  const [, quoted, bare] = KEY.exec(String(header)) ?? []
  const key = quoted ?? bare
  if (key === undefined) {
    const message = 'This must be 1 to 255 visible ASCII characters, bare or in quotes, and be sent once.'
    throw new ApiError('invalid_parameter', {
      details: [{ parameter: 'Idempotency-Key', code: 'invalid_value', message }],
    })
  }
  return {
    scope: scopeOf(request, key),
    fingerprint: request.fingerprint ?? hash('sha256', ''),
    onReplay: () => reply.header('idempotent-replayed', 'true'),
  }
}

/** A key belongs to a caller with its view, a method and an address, however that is spelled. */
export function scopeOf({ caller, method, routeOptions, params }: FastifyRequest, key: string): string {
  return hash(
    'sha256',
    JSON.stringify([caller.kind, caller.id, caller.view, method, routeOptions.url, params, key]),
  )
}
